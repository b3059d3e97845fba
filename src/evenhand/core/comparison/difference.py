"""How far apart are two comparable results? Exact arithmetic on counts, never on rounded rates.

This is the plain difference of rates with what failed questions could still change about it.
Intervals and tests belong to `core.scoring.significance`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from evenhand.core.errors.retrieval import InvalidThreshold
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import HitCounts, rate

# Bounded: Python refuses to read numbers of thousands of digits, in words of its own.
_DECIMAL = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?|\.[0-9]{1,40}", re.ASCII)

#: Allowed drop of a pooled rate where nobody says otherwise (BP-14).
DEFAULT_MAX_DROP = Fraction(1, 10)


def parse_share(name: str, text: str) -> Fraction:
    """An exact share in [0, 1] from its decimal text.

    Args:
        name: what the share is called, for the message.
        text: plain decimal text such as ``0.1``.

    Raises:
        InvalidThreshold: not a plain decimal number, or outside [0, 1].
    """
    if not _DECIMAL.fullmatch(text):
        raise InvalidThreshold(name, "expected a decimal number such as 0.1")
    share = Fraction(text)
    if share > 1:
        raise InvalidThreshold(name, "must lie between 0 and 1")
    return share


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRegression:
    """Whether the pooled rates of a result fell by more than was tolerated.

    Attributes:
        top1_regressed, top3_regressed: the drop is strictly greater than its threshold.
    """

    top1_regressed: bool
    top3_regressed: bool

    @property
    def is_regression(self) -> bool:
        """Whether either rate fell too far."""
        return self.top1_regressed or self.top3_regressed


def pooled_regression(
    previous: HitCounts, current: HitCounts, *, max_top1_drop: Fraction, max_top3_drop: Fraction
) -> PooledRegression:
    """Decide with rationals; a drop equal to its threshold is tolerated (BP-14, G-10).

    Args:
        previous: counts of the baseline.
        current: counts of the result under test.
        max_top1_drop: tolerated absolute drop of the pooled top-1 rate, in [0, 1].
        max_top3_drop: the same for the pooled top-3 rate.
    """
    top1 = rate(previous.top1_hits, previous.questions) - rate(
        current.top1_hits, current.questions
    )
    top3 = rate(previous.top3_hits, previous.questions) - rate(
        current.top3_hits, current.questions
    )
    return PooledRegression(
        top1_regressed=top1 > max_top1_drop, top3_regressed=top3 > max_top3_drop
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One side of a plain difference: its counts, and where its failed questions are.

    Attributes:
        counts: of the result.
        failed_answerable, failed_no_answer: failed questions of each kind.
    """

    counts: HitCounts
    failed_answerable: int
    failed_no_answer: int


def build_leg(counts: HitCounts, outcomes: tuple[Outcome, ...] | None) -> Leg:
    """A side from its counts and, where they are kept, its outcomes.

    Without outcomes nobody knows which kind the failed questions were; then as many as possible
    are taken to be of each kind, so that the bounds stay honest.
    """
    if outcomes is None:
        return Leg(
            counts=counts,
            failed_answerable=min(counts.failed, counts.answerable),
            failed_no_answer=min(counts.failed, counts.no_answer),
        )
    failed = [outcome for outcome in outcomes if outcome.state is OutcomeState.FAILED]
    return Leg(
        counts=counts,
        failed_answerable=sum(outcome.is_answerable for outcome in failed),
        failed_no_answer=sum(outcome.is_no_answer for outcome in failed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RateDifference:
    """Difference of one rate between two comparable results: current minus previous.

    Attributes:
        measure: name of the rate.
        previous_hits, current_hits: whole numbers; a failed question is not among them.
        total: questions of this kind, failed ones included; equal on both sides, as labels are.
        low, high: the difference with every failed question decided against, or for, the
            current side.
    """

    measure: str
    previous_hits: int
    current_hits: int
    total: int
    low: Fraction
    high: Fraction

    @property
    def delta(self) -> Fraction:
        """Current rate minus previous rate, exact, in [-1, 1]."""
        return Fraction(self.current_hits - self.previous_hits, self.total)

    @property
    def is_incomplete(self) -> bool:
        """Whether the sign of the difference depends on how failed questions would have gone."""
        return _sign(self.low) != _sign(self.high)


def rate_differences(previous: Leg, current: Leg) -> tuple[RateDifference, ...]:
    """Success@1, Success@3, abstention and false abstention of two comparable results.

    Args:
        previous: the baseline's side.
        current: the side under test, over equal labels.

    Returns:
        The rates whose kind of question occurs, in that order.
    """
    then, now = previous.counts, current.counts
    answerable = (now.answerable, previous.failed_answerable, current.failed_answerable)
    no_answer = (now.no_answer, previous.failed_no_answer, current.failed_no_answer)
    rows = (
        ("Success@1", then.answerable_top1_hits, now.answerable_top1_hits, answerable),
        ("Success@3", then.answerable_top3_hits, now.answerable_top3_hits, answerable),
        ("abstention", then.abstained, now.abstained, no_answer),
        ("false abstention", then.false_abstained, now.false_abstained, answerable),
    )
    return tuple(
        RateDifference(
            measure=measure,
            previous_hits=before,
            current_hits=after,
            total=total,
            # Capped, for where nobody knows of which kind the failed questions were.
            low=Fraction(after - min(before + failed_before, total), total),
            high=Fraction(min(after + failed_after, total) - before, total),
        )
        for measure, before, after, (total, failed_before, failed_after) in rows
        if total
    )


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
