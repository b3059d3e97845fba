"""Which judgements does a file hold, in TREC's, BEIR's or one of the SMART shapes?

The shapes, by the name that ``--qrels-format`` takes:

- ``trec``: query, a number that means nothing, document, grade; parted by blanks or tabs.
- ``beir``: query, document, grade, parted by tabs, with or without a header.
- ``smart-pairs``: query, document and two zeros (ADI.REL, CISI.REL).
- ``smart-lists``: query and its documents on a line (TIME.REL).
- ``smart-counts``: query, number of its documents, these, over several lines (LISARJ.NUM).
- ``smart-refs``: ``Query 1``, ``2 Relevant Refs:``, documents and ``-1`` (LISA.REL).
- ``cranfield``: query, document, code (cran.qrels). Three columns are never guessed.

Where a shape has no grades each document is judged with 1. Cranfield's codes run from 1, a
complete answer, to 5, no interest, and become 5 minus code; what its code -1 means nobody tells,
so those rows are left out and counted.

Source: trec_eval's get_qrels.c; the BEIR repository; the collections of the University of
Glasgow's IR group and the readme of Cranfield's judgements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from evenhand.adapters.formats.foreign.misfits import misfit
from evenhand.adapters.formats.foreign.smart_judgements import (
    Row,
    read_counts,
    read_lists,
    read_pairs,
    read_refs,
)
from evenhand.adapters.formats.format_names import QRELS_NAMES
from evenhand.adapters.formats.lines import read_beginning, read_lines, without_mark
from evenhand.adapters.formats.qrels_tsv import Judgement, read_qrels_tsv
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import DocId, QueryId

_HEAD_BYTES: Final = 2**16
_GRADE: Final = re.compile(rb"[+-]?[0-9]{1,9}")
_TREC_COLUMNS, _CRANFIELD_COLUMNS, _BEIR_COLUMNS = 4, 3, 3
_UNEXPLAINED: Final = -1
_NO_INTEREST: Final = 5
_CRANFIELD: Final = "cranfield"

_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_ZEROS: Final = re.compile(r"0+(\.0+)?")
_QUERY: Final = re.compile(r"Query\s+\d+", re.IGNORECASE)


class Judgements(NamedTuple):
    """What a file of judgements holds.

    Attributes:
        rows: in the order of the file.
        format: how it was read.
        remarks: what was left out, for people.
    """

    rows: tuple[Judgement, ...]
    format: str
    remarks: tuple[str, ...] = ()


def read_judgements(path: Path, file: str, shape: str | None = None) -> Judgements:
    """The judgements of a file.

    Args:
        path: the file, plain or gzip.
        file: what messages call it.
        shape: one of `format_names.QRELS_NAMES`; None guesses by the content.

    Raises:
        InvalidFile: no shape or more than one fits, or a line breaks the rules of the shape.
    """
    used = _guess(path, file) if shape is None else shape
    if used == "beir":
        return Judgements(read_qrels_tsv(path, file), used)
    read = _READERS[used]
    rows = _distinct(read(path, file), file)
    if used != _CRANFIELD:
        return Judgements(tuple(rows), used)
    kept = [row for row in rows if row.grade != _UNEXPLAINED]
    left = len(rows) - len(kept)
    remark = f"judgements with code -1, which nobody explains, left out: {left}"
    graded = tuple(
        Judgement(
            query_id=row.query_id,
            document_id=row.document_id,
            grade=_NO_INTEREST - row.grade,
            line=row.line,
        )
        for row in kept
    )
    return Judgements(graded, used, (remark,) if left else ())


def judgement_formats(text: str) -> tuple[str, ...]:
    """The shapes that the beginning of a file may be; several where it does not tell.

    Three columns of numbers look like Cranfield's; a reader of a file is never guessed from that.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return ()
    if _QUERY.fullmatch(lines[0].strip()):
        return ("smart-refs",)
    if all(line.count("\t") == _BEIR_COLUMNS - 1 for line in lines):
        last = [line.rstrip("\r").rpartition("\t")[2] for line in lines]
        is_headed = lines[0].startswith(("query-id\t", "corpus-id\t"))
        return ("beir",) if is_headed or all(map(_WHOLE.fullmatch, last)) else ()
    return _of_columns([line.split() for line in lines])


def _of_columns(rows: list[list[str]]) -> tuple[str, ...]:
    """Which shapes parted by blanks some rows may be."""
    if all(len(row) == _TREC_COLUMNS for row in rows):
        if all(_WHOLE.fullmatch(row[3]) for row in rows):
            return ("trec",)
        return ("smart-pairs",) if all(_ZEROS.fullmatch(row[3]) for row in rows) else ()
    if not all(_WHOLE.fullmatch(cell) for row in rows for cell in row):
        return ()
    if all(len(row) == _CRANFIELD_COLUMNS for row in rows):
        return (_CRANFIELD,)
    return _of_lists(rows) if len({len(row) for row in rows}) > 1 else ()


def _of_lists(rows: list[list[str]]) -> tuple[str, ...]:
    """Which of the two shapes of lists some rows of whole numbers are, if they tell."""
    cells = [int(cell) for row in rows for cell in row]
    place, queries = 0, []
    while place + 1 < len(cells):
        queries.append(cells[place])
        place += 2 + cells[place + 1]
    first = [int(row[0]) for row in rows]
    rising = queries == sorted(set(queries)) and len(queries) > 1 and set(queries) <= set(first)
    has_lists = first == sorted(set(first)) and all(len(row) > 1 for row in rows)
    return ("smart-counts",) * rising + ("smart-lists",) * has_lists


def _guess(path: Path, file: str) -> str:
    begin = without_mark(read_beginning(path, file, size=_HEAD_BYTES), file)
    if len(begin) == _HEAD_BYTES:
        begin = begin[: begin.rfind(b"\n") + 1]
    text = begin.decode("utf-8", "replace")
    found = judgement_formats(text)
    if not found and (why := misfit(text)) is not None:
        raise InvalidFile(file, why)
    if len(found) != 1 or found == (_CRANFIELD,):
        raise InvalidFile(file, _unclear(found))
    return found[0]


def _distinct(rows: Iterator[Row], file: str) -> list[Judgement]:
    lines: dict[tuple[bytes, bytes], int] = {}
    found: list[Judgement] = []
    for row in rows:
        pair = (row.query_id, row.document_id)
        if pair in lines:
            raise InvalidFile(file, _twice(lines[pair], row.line), line=row.line)
        if b"\0" in row.query_id + row.document_id:
            raise InvalidFile(file, "an id must not hold NUL", line=row.line)
        lines[pair] = row.line
        found.append(
            Judgement(
                query_id=QueryId(row.query_id),
                document_id=DocId(row.document_id),
                grade=row.grade,
                line=row.line,
            )
        )
    return found


def _read_trec(path: Path, file: str) -> Iterator[Row]:
    yield from _columns(path, file, _TREC_COLUMNS, (0, 2, 3))


def _read_cranfield(path: Path, file: str) -> Iterator[Row]:
    for row in _columns(path, file, _CRANFIELD_COLUMNS, (0, 1, 2)):
        if not (row.grade == _UNEXPLAINED or 1 <= row.grade <= _NO_INTEREST):
            raise InvalidFile(file, "the code must be -1 or from 1 to 5", line=row.line)
        yield row


def _columns(path: Path, file: str, count: int, order: tuple[int, int, int]) -> Iterator[Row]:
    for number, line in read_lines(path, file):
        columns = line.split()
        if len(columns) != count:
            raise InvalidFile(file, _wrong_columns(count, len(columns)), line=number)
        query, document, grade = (columns[one] for one in order)
        if not _GRADE.fullmatch(grade):
            raise InvalidFile(file, "the grade must be a whole number", line=number)
        yield Row(query, document, int(grade), number)


_Reader: TypeAlias = Callable[[Path, str], Iterator[Row]]
_READERS: Final[Mapping[str, _Reader]] = MappingProxyType(
    {
        "trec": _read_trec,
        "smart-pairs": read_pairs,
        "smart-lists": read_lists,
        "smart-counts": read_counts,
        "smart-refs": read_refs,
        _CRANFIELD: _read_cranfield,
    }
)


def _unclear(found: tuple[str, ...]) -> str:
    if found == (_CRANFIELD,):
        return "has three columns, which are not guessed; say which with --qrels-format"
    if found:
        return f"may be any of {', '.join(found)}; say which with --qrels-format"
    return f"is in no shape that is known; say which with --qrels-format: {', '.join(QRELS_NAMES)}"


def _twice(first: int, second: int) -> str:
    return f"one query and document are judged on line {first} and on line {second}"


def _wrong_columns(wanted: int, found: int) -> str:
    return f"must have {wanted} columns, not {found}"
