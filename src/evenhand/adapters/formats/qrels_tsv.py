"""Which judgements and which ids do the tab-separated files of a BEIR folder hold?

``qrels/<split>.tsv`` has three columns, with the header ``query-id corpus-id score`` or without
one; ``no_answer.tsv`` has one. A header is recognised by its names and read by them, so no
judgement is ever taken for a header, nor a header for a judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_lines
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import DocId, QueryId

_HEADER: Final = (b"query-id", b"corpus-id", b"score")
_GRADE: Final = re.compile(rb"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One row of a qrels file.

    Attributes:
        query_id, document_id: not empty.
        grade: a whole number; 0 and below is judged as not relevant.
        line: number of the row's line, from 1.
    """

    query_id: QueryId
    document_id: DocId
    grade: int
    line: int


def read_qrels_tsv(path: Path, file: str) -> tuple[Judgement, ...]:
    """The judgements of a qrels file, in its order.

    Args:
        path: the file, plain or gzip.
        file: what messages call it.

    Raises:
        InvalidFile: a row without exactly three columns, an empty id, a grade that is no whole
            number, or a query and document that are judged twice (both lines are named, as
            trec_eval refuses repeats too, equal or not).
    """
    found: list[Judgement] = []
    lines: dict[tuple[bytes, bytes], Judgement] = {}
    for judgement in _rows(path, file):
        pair = (judgement.query_id, judgement.document_id)
        first = lines.setdefault(pair, judgement)
        if first is not judgement:
            raise InvalidFile(file, _judged_twice(first, judgement), line=judgement.line)
        found.append(judgement)
    return tuple(found)


def read_query_ids(path: Path, file: str) -> dict[QueryId, int]:
    """The query ids of a one-column file such as ``no_answer.tsv``, each with its line.

    Raises:
        InvalidFile: another column, an empty id, or an id that occurs twice.
    """
    found: dict[QueryId, int] = {}
    for number, line in read_lines(path, file):
        if not found and line == _HEADER[0]:
            continue
        if b"\t" in line:
            raise InvalidFile(file, "must have one column, a query id", line=number)
        query_id = QueryId(_require_id(line, "query-id", file, number))
        first = found.setdefault(query_id, number)
        if first != number:
            raise InvalidFile(file, _listed_twice(first, number), line=number)
    return found


def _rows(path: Path, file: str) -> Iterator[Judgement]:
    order = (0, 1, 2)
    is_first = True
    for number, line in read_lines(path, file):
        columns = line.split(b"\t")
        if len(columns) != len(_HEADER):
            raise InvalidFile(file, _wrong_columns(len(columns)), line=number)
        if is_first:
            is_first = False
            if sorted(columns) == sorted(_HEADER):
                order = tuple(columns.index(name) for name in _HEADER)  # type: ignore[assignment]
                continue
        query_id, document_id, grade = (columns[place] for place in order)
        yield Judgement(
            query_id=QueryId(_require_id(query_id, "query-id", file, number)),
            document_id=DocId(_require_id(document_id, "corpus-id", file, number)),
            grade=_grade(grade, file, number),
            line=number,
        )


def _require_id(content: bytes, column: str, file: str, line: int) -> bytes:
    if not content:
        raise InvalidFile(file, _empty(column), line=line)
    if b"\0" in content:
        raise InvalidFile(file, _has_nul(column), line=line)
    return content


def _grade(content: bytes, file: str, line: int) -> int:
    # int() would also read 1_000 and the digits of other scripts.
    if not _GRADE.fullmatch(content):
        raise InvalidFile(file, "score must be a whole number", line=line)
    return int(content)


def _wrong_columns(found: int) -> str:
    return f"must have 3 columns parted by tabs (query-id, corpus-id, score), not {found}"


def _judged_twice(first: Judgement, second: Judgement) -> str:
    how = "equally" if first.grade == second.grade else "with two grades"
    return (
        f"one query and document are judged on line {first.line} and on line {second.line}, {how}"
    )


def _listed_twice(first: int, second: int) -> str:
    return f"one query id occurs on line {first} and on line {second}"


def _empty(column: str) -> str:
    return f"{column} must not be empty"


def _has_nul(column: str) -> str:
    return f"{column} must not hold NUL"
