"""How do the stored results of one set and retriever become the values of a drawn series?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from evenhand.console.charts.history import HistoryChart, HistoryValue, build_history_chart
from evenhand.console.present.verdicts import verdict_of
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.verdict import VerdictState
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_id

#: Hits and total of each rate of the hits protocol that a series can be drawn of.
RATES: Final[Mapping[str, Callable[[HitCounts], tuple[int, int]]]] = {
    "Success@1": lambda counts: (counts.answerable_top1_hits, counts.answerable),
    "Success@3": lambda counts: (counts.answerable_top3_hits, counts.answerable),
    "abstention": lambda counts: (counts.abstained, counts.no_answer),
    "false abstention": lambda counts: (counts.false_abstained, counts.answerable),
}


def usual_measure(records: Sequence[EvaluationRecord]) -> str:
    """What is drawn where nobody says otherwise: abstention where nothing has an answer."""
    has_answers = any(one.counts.answerable for one in records)
    return "Success@1" if has_answers else "abstention"


def series_chart(
    records: Sequence[EvaluationRecord],
    *,
    measure: str,
    href: Callable[[EvaluationRecord], str] = lambda _: "",
) -> HistoryChart | None:
    """The drawing of a series; None where there are not two results.

    Args:
        records: of one set, retriever and grader, newest first.
        measure: one of `RATES`.
        href: address of the page of a result; empty for none.
    """
    drawn = tuple(reversed(records))
    values = [
        HistoryValue(
            when=numbers.instant_text(record.created_at),
            name=numbers.short_id(shown_id(record.id)),
            href=href(record),
            value=hits / total if total else None,
            text=numbers.rate_text(hits, total) if total else wording.NO_SUCH_RATE,
            moved="" if before is None else moved_text(before, record),
        )
        for before, record in zip((None, *drawn), drawn, strict=False)
        for hits, total in [RATES[measure](record.counts)]
    ]
    return build_history_chart(values, measure)


def moved_text(before: EvaluationRecord, record: EvaluationRecord) -> str:
    """Why two neighbours are not compared, such as ``corpus changed``; empty where they may be."""
    verdict = verdict_of(record, before)
    if verdict.is_comparable:
        return ""
    if verdict.state is VerdictState.UNKNOWN:
        return "benchmark unknown"
    moved = [wording.dimension_word(reason.dimension) for reason in verdict.reasons]
    return f"{' and '.join(moved)} changed"
