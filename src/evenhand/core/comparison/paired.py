"""Did the candidate do better on a measure, and may one believe it?

One value per measure of two comparable results: the difference, its test, its interval, what
failed questions could still change about it, and a conclusion that is never "no difference".
Whether the two may be compared at all is decided before, by the verdict. How the questions of
two results become pairs is `core.comparison.pairing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache

from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.power import DISCORDANCES, Detectable, detectable_difference
from evenhand.core.scoring.significance import Refusal, Significance, holm
from evenhand.core.scoring.student import DetectableMean, detectable_mean


class Conclusion(StrEnum):
    """What a difference says about the candidate.

    ``better``, ``worse``: the test is significant, the interval (where there is one) lies beyond
    zero, and the failed questions cannot undo it. ``inconclusive``: the data do not decide,
    which is no evidence that there is nothing. ``incomplete``: the failed questions could turn
    the sign of the difference, or take a significant answer back.
    """

    BETTER = "better"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A difference with the failed questions decided in one way.

    Attributes:
        wins, losses, ties: questions on which the candidate does better, worse, equally.
        delta: mean of the candidate less that of the current side, exact for hits.
        significance: of the difference, or why there is no test.
        interval: of the difference, or why there is none.
        adjusted_p: after Holm over the family that was declared; None where there is no test.
    """

    wins: int
    losses: int
    ties: int
    delta: Fraction
    significance: Significance | Refusal
    interval: Interval | Refusal
    adjusted_p: float | None

    @property
    def p(self) -> float | None:
        """The p value before adjustment; None where there is no test."""
        return None if isinstance(self.significance, Refusal) else self.significance.p

    def direction(self, alpha: float) -> int:
        """Sign of a significant difference, 0 where it is not.

        Args:
            alpha: significance level; a p value equal to it is significant.
        """
        if self.adjusted_p is None or self.adjusted_p > alpha:
            return 0
        if isinstance(self.interval, Interval) and self.interval.holds_zero:
            return 0
        return _sign(self.delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Candidate less current on one measure, over the same questions.

    Attributes:
        measure: its name.
        higher_is_better: whether a positive difference is good.
        questions: pairs, failed ones included.
        current_failed, candidate_failed: questions that failed on a side.
        current, candidate: the means, a failed question as a miss.
        point: a failed question is a miss on either side.
        lowest: failed questions decided so that the difference is as low as it can be.
        highest: the same, as high as it can be.
        alpha: significance level of the conclusion.
        spread: standard deviation of the differences of graded values; None for hits.
        family: number of tests over which p was adjusted, 1 where it stands alone.
    """

    measure: str
    higher_is_better: bool
    questions: int
    current_failed: int
    candidate_failed: int
    current: Fraction
    candidate: Fraction
    point: Reading
    lowest: Reading
    highest: Reading
    alpha: float
    spread: float | None = None
    family: int = 1

    @property
    def delta(self) -> Fraction:
        """The difference, a failed question as a miss."""
        return self.point.delta

    @property
    def low(self) -> Fraction:
        """The difference with every failed question decided against a positive one."""
        return self.lowest.delta

    @property
    def high(self) -> Fraction:
        """The difference with every failed question decided for a positive one."""
        return self.highest.delta

    @property
    def p(self) -> float | None:
        """The p value before adjustment; None where there is no test."""
        return self.point.p

    @property
    def adjusted_p(self) -> float | None:
        """The p value that decides; None where there is no test."""
        return self.point.adjusted_p

    @property
    def interval(self) -> Interval | Refusal:
        """Of the difference, a failed question as a miss."""
        return self.point.interval

    @property
    def cautious(self) -> Reading:
        """The reading with the failed questions decided against the candidate.

        A gate that asks how bad it could be looks here.
        """
        return self.lowest if self.higher_is_better else self.highest

    @property
    def is_identical(self) -> bool:
        """Whether no question differs between the two sides; failed ones count as a miss."""
        return not self.point.wins + self.point.losses

    @property
    def sign_depends_on_failures(self) -> bool:
        """Whether the failed questions could turn the sign of the difference."""
        return _sign(self.low) != _sign(self.high)

    @property
    def detectable(self) -> tuple[Detectable, ...] | tuple[DetectableMean, ...]:
        """What so many questions can show, beside an inconclusive difference; else empty.

        For hits at several shares of disagreement, for graded values at the spread seen.
        """
        if self.conclusion is not Conclusion.INCONCLUSIVE:
            return ()
        if self.spread is None:
            return _detectable_rates(self.questions, self.alpha)
        mean = detectable_mean(self.questions, self.spread, self.alpha)
        return () if mean is None else (mean,)

    @property
    def conclusion(self) -> Conclusion:
        """What the difference says; see `Conclusion`."""
        if self.sign_depends_on_failures:
            return Conclusion.INCOMPLETE
        direction = self.point.direction(self.alpha)
        if not direction:
            return Conclusion.INCONCLUSIVE
        hostile = self.lowest if direction > 0 else self.highest
        if hostile.direction(self.alpha) != direction:
            return Conclusion.INCOMPLETE
        is_better = (direction > 0) == self.higher_is_better
        return Conclusion.BETTER if is_better else Conclusion.WORSE


def as_family(differences: Sequence[PairedDifference]) -> tuple[PairedDifference, ...]:
    """The differences with p values adjusted by Holm's method, in the order given.

    A family is what is decided together: several candidates against one baseline, or the tests
    of one policy. A difference without a test is in no family and stays as it is.

    Args:
        differences: not adjusted yet.
    """
    tested = [one for one in differences if one.p is not None]
    point = _adjusted([one.point for one in tested])
    lowest = _adjusted([one.lowest for one in tested])
    highest = _adjusted([one.highest for one in tested])
    adjusted = (
        replace(one, family=len(tested), point=shown, lowest=low, highest=high)
        for one, shown, low, high in zip(tested, point, lowest, highest, strict=True)
    )
    return tuple(one if one.p is None else next(adjusted) for one in differences)


def _adjusted(readings: Sequence[Reading]) -> list[Reading]:
    # As many questions are tested in each reading, so there is a p in all of them or in none.
    p_values = holm([1.0 if one.p is None else one.p for one in readings])
    return [replace(one, adjusted_p=p) for one, p in zip(readings, p_values, strict=True)]


@cache
def _detectable_rates(questions: int, alpha: float) -> tuple[Detectable, ...]:
    return tuple(
        Detectable(
            questions=questions,
            discordance=discordance,
            difference=detectable_difference(questions, discordance, alpha),
        )
        for discordance in DISCORDANCES
    )


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
