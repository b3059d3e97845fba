"""Which rows do Parquet files of runs and judgements hold?

A run has the columns ``query_id``, ``doc_id`` and ``score``, judgements ``query_id``, ``doc_id``
and ``relevance``; the names of other tools are taken too, other columns are not looked at. Ids
are text or bytes, never numbers.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from evenhand.adapters.scoring.source import Opened, Source
from evenhand.core.errors import MissingExtra
from evenhand.core.identity.canonical import to_text

if TYPE_CHECKING:
    from evenhand.core.scoring.lines import Grades

#: Accepted names of each column; the first is ours.
QUERY: Final = ("query_id", "query-id", "qid", "q_id")
DOCUMENT: Final = ("doc_id", "corpus-id", "document_id", "docno", "docid")
SCORE: Final = ("score",)
GRADE: Final = ("relevance", "grade", "rel", "label", "score")

_STEP: Final = 2**20
_GRADES: Final = 10**9
_SHOWN: Final = 100  # characters of an id in a message
_TOO_LONG: Final = "the score is a whole number that 64-bit floating point does not hold exactly"


def read_parquet_run(
    stream: Opened, source: Source
) -> dict[bytes, tuple[list[bytes], list[float]]]:
    """Documents and scores of each query.

    Raises:
        InvalidFile: a column is missing, an id is no text, or a score is no finite number; names
            the row, from 1. Also where two columns have accepted names, or a whole number is
            beyond what 64-bit floating point holds.
        MissingExtra: pyarrow is not installed.
    """
    found: dict[bytes, tuple[list[bytes], list[float]]] = {}
    for row, (query, document, score) in _rows(stream, source, SCORE):
        if type(score) not in (float, int) or not math.isfinite(score):
            raise source.refused(_at(row, "the score is not a finite number"))
        if float(score) != score:
            raise source.refused(_at(row, _TOO_LONG))
        documents, scores = found.setdefault(query, ([], []))
        documents.append(document)
        scores.append(float(score))
    return found


def read_parquet_qrels(stream: Opened, source: Source) -> Grades:
    """All judgements.

    Raises:
        InvalidFile: as `read_parquet_run`, for grades that are not whole numbers, and for a query
            and document that are judged twice.
        MissingExtra: pyarrow is not installed.
    """
    found: dict[bytes, dict[bytes, int]] = {}
    for row, (query, document, grade) in _rows(stream, source, GRADE):
        if type(grade) is not int or abs(grade) >= _GRADES:
            raise source.refused(
                _at(row, "the grade must be a whole number of at most nine digits")
            )
        grades = found.setdefault(query, {})
        if document in grades:
            raise source.refused(
                _at(row, f"judges document {_shown(document)} of a query a second time")
            )
        grades[document] = grade
    return found


def refuse_repeated(source: Source) -> None:
    """Raise which row gives a document that its query has already; return where none does.

    Raises:
        InvalidFile: names both rows.
    """
    first: dict[tuple[bytes, bytes], int] = {}
    with source.opened() as stream:
        for row, (query, document, _) in _rows(stream, source, SCORE):
            before = first.setdefault((query, document), row)
            if before != row:
                raise source.refused(_at(row, _twice(document, before)))


def _rows(
    stream: Opened, source: Source, value: tuple[str, ...]
) -> Iterator[tuple[int, tuple[bytes, bytes, Any]]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra("Parquet", "frames") from None

    # The digest wants every byte in order, Parquet wants to jump.
    with tempfile.SpooledTemporaryFile(max_size=64 * _STEP) as held:
        while content := stream.read(_STEP):
            held.write(content)
        held.seek(0)
        row = 0
        try:
            file = parquet.ParquetFile(held)
            names = [_name(file, source, one) for one in (QUERY, DOCUMENT, value)]
            for batch in file.iter_batches(columns=names):
                for query, document, found in zip(
                    *(batch.column(name).to_pylist() for name in names), strict=True
                ):
                    row += 1
                    yield row, (_id(query, source, row), _id(document, source, row), found)
        except ArrowException:
            raise source.refused("is damaged Parquet data") from None


def _at(row: int, rule: str) -> str:
    return f"row {row}: {rule}"


def _twice(document: bytes, before: int) -> str:
    return f"gives document {_shown(document)} for a query that has it in row {before} already"


def _shown(document: bytes) -> str:
    return ascii(to_text(document[:_SHOWN]))


def _lacks(accepted: tuple[str, ...]) -> str:
    return f"has no column {accepted[0]} (accepted: {', '.join(accepted)})"


def _several(names: list[str], accepted: tuple[str, ...]) -> str:
    return f"has the columns {' and '.join(names)}, of which only one can be {accepted[0]}"


def _name(file: Any, source: Source, accepted: tuple[str, ...]) -> str:
    # Also one name twice: which of the two would be read nobody could see.
    found = [str(name) for name in file.schema_arrow.names if name in accepted]
    if len(found) > 1:
        raise source.refused(_several(found, accepted))
    if not found:
        raise source.refused(_lacks(accepted))
    return found[0]


def _id(value: object, source: Source, row: int) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    # An id that is a number was text once; 7 and 007 may have been two ids.
    if not isinstance(content, bytes) or not content or b"\0" in content:
        raise source.refused(_at(row, "an id is not text of at least one character"))
    return content
