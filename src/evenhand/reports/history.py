"""How did the results of one set and retriever move over time, and where does that line break?

Two neighbours are joined only where both state the same benchmark: across a change of corpus,
labels or scoring a line would draw a difference that nobody may speak of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.protocols import HitCounts
from evenhand.reports import numbers
from evenhand.reports.charts import percent
from evenhand.reports.safe_text import shown_id

_INSET: Final = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """One result.

    Attributes:
        x, y: where it lies, from the left and from the top; ``y`` is empty without a value.
        when: when it was stored.
        stored_as: its id.
        value: the rate, or that there are no such questions.
        is_joined: whether a line leads here from the one before.
        breaks: why none does, empty where one does and for the first.
    """

    x: str
    y: str
    when: str
    stored_as: str
    value: str
    is_joined: bool
    breaks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryView:
    """The results of one set and retriever, oldest first.

    Attributes:
        title: whose results.
        measure: what is drawn.
        points: at least two.
        summary: the line in words.
    """

    title: str
    measure: str
    points: tuple[HistoryPoint, ...]
    summary: str


def build_history(records: Sequence[EvaluationRecord]) -> HistoryView | None:
    """The line of a series; None where there are not two results to draw.

    Args:
        records: of one set, retriever and grader, newest first.
    """
    drawn = tuple(reversed(records))
    if len(drawn) < 2:
        return None
    measure = "Success@1" if any(one.counts.answerable for one in drawn) else "abstention"
    points = tuple(_point(place, drawn, measure) for place in range(len(drawn)))
    parts = 1 + sum(1 for point in points if point.breaks)
    return HistoryView(
        title=f"{shown_id(drawn[-1].retriever)} on {shown_id(drawn[-1].set_identifier)}",
        measure=measure,
        points=points,
        summary=f"{measure} of {numbers.count(len(points), 'result')} in {numbers.count(parts, 'part')}, "
        "between which nothing is compared",
    )


def _point(place: int, drawn: Sequence[EvaluationRecord], measure: str) -> HistoryPoint:
    record = drawn[place]
    hits, total = _rate(record.counts, measure)
    before = drawn[place - 1] if place else None
    breaks = "" if before is None else _break(before, record)
    had_value = before is not None and _rate(before.counts, measure)[1] > 0
    return HistoryPoint(
        x=percent(_INSET + (1 - 2 * _INSET) * place / (len(drawn) - 1)),
        y=percent(1 - hits / total) if total else "",
        when=numbers.instant_text(record.created_at),
        stored_as=shown_id(record.id),
        value=numbers.rate_text(hits, total) if total else "no such questions",
        is_joined=had_value and total > 0 and not breaks,
        breaks=breaks,
    )


def _rate(counts: HitCounts, measure: str) -> tuple[int, int]:
    if measure == "abstention":
        return counts.abstained, counts.no_answer
    return counts.answerable_top1_hits, counts.answerable


def _break(before: EvaluationRecord, record: EvaluationRecord) -> str:
    """Why two neighbours are not joined; empty where they are. An unknown equals nothing."""
    one, other = _benchmark(before), _benchmark(record)
    if one is None or other is None:
        return "benchmark unknown"
    return "" if one == other else "benchmark changed"


def _benchmark(record: EvaluationRecord) -> str | None:
    return None if record.identity is None else record.identity.fingerprints.benchmark
