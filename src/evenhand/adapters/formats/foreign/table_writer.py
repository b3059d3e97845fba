"""How is a golden set written as one table, CSV or Parquet, and read back as it was?

The columns are `questions_table.HEADER`. In CSV every cell is quoted, the documents are a JSON
list, an empty cell of documents says that nobody has looked and ``[]`` that nothing answers, and
text that a spreadsheet would take for a formula is guarded.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.foreign.facets import Held, reduced, require_utf8
from evenhand.adapters.formats.foreign.questions_table import HEADER
from evenhand.adapters.formats.format_names import FACET_NAMES
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import MissingExtra
from evenhand.core.identity.csv_guard import guarded
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet

_FACETS: Final = frozenset(FACET_NAMES) - {"label_provenance", "grades", "holdout"}
HELD_BY_CSV: Final = Held(format="csv", facets=_FACETS)
HELD_BY_PARQUET: Final = Held(format="parquet", facets=_FACETS)


def write_csv(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    """Write a set as CSV (RFC 4180: CR LF after each row).

    Returns:
        The set as it was written, without what the user dropped.

    Raises:
        InvalidFile: CSV cannot hold something of it, or the file cannot be written.
    """
    written = reduced(golden_set, HELD_BY_CSV, drop, path.name)
    require_utf8(written, HELD_BY_CSV, path.name)
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(HEADER)
    for one in written.questions:
        writer.writerow(guarded(_cell(_VALUES[name](one))) for name in HEADER)
    with writing(path) as stream:
        stream.write(text.getvalue().encode("utf-8"))
    return written


def write_parquet(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    """Write a set as Parquet: text, a list of texts that is null where nobody has looked, flags.

    Returns:
        The set as it was written, without what the user dropped.

    Raises:
        MissingExtra: pyarrow is not installed.
        InvalidFile: Parquet cannot hold something of it, or the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("Parquet", "frames") from error
    written = reduced(golden_set, HELD_BY_PARQUET, drop, path.name)
    require_utf8(written, HELD_BY_PARQUET, path.name)
    kinds = {"expected_document_ids": pa.list_(pa.string()), "critical": pa.bool_()}
    kinds["reviewed"] = pa.bool_()
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in HEADER])
    rows = [{name: _VALUES[name](one) for name in HEADER} for one in written.questions]
    with writing(path) as stream:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), stream)
    return written


def _documents(one: GoldenQuestion) -> list[str] | None:
    return None if one.unjudged else [target.decode() for target in one.expected_document_ids]


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


_VALUES: Final[dict[str, Callable[[GoldenQuestion], object]]] = {
    "id": lambda one: one.id.decode(),
    "question": lambda one: one.question.decode(),
    "form": lambda one: one.form.value,
    "hard_class": lambda one: None if one.hard_class is None else one.hard_class.decode(),
    "expected_document_ids": _documents,
    "answer_gist": lambda one: None if one.answer_gist is None else one.answer_gist.decode(),
    "critical": lambda one: one.critical,
    "reviewed": lambda one: one.reviewed,
}
