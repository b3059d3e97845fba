"""Which questions does a plain table hold? CSV, TSV, JSON Lines, a JSON list, Parquet.

What another tool's columns mean beyond the names of `columns` is the business of that tool's
module. The CSV that `sets export` writes is read back exactly: its header is `HEADER`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.columns import (
    document_ids,
    known_columns,
    question_column,
)
from evenhand.adapters.formats.foreign.fields import optional_text, text_of
from evenhand.adapters.formats.foreign.found import (
    Columns,
    Format,
    Found,
    FoundQuestion,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind, read_head
from evenhand.adapters.formats.foreign.tables import Row, csv_header, read_table
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.csv_guard import unguarded

#: Columns of the CSV that Evenhand writes, in this order; such a file is read without guessing.
HEADER: Final = (
    "id",
    "question",
    "form",
    "hard_class",
    "expected_document_ids",
    "answer_gist",
    "critical",
    "reviewed",
)

_TRUTH: Final = {"true": True, "false": False}
_TABLE_ENDINGS: Final = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def read_questions(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a table.

    Raises:
        InvalidFile: a row breaks a rule, or it is not clear which column holds what.
    """
    rows = read_table(path, file)
    first = next(rows, None)
    if first is None:
        raise InvalidFile(file, "holds no questions")
    place, row = first
    columns = known_columns(row, options.columns, file)
    is_ours = tuple(row) == HEADER and columns.question == "question"
    is_guarded = is_ours and read_head(path, file).kind is Kind.TEXT
    reader = _OurRow(columns, is_guarded=is_guarded) if is_ours else _Row(columns)
    questions = [reader.question(row, file, place)]
    questions += [reader.question(row, file, place) for place, row in rows]
    return Found(questions=tuple(questions))


class _Row:
    """Reads the rows of somebody's table."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def question(self, row: Row, file: str, place: Place) -> FoundQuestion:
        """The question of a row.

        Raises:
            InvalidFile: a cell breaks a rule.
        """
        columns = self._columns
        return FoundQuestion(
            text=text_of(row, columns.question or "", file, place),
            place=place,
            id=columns.id and text_of(row, columns.id, file, place),
            targets=document_ids(row, columns.documents, file, place),
            answer=optional_text(row, columns.answer, file, place),
        )


class _OurRow(_Row):
    """Reads the rows of a table that Evenhand wrote."""

    def __init__(self, columns: Columns, *, is_guarded: bool) -> None:
        super().__init__(columns)
        self._is_guarded = is_guarded

    def question(self, row: Row, file: str, place: Place) -> FoundQuestion:
        """The question of a row, with the flags that only Evenhand's table has."""
        if self._is_guarded:
            row = {key: unguarded(v) if isinstance(v, str) else v for key, v in row.items()}
        return replace(
            super().question(row, file, place),
            form=text_of(row, "form", file, place),
            hard_class=optional_text(row, "hard_class", file, place),
            critical=_truth(row, "critical", file, place),
            reviewed=_truth(row, "reviewed", file, place),
        )


def _truth(row: Row, key: str, file: str, place: Place) -> bool:
    value = row.get(key)
    held = _TRUTH.get(value) if isinstance(value, str) else value
    if not isinstance(held, bool):
        raise refused(file, place, _no_truth(key))
    return held


def _sniff_csv(head: Head) -> str | None:
    if head.kind is not Kind.TEXT:
        return None
    names = csv_header(head.text)
    if len(names) > 1 and question_column(names) is not None:
        return f"its header has a column {question_column(names)!r}"
    if head.path.name.endswith(_TABLE_ENDINGS) and len(names) > 1 and not _is_headless(names):
        return "its name and its first line are those of a table"
    return None


def _sniff_records(head: Head) -> str | None:
    if head.kind not in (Kind.LINES, Kind.DOCUMENT):
        return None
    if head.kind is Kind.DOCUMENT and not isinstance(head.value, list):
        return None
    column = question_column(head.names)
    return None if column is None else f"its objects have a key {column!r}"


def _sniff_parquet(head: Head) -> str | None:
    return "it is a Parquet file" if head.kind is Kind.PARQUET else None


def _is_headless(names: tuple[str, ...]) -> bool:
    # A table of ids and texts without a header: TREC topics, or judgements.
    return names[0].strip().isdecimal() or set(names) >= {"query-id", "corpus-id"}


def _no_truth(key: str) -> str:
    return f"{key} must be true or false"


CSV: Final = Format(name="csv", sniff=_sniff_csv, read=read_questions, is_general=True)
RECORDS: Final = Format(name="records", sniff=_sniff_records, read=read_questions, is_general=True)
PARQUET: Final = Format(name="parquet", sniff=_sniff_parquet, read=read_questions, is_general=True)
