"""Which rows does a table hold: CSV, TSV, JSON Lines, a JSON list, Parquet?

A row is a mapping of column names, with the place where it begins. CSV as RFC 4180 has it; only
LF ends a line, with or without a CR, and a quoted cell may go over several lines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from evenhand.adapters.formats.foreign.fields import records_of
from evenhand.adapters.formats.foreign.found import Place
from evenhand.adapters.formats.foreign.head import Kind, read_document, read_head
from evenhand.adapters.formats.foreign.parquet import parquet_rows
from evenhand.adapters.formats.lines import (
    MAX_LINE_BYTES,
    read_raw_lines,
    require_utf8,
    without_mark,
)
from evenhand.adapters.formats.lines import read_lines as read_text_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile

Row: TypeAlias = dict[str, object]
PlacedRow: TypeAlias = tuple[Place, Row]

#: Separators that are counted in the header; of equals the first.
_SEPARATORS: Final = ("\t", ",", ";")


def read_table(path: Path, file: str) -> Iterator[PlacedRow]:
    """The rows of a table in whichever of the forms, one in memory at a time.

    Raises:
        InvalidFile: a row or the file breaks a rule of its form.
        MissingExtra: it is a Parquet file and pyarrow is not installed.
    """
    kind = read_head(path, file).kind
    if kind is Kind.PARQUET:
        yield from parquet_rows(path, file)
    elif kind is Kind.LINES:
        for number, line in read_text_lines(path, file):
            yield number, decode_object(line, file, number)
    elif kind is Kind.DOCUMENT:
        value = read_document(path, file)
        rows = value if isinstance(value, list) else [value]
        yield from ((place, dict(row)) for place, row in records_of(rows, "row", file))
    else:
        yield from csv_rows(path, file)


def csv_header(text: str) -> tuple[str, ...]:
    """The column names of a CSV or TSV text, empty where its first line is no CSV."""
    first = text.partition("\n")[0].rstrip("\r")
    try:
        return tuple(next(csv.reader([first], delimiter=_separator(first), strict=True), ()))
    except csv.Error:
        return ()


def csv_rows(path: Path, file: str) -> Iterator[PlacedRow]:
    """The rows of a CSV or TSV file; the first line names the columns.

    Raises:
        InvalidFile: two columns of one name, a row with more or fewer cells than the header, a
            quote that is not closed, a cell longer than `lines.MAX_LINE_BYTES`.
    """
    # The module has one limit for all; cells of 128 KiB, its default, are ordinary texts here.
    csv.field_size_limit(MAX_LINE_BYTES)
    lines = _text_lines(path, file)
    first = next(lines, None)
    if first is None:
        raise InvalidFile(file, "is empty; the first line names the columns", line=1)
    reader = csv.reader(_chain(first, lines), delimiter=_separator(first), strict=True)
    names: list[str] | None = None
    begins = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InvalidFile(file, _no_csv(error), line=begins) from None
        if cells is None:
            return
        if cells and names is None:
            names = _header(cells, file)
        elif cells and names is not None:
            if len(cells) != len(names):
                raise InvalidFile(file, _uneven(len(names), len(cells)), line=begins)
            yield begins, {name: cell for name, cell in zip(names, cells, strict=True) if name}
        begins = reader.line_num + 1


def _header(cells: list[str], file: str) -> list[str]:
    named = [cell for cell in cells if cell]
    if len(set(named)) != len(named):
        raise InvalidFile(file, "two columns have one name", line=1)
    return cells


def _separator(line: str) -> str:
    # A German table may have a comma in the name of a column; the separator is there more often.
    return max(_SEPARATORS, key=line.count) if any(one in line for one in _SEPARATORS) else ","


def _text_lines(path: Path, file: str) -> Iterator[str]:
    for number, raw in read_raw_lines(path, file):
        marked = without_mark(raw, file) if number == 1 else raw
        yield require_utf8(marked, file, number)


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _uneven(wanted: int, found: int) -> str:
    return f"has {found} cells, the header has {wanted}"


def _no_csv(error: csv.Error) -> str:
    # The module's messages name rules and no content.
    return f"is not CSV: {error}"
