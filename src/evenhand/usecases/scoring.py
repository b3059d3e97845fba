"""Score runs against judgements, by protocol ``trec-eval-v1``; nothing is stored.

Where files come from is the reader's business (`adapters.scoring`); here judged hits become values
and means. A small run is scored in plain Python, for importing numpy takes longer than that.
"""

from __future__ import annotations

from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.scoring.projection import JudgedHits, per_query
from evenhand.core.scoring.query_values import Family
from evenhand.core.scoring.records import Record
from evenhand.core.scoring.run_facts import cut_ranks, tie_bounds

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from evenhand.core.scoring.measures import Measure
    from evenhand.core.scoring.projection import QueryHits
    from evenhand.core.scoring.run_facts import Projection, RunFacts

    #: Reads one run and the judgements; `adapters.scoring.inputs.score_inputs`, its arguments given.
    Read: TypeAlias = Callable[[], tuple[Projection, RunFacts]]


class MeasureValues(Record):
    """One measure over all judged queries of a run.

    Attributes:
        name: canonical name of the measure.
        values: of each query, in byte order of the ids.
        summary: the mean over all judged queries; of counts the total.
        lowest, highest: the summary if every tie that touches a judged document were broken
            against it, and for it; None where no tie could change it, or nobody asked.
    """

    name: str
    values: Sequence[float]
    summary: float
    lowest: float | None = None
    highest: float | None = None


class ScoredRun(Record):
    """A run with its values.

    Attributes:
        name: what the run is called.
        queries: ids of all judged queries, in byte order.
        measures: in the order asked for.
        facts: what is to be said of the inputs; None where judged hits were read from a file
            that says nothing of them.
        precision: bits in which the scores of the run were held, 64 or 32.
    """

    name: str
    queries: tuple[bytes, ...]
    measures: tuple[MeasureValues, ...]
    facts: RunFacts | None
    precision: int = 64


def score_run(
    name: str, read: Read, measures: Sequence[Measure], *, with_bounds: bool = False
) -> ScoredRun:
    """Read a run and score it.

    Args:
        name: what the run is called.
        read: gives its judged hits and what is to be said of it.
        measures: at least one.
        with_bounds: also compute what ties allow.

    Raises:
        NothingScored: there is no judged query.
        InvalidFile: what the reader refuses, with its line.
        InvalidQrels: a grade beyond the scale of a measure.
    """
    projection, facts = read()
    orders = [projection]
    if with_bounds and len(facts.ranked.ties):
        orders += [
            one if facts.depth is None else cut_ranks(one, facts.depth)
            for one in tie_bounds(facts.ranked.hits, facts.ranked.ties)
        ]
    queries = _judged_queries(projection)
    values, *bounds = _values_of_orders(orders, measures)
    scored = _scored(name, queries, measures, values, facts, precision=facts.precision)
    if not bounds:
        return scored
    best, worst = bounds
    return ScoredRun(
        name=name,
        queries=scored.queries,
        measures=tuple(
            _bounded(measure, one, high, low)
            for measure, one, high, low in zip(measures, scored.measures, best, worst, strict=True)
        ),
        facts=facts,
        precision=facts.precision,
    )


def score_hits(
    name: str, projection: Projection, measures: Sequence[Measure], *, precision: int = 64
) -> ScoredRun:
    """Score judged hits, however they came to be; raises as `score_run`."""
    queries = _judged_queries(projection)
    (values,) = _values_of_orders([projection], measures)
    return _scored(name, queries, measures, values, None, precision=precision)


def _judged_queries(projection: Projection) -> tuple[bytes, ...]:
    queries = (
        projection.queries if isinstance(projection, JudgedHits) else tuple(sorted(projection))
    )
    if not queries:
        raise NothingScored(
            "there is no judged query, so there is nothing to score", is_judged=False
        )
    return queries


def _scored(
    name: str,
    queries: tuple[bytes, ...],
    measures: Sequence[Measure],
    values: list[list[float]],
    facts: RunFacts | None,
    *,
    precision: int,
) -> ScoredRun:
    return ScoredRun(
        name=name,
        queries=queries,
        measures=tuple(
            MeasureValues(name=str(measure), values=found, summary=_summary(measure, found))
            for measure, found in zip(measures, values, strict=True)
        ),
        facts=facts,
        precision=precision,
    )


def _values_of_orders(
    orders: Sequence[Projection], measures: Sequence[Measure]
) -> list[list[list[float]]]:
    """For each order of the same rows the values of each measure, queries in byte order."""
    columns = [one for one in orders if isinstance(one, JudgedHits)]
    if columns:
        from evenhand.core.scoring.value_columns import values_of_orders

        found = values_of_orders(measures, columns)
        return [[values[measure].tolist() for measure in measures] for values in found]
    first, *others = [[hits for _, hits in per_query(one)] for one in orders]
    values = [measure.values(first) for measure in measures]
    return [values, *(_values_of_other(first, other, measures, values) for other in others)]


def _values_of_other(
    first: list[QueryHits],
    other: list[QueryHits],
    measures: Sequence[Measure],
    values: list[list[float]],
) -> list[list[float]]:
    """The values of another order than the first; computed only where its hits differ."""
    differ = [n for n, hits in enumerate(other) if hits is not first[n]]
    hits = [other[n] for n in differ]
    result = []
    for measure, known in zip(measures, values, strict=True):
        of_other = list(known)
        for n, value in zip(differ, measure.values(hits), strict=True):
            of_other[n] = value
        result.append(of_other)
    return result


def _summary(measure: Measure, values: Sequence[float]) -> float:
    found = measure.summary(values)
    return 0.0 if found is None else found


def _bounded(
    measure: Measure, scored: MeasureValues, best: list[float], worst: list[float]
) -> MeasureValues:
    ends = sorted((_summary(measure, worst), _summary(measure, best)))
    # How many of the first documents are judged follows another order than relevance.
    if measure.family is Family.JUDGED or ends[0] == ends[1]:
        return scored
    return MeasureValues(
        name=scored.name,
        values=scored.values,
        summary=scored.summary,
        lowest=ends[0],
        highest=ends[1],
    )
