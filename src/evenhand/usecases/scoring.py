"""Score runs against judgements, by protocol ``trec-eval-v1``; nothing is stored.

Where files come from is the reader's business (`adapters.scoring`); here judged hits become values
and means. A small run is scored in plain Python, for importing numpy takes longer than that.
"""

from __future__ import annotations

from evenhand.core.errors import NothingScored
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
    """

    name: str
    queries: tuple[bytes, ...]
    measures: tuple[MeasureValues, ...]
    facts: RunFacts | None


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
    scored = score_hits(name, projection, measures, facts=facts)
    if not with_bounds or not len(facts.ranked.ties):
        return scored
    best, worst = (
        _values_of_other(
            one if facts.depth is None else cut_ranks(one, facts.depth),
            measures,
            projection,
            scored,
        )
        for one in tie_bounds(facts.ranked.hits, facts.ranked.ties)
    )
    return ScoredRun(
        name=name,
        queries=scored.queries,
        measures=tuple(
            _bounded(measure, one, high, low)
            for measure, one, high, low in zip(measures, scored.measures, best, worst, strict=True)
        ),
        facts=facts,
    )


def score_hits(
    name: str,
    projection: Projection,
    measures: Sequence[Measure],
    *,
    facts: RunFacts | None = None,
) -> ScoredRun:
    """Score judged hits, however they came to be; raises as `score_run`."""
    queries = (
        projection.queries if isinstance(projection, JudgedHits) else tuple(sorted(projection))
    )
    if not queries:
        raise NothingScored(
            "there is no judged query, so there is nothing to score", is_judged=False
        )
    return ScoredRun(
        name=name,
        queries=queries,
        measures=tuple(
            MeasureValues(name=str(measure), values=values, summary=_summary(measure, values))
            for measure, values in zip(measures, _values(projection, measures), strict=True)
        ),
        facts=facts,
    )


def _values(projection: Projection, measures: Sequence[Measure]) -> list[list[float]]:
    """The values of each measure, queries in byte order."""
    if isinstance(projection, JudgedHits):
        from evenhand.core.scoring.value_columns import all_values

        columns = all_values(measures, projection)
        return [columns[measure].tolist() for measure in measures]
    hits = [one for _, one in per_query(projection)]
    return [measure.values(hits) for measure in measures]


def _values_of_other(
    other: Projection, measures: Sequence[Measure], projection: Projection, scored: ScoredRun
) -> list[list[float]]:
    """The values of another order; of one query after the other only where its hits differ."""
    if isinstance(other, JudgedHits) or isinstance(projection, JudgedHits):
        return _values(other, measures)
    queries = scored.queries
    differ = [n for n, query in enumerate(queries) if other[query] is not projection[query]]
    hits = [other[queries[n]] for n in differ]
    result = []
    for measure, known in zip(measures, scored.measures, strict=True):
        values = list(known.values)
        for n, value in zip(differ, measure.values(hits), strict=True):
            values[n] = value
        result.append(values)
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
