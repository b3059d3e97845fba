"""What do judgements look like as columns, so that the rows of a run can be looked up in them?

All of them are held, in columns of 32 bits: memory grows with the judgements, never with a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from evenhand.core.scoring.blocks import as_array, new_queries, qrels_rows
from evenhand.core.scoring.byte_words import (
    Bytes,
    Doubles,
    Ints,
    Irregular,
    Small,
    Words,
    keys,
    mix,
    token,
    tokens,
)
from evenhand.core.scoring.cuts import padded, pieces

if TYPE_CHECKING:
    from evenhand.core.scoring.lines import Grades

_PIECE: Final = 2**21  # most bytes of judgements that become columns at a time
_CACHED: Final = 2**16  # keys that are salted at a time
_PLACES: Final = 2**31 - 2**10  # bytes of judgements that places of 32 bits reach


InOrder: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgements:
    """All judgements as columns, by query in byte order of their ids; Q queries, J judgements.

    Attributes:
        queries: distinct ids, in byte order, Q.
        number: place of an id in ``queries``.
        start: Q + 1 offsets into the other columns.
        key: of query and document, J.
        grade: J.
        text, document_at, document_size: the ids themselves, which decide where keys are equal.
        is_single: scores of runs are rounded to 32 bits before they are compared.
    """

    queries: tuple[bytes, ...]
    number: Mapping[bytes, int]
    start: Ints
    key: Words
    grade: Small
    text: Bytes
    document_at: Small
    document_size: Small
    is_single: bool = False

    def rows(self) -> Iterator[tuple[bytes, bytes, int]]:
        """Every judgement: query, document, grade."""
        start, grades = self.start.tolist(), self.grade.tolist()
        for query, low, high in zip(self.queries, start, start[1:], strict=False):
            for row in range(low, high):
                document = token(self.text, self.document_at, self.document_size, row)
                yield query, document, grades[row]


def read_judgements(
    room: bytearray, start: int, end: int, *, in_order: InOrder = map
) -> Judgements:
    """Judgements of the plain shape.

    Args:
        room: holds the text, and stays in use.
        start: where the text begins.
        end: where it ends.
        in_order: gives a function of each item, in the order of the items; `map`, or what does it
            on several threads.

    Raises:
        Irregular: another shape, or a query and document that seem to be judged twice.
    """
    if end > _PLACES:
        raise Irregular
    text = as_array(room)
    cuts = pieces(room, start, end, min(_PIECE, (end - start) // 2 + 1))
    parts = list(in_order(lambda cut: _part(text, *cut), cuts))
    if not parts:
        raise Irregular
    number: dict[bytes, int] = {}
    of_stretches = [number.setdefault(one, len(number)) for part in parts for one in part.queries]
    _, rows, *columns = map(list, zip(*parts, strict=True))
    del parts
    query = np.repeat(np.array(of_stretches, dtype=np.int32), np.concatenate(rows))
    # Each column is let go of in parts as soon as it is one.
    size, at, grade, key = (np.concatenate(columns.pop()) for _ in range(len(columns)))
    return _judgements(tuple(number), query, key, grade, (text, at, size))


class _Part(NamedTuple):
    """Some judgements, in 32 bits, as they stay: all of them are held, but never all rows of a run.

    Attributes:
        queries: of each stretch of rows of one query.
        rows: how many rows it has.
        key, grade, document_at, document_size: of each row.
    """

    queries: list[bytes]
    rows: Ints
    key: Words
    grade: Small
    document_at: Small
    document_size: Small


def _part(text: Bytes, start: int, end: int) -> _Part:
    rows = qrels_rows(text, start, end)
    begun = new_queries(rows)
    return _Part(
        queries=tokens(text, rows.query_at[begun], rows.query_size[begun]),
        rows=np.diff(np.append(begun, len(rows.scores))),
        key=keys(text, rows.document_at, rows.document_size),
        grade=rows.scores.astype(np.int32),
        document_at=rows.document_at.astype(np.int32),
        document_size=rows.document_size.astype(np.int32),
    )


def judgement_columns(grades: Grades) -> Judgements:
    """Judgements that were read otherwise.

    Raises:
        Irregular: keys of different documents are equal.
    """
    listed = [(query, doc, grade) for query, of in grades.items() for doc, grade in of.items()]
    number = {query: place for place, query in enumerate(grades)}
    room, start, _ = padded(b"".join(document for _, document, _ in listed))
    text = as_array(room)
    size = np.array([len(document) for _, document, _ in listed], dtype=np.int64)
    at = start + np.cumsum(size) - size
    return _judgements(
        tuple(number),
        np.array([number[query] for query, _, _ in listed], dtype=np.int32),
        keys(text, at, size),
        np.array([grade for _, _, grade in listed], dtype=np.int32),
        (text, at.astype(np.int32), size.astype(np.int32)),
    )


def in_32_bits(scores: Doubles) -> Doubles:
    """Scores rounded to 32 bits, as C does where it keeps a double in a float."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def salted(key: Words, number: Ints | Small) -> Words:
    """The keys of documents as keys of a query's documents."""
    return mix(key ^ mix(number.astype(np.uint64) + np.uint64(1)))


def _judgements(
    ids: tuple[bytes, ...],
    query: Small,
    key: Words,
    grade: Small,
    documents: tuple[Bytes, Small, Small],
) -> Judgements:
    """The columns in byte order of the queries; the keys are used up."""
    place = sorted(range(len(ids)), key=ids.__getitem__)
    moved = np.empty(len(ids), dtype=np.int32)
    moved[place] = np.arange(len(ids), dtype=np.int32)
    query = moved[query]
    text, at, size = documents
    for low in range(0, len(key), _CACHED):
        some = slice(low, low + _CACHED)
        key[some] = salted(key[some], query[some])
    if (query[1:] < query[:-1]).any():
        order = np.argsort(query, kind="stable")
        query, key, grade = query[order], key[order], grade[order]
        at, size = at[order], size[order]
    found = np.sort(key)
    if (found[1:] == found[:-1]).any():
        raise Irregular
    queries = tuple(ids[one] for one in place)
    return Judgements(
        queries=queries,
        number={one: number for number, one in enumerate(queries)},
        start=np.searchsorted(query, np.arange(len(ids) + 1)).astype(np.int64),
        key=key,
        grade=grade,
        text=text,
        document_at=at,
        document_size=size,
    )
