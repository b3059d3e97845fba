"""Was the candidate faster? Told only where both sides were measured under equal conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median_low

from evenhand.core.comparison.side import Side
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.scoring.outcome import Outcome


class NoLatency(StrEnum):
    """Why no latency difference is told.

    ``other_conditions``: machine, calls at a time, questions per call or warm-up differ.
    ``not_measured``: no question has a latency on both sides. ``not_local``: the rankings of a
    side were not retrieved by this program, so no retrieval was timed.
    """

    OTHER_CONDITIONS = "other_conditions"
    NOT_MEASURED = "not_measured"
    NOT_LOCAL = "not_local"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyDifference:
    """Latency of the retrieval call over questions that failed on neither side, in milliseconds.

    Attributes:
        questions: that were measured on both sides, at least 1.
        current_ms, candidate_ms: lower medians.
        delta_ms: lower median of candidate less current, question by question.
    """

    questions: int
    current_ms: int
    candidate_ms: int
    delta_ms: int


def latency_difference(
    current: Side, candidate: Side, pairs: Sequence[tuple[Outcome, Outcome]]
) -> LatencyDifference | NoLatency:
    """The difference of latencies, or why there is none.

    Args:
        current: the current side.
        candidate: the candidate, comparable with it.
        pairs: judged questions, the current side's outcome and the candidate's.
    """
    if Basis.LOCAL not in (current.basis, candidate.basis) or current.basis != candidate.basis:
        return NoLatency.NOT_LOCAL
    if current.conditions != candidate.conditions:
        return NoLatency.OTHER_CONDITIONS
    measured = [
        (before.latency_ms, after.latency_ms)
        for before, after in pairs
        if before.latency_ms is not None and after.latency_ms is not None
    ]
    if not measured:
        return NoLatency.NOT_MEASURED
    return LatencyDifference(
        questions=len(measured),
        current_ms=median_low(before for before, _ in measured),
        candidate_ms=median_low(after for _, after in measured),
        delta_ms=median_low(after - before for before, after in measured),
    )
