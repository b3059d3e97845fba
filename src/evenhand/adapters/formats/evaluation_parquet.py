"""An exported evaluation as Parquet: one row a question, for tools that read tables.

The same content as the JSON export, and nothing is lost on the way back: what is not of a single
question stands as JSON in the metadata of the schema. Ids of documents and queries are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from evenhand.adapters.formats.evaluation_file import evaluation_of
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.identity.legacy_bytes import decode_text, encode_text
from evenhand.usecases.evaluations import Kept

#: How a file name ends that stands for Parquet.
SUFFIX: Final = ".parquet"

_KEY: Final = b"evenhand"
_OUTCOME: Final = (
    "position",
    "state",
    "targets",
    "retrieved",
    "window",
    "latency_ms",
    "error_class",
)
_NOT_OURS: Final = "is no Parquet file that evenhand evaluations export wrote"


def write_parquet(path: Path, document: Mapping[str, Any]) -> None:
    """Write the document of an export; the file appears as a whole or not at all.

    Args:
        path: the file.
        document: of ``evenhand.evaluation-export/1``.

    Raises:
        MissingExtra: pyarrow is not installed.
        InvalidFile: the file cannot be written.
    """
    pa, pq = _pyarrow()
    outcomes, run = document["outcomes"], document["run"]
    about = {
        "format": document["format"],
        "evaluation": document["evaluation"],
        "details": document["details"],
        "outcomes": outcomes is not None,
        "run": run is not None,
    }
    rankings = {one["position"]: one for one in run or ()}
    rows = [_row(one, rankings.get(one["position"])) for one in outcomes or ()]
    schema = _schema(pa).with_metadata({_KEY: msgspec.json.encode(about)})
    with writing(path) as stream:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), stream)


def read_parquet(path: Path) -> Kept:
    """The evaluation that a Parquet file holds, as it was exported.

    Raises:
        MissingExtra: pyarrow is not installed.
        InvalidFile: it is no such file, or contradicts itself; names the place and the rule.
    """
    pa, pq = _pyarrow()
    file = path.name
    try:
        # One file, opened here: pyarrow would take a folder of that name for a data set.
        with path.open("rb") as stream:
            table = pq.ParquetFile(stream).read()
    except (OSError, pa.ArrowException):
        raise InvalidFile(file, _NOT_OURS) from None
    metadata = table.schema.metadata or {}
    if _KEY not in metadata or not table.schema.equals(_schema(pa), check_metadata=False):
        raise InvalidFile(file, _NOT_OURS)
    about = decode_object(metadata[_KEY], file, None)
    has_outcomes, has_run = about.pop("outcomes", None), about.pop("run", None)
    if type(has_outcomes) is not bool or type(has_run) is not bool:
        raise InvalidFile(file, _NOT_OURS)
    rows = table.to_pylist()
    ranked = [row for row in rows if row["query_id"] is not None]
    if (rows and not has_outcomes) or (ranked and not has_run):
        raise InvalidFile(file, "holds rows that its metadata do not know of")
    return evaluation_of(
        {
            **about,
            "outcomes": list(map(_outcome, rows)) if has_outcomes else None,
            "run": list(map(_ranking, ranked)) if has_run else None,
        },
        file,
    )


def _schema(pa: Any) -> Any:
    whole, ids = pa.int32(), pa.list_(pa.binary())
    return pa.schema(
        [
            ("position", whole),
            ("state", pa.string()),
            ("targets", whole),
            ("retrieved", whole),
            ("window", whole),
            ("latency_ms", pa.int64()),
            ("error_class", pa.string()),
            ("judged_ranks", pa.list_(whole)),
            ("judged_grades", pa.list_(whole)),
            ("all_judged_grades", pa.list_(whole)),
            ("query_id", pa.binary()),
            ("document_ids", ids),
            ("scores", pa.list_(pa.float64())),
        ]
    )


def _row(outcome: Mapping[str, Any], ranking: Mapping[str, Any] | None) -> dict[str, Any]:
    row = {name: outcome[name] for name in _OUTCOME}
    row["judged_ranks"] = [rank for rank, _ in outcome["judged_hits"]]
    row["judged_grades"] = [grade for _, grade in outcome["judged_hits"]]
    row["all_judged_grades"] = outcome["judged_grades"]
    if ranking is None:
        return row | {"query_id": None, "document_ids": None, "scores": None}
    return row | {
        "query_id": decode_text(ranking["query_id"]),
        "document_ids": [decode_text(one) for one in ranking["documents"]],
        "scores": ranking["scores"],
    }


def _outcome(row: Mapping[str, Any]) -> dict[str, Any]:
    ranks, grades = row["judged_ranks"] or [], row["judged_grades"] or []
    # Lists of unequal length become a pair too few, which the reader of pairs refuses.
    hits = [list(pair) for pair in zip(ranks, grades, strict=False)]
    if len(ranks) != len(grades):
        hits.append([])
    read = {name: row[name] for name in _OUTCOME}
    return read | {"judged_hits": hits, "judged_grades": row["all_judged_grades"]}


def _ranking(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "position": row["position"],
        "query_id": encode_text(row["query_id"]),
        "documents": [
            None if one is None else encode_text(one) for one in row["document_ids"] or ()
        ],
        "scores": row["scores"],
    }


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("Parquet", "frames") from error
    return pa, pq
