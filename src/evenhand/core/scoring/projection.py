"""What must be kept of a ranking so that every measure can be computed from it, now or later?

The judged-hits projection: rank and grade of each judged document that was retrieved, how many
documents were retrieved, and the grades of all judgements of the query. It is the sufficient
statistic of the whole family of measures here, at any cutoff and any relevance level, and holds
no id of a document and no text. It has two shapes: one query in plain Python, and all judged
queries as columns. Which files it was read from is the business of those who make it; which
values follow from it is that of ``measures``.
"""

from __future__ import annotations

from itertools import accumulate

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.scoring.records import Record

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from evenhand.core.scoring.outcome import Outcome

_MIN_GRADE, _MAX_GRADE = -(2**31), 2**31 - 1


class QueryHits(Record):
    """One judged query, in plain Python.

    Attributes:
        hits: rank from 1 and grade of each judged document that was retrieved, ranks rising.
        retrieved: distinct documents retrieved; 0 when the query is not in the run.
        judged: grades of all judgements of the query, descending; any integers, those at or
            below 0 are judged as not relevant.
    """

    hits: tuple[tuple[int, int], ...]
    retrieved: int
    judged: tuple[int, ...]


class JudgedHits(Record):
    """All judged queries, as columns; Q queries, H hits, J judgements.

    Attributes:
        queries: ids of the judged queries, distinct, in byte order.
        retrieved: distinct documents retrieved for each, Q; 0 for a query not in the run.
        hit_start: Q + 1 offsets; the hits of query i are the rows from ``hit_start[i]`` to
            before ``hit_start[i + 1]``, ranks rising.
        hit_rank: rank from 1 of each judged document that was retrieved, H.
        hit_grade: its grade, H.
        judged_start: Q + 1 offsets into the judgements.
        judged_grade: grades of all judgements, J, descending inside a query.
    """

    queries: tuple[bytes, ...]
    retrieved: NDArray[np.int64]
    hit_start: NDArray[np.int64]
    hit_rank: NDArray[np.int32]
    hit_grade: NDArray[np.int32]
    judged_start: NDArray[np.int64]
    judged_grade: NDArray[np.int32]


def per_query(
    projection: JudgedHits | Mapping[bytes, QueryHits],
) -> Iterator[tuple[bytes, QueryHits]]:
    """Each judged query with its hits, in byte order of the ids, whichever shape they have."""
    if not isinstance(projection, JudgedHits):
        yield from sorted(projection.items())
        return
    ranks, grades = projection.hit_rank.tolist(), projection.hit_grade.tolist()
    judged, retrieved = projection.judged_grade.tolist(), projection.retrieved.tolist()
    hit_start, judged_start = projection.hit_start.tolist(), projection.judged_start.tolist()
    for place, query in enumerate(projection.queries):
        hits = slice(hit_start[place], hit_start[place + 1])
        yield (
            query,
            QueryHits(
                hits=tuple(zip(ranks[hits], grades[hits], strict=True)),
                retrieved=retrieved[place],
                judged=tuple(judged[judged_start[place] : judged_start[place + 1]]),
            ),
        )


def columns_of(queries: Mapping[bytes, QueryHits]) -> JudgedHits:
    """The columns of queries that are held one by one.

    Args:
        queries: judged query id to its hits, in any order.

    Raises:
        InvalidQrels: a grade that 32 bits do not hold.
    """
    import numpy as np

    listed = sorted(queries.items())
    hits = [hit for _, query in listed for hit in query.hits]
    judged = [grade for _, query in listed for grade in query.judged]
    _require_grades(judged)
    return JudgedHits(
        queries=tuple(query for query, _ in listed),
        retrieved=np.array([query.retrieved for _, query in listed], dtype=np.int64),
        hit_start=_starts(len(query.hits) for _, query in listed),
        hit_rank=np.array([rank for rank, _ in hits], dtype=np.int32),
        hit_grade=np.array([grade for _, grade in hits], dtype=np.int32),
        judged_start=_starts(len(query.judged) for _, query in listed),
        judged_grade=np.array(judged, dtype=np.int32),
    )


def outcome_hits(outcome: Outcome, judged: Sequence[int]) -> QueryHits:
    """The hits of one of Evenhand's own outcomes, whose order is the retriever's.

    A failed question has no hits and counts like one for which nothing came back.

    Args:
        outcome: of a judged question.
        judged: grades of all judgements of that question, in any order.

    Raises:
        ValueError: the outcome is that of a question that nobody has judged.
    """
    if outcome.targets is None:
        raise ValueError("an unjudged question has no value")
    return QueryHits(
        hits=tuple((hit.rank, hit.grade) for hit in outcome.judged_hits),
        retrieved=outcome.retrieved or 0,
        judged=tuple(sorted(judged, reverse=True)),
    )


def _starts(lengths: Iterable[int]) -> NDArray[np.int64]:
    import numpy as np

    return np.fromiter(accumulate(lengths, initial=0), dtype=np.int64)


def _require_grades(grades: Sequence[int]) -> None:
    if grades and not _MIN_GRADE <= min(grades) <= max(grades) <= _MAX_GRADE:
        raise InvalidQrels("hold a grade that 32 bits do not hold")
