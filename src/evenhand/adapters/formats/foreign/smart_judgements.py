"""Which judgements do the files of the SMART collections hold? Four shapes without grades."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from evenhand.adapters.formats.lines import read_lines
from evenhand.core.errors import InvalidFile

_NUMBER: Final = re.compile(rb"[0-9]{1,9}")
_QUERY: Final = re.compile(rb"Query\s+(\d+)", re.IGNORECASE)
_REFS: Final = re.compile(rb"(\d+)\s+Relevant\s+Refs:", re.IGNORECASE)
_END: Final = b"-1"
_PAIR_COLUMNS: Final = 4


class Row(NamedTuple):
    """One judgement as it stands, with the number of its line."""

    query_id: bytes
    document_id: bytes
    grade: int
    line: int


def read_pairs(path: Path, file: str) -> Iterator[Row]:
    """Lines of query, document and two columns that mean nothing.

    Raises:
        InvalidFile: a line without exactly four columns.
    """
    for number, line in read_lines(path, file):
        columns = line.split()
        if len(columns) != _PAIR_COLUMNS:
            raise InvalidFile(file, "must have 4 columns (query, document, 0, 0)", line=number)
        yield Row(columns[0], columns[1], 1, number)


def read_lists(path: Path, file: str) -> Iterator[Row]:
    """Lines of a query and its documents.

    Raises:
        InvalidFile: a line without a document, something that is no number, or a query twice.
    """
    seen: dict[bytes, int] = {}
    for number, line in read_lines(path, file):
        query, *documents = _numbers(line.split(), file, number)
        if not documents:
            raise InvalidFile(file, "has a query without a document", line=number)
        if seen.setdefault(query, number) != number:
            raise InvalidFile(file, _same_query(seen[query], number), line=number)
        yield from (Row(query, document, 1, number) for document in documents)


def read_counts(path: Path, file: str) -> Iterator[Row]:
    """Queries with the number of their documents and these, over as many lines as it takes.

    Raises:
        InvalidFile: the file ends before a query has its documents, a query does not begin a
            line, or something is no number.
    """
    query, missing, begins = b"", 0, 0
    for number, line in read_lines(path, file):
        numbers = _numbers(line.split(), file, number)
        if not missing:
            if len(numbers) < 2:
                raise InvalidFile(file, "must begin with a query and a count", line=number)
            query, missing, begins = numbers[0], int(numbers[1]), number
            numbers = numbers[2:]
        if len(numbers) > missing:
            raise InvalidFile(file, "has more documents than its count says", line=number)
        missing -= len(numbers)
        yield from (Row(query, document, 1, number) for document in numbers)
    if missing:
        raise InvalidFile(file, _cut_off(missing), line=begins)


def read_refs(path: Path, file: str) -> Iterator[Row]:
    """Blocks of ``Query n``, ``m Relevant Refs:``, documents and -1.

    Raises:
        InvalidFile: a block that is cut off or holds another number of documents than it says,
            a query twice, or something that is no number.
    """
    seen: dict[bytes, int] = {}
    block: list[tuple[int, bytes]] = []
    for number, line in read_lines(path, file):
        text = line.strip()
        if _QUERY.fullmatch(text) and block:
            yield from _block(block, seen, file)
            block = []
        block.append((number, text))
    if block:
        yield from _block(block, seen, file)


def _block(block: list[tuple[int, bytes]], seen: dict[bytes, int], file: str) -> Iterator[Row]:
    """The judgements of one query, if it says as many as it has and ends."""
    begins, first = block[0]
    query = _QUERY.fullmatch(first)
    count = _REFS.fullmatch(block[1][1]) if len(block) > 1 else None
    if query is None or count is None:
        raise InvalidFile(file, "a block begins with Query n and m Relevant Refs:", line=begins)
    if seen.setdefault(query[1], begins) != begins:
        raise InvalidFile(file, _same_query(seen[query[1]], begins), line=begins)
    found: list[Row] = []
    for number, text in block[2:]:
        if _REFS.fullmatch(text):
            raise InvalidFile(file, _cut_off_block(begins), line=number)
        ids = text.split()
        if number == block[-1][0] and ids.pop() != _END:
            raise InvalidFile(file, _cut_off_block(begins), line=number)
        found += [Row(query[1], one, 1, number) for one in _numbers(ids, file, number)]
    if len(found) != int(count[1]):
        raise InvalidFile(file, _other_count(int(count[1]), len(found)), line=begins)
    yield from found


def _numbers(columns: list[bytes], file: str, number: int) -> list[bytes]:
    if not all(map(_NUMBER.fullmatch, columns)):
        raise InvalidFile(file, "must hold whole numbers only", line=number)
    return columns


def _same_query(first: int, second: int) -> str:
    return f"one query occurs on line {first} and on line {second}"


def _cut_off(missing: int) -> str:
    return f"the query that begins here lacks {missing} of its documents"


def _cut_off_block(begins: int) -> str:
    return f"the block that begins on line {begins} is cut off: it does not end with -1"


def _other_count(wanted: int, found: int) -> str:
    return f"the block says {wanted} documents and has {found}"
