"""How large may a difference of two comparable results really be?

Hits get Newcombe's interval for a difference of paired rates, graded values one for a mean
difference. Where no interval would be honest there is a value that says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.bootstrap import studentised_bounds
from evenhand.core.scoring.significance import (
    FEWEST_QUESTIONS,
    RESAMPLES,
    SEED,
    Refusal,
    RefusalReason,
    is_constant,
    without_dust,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
#: Fewest differences that are not zero for an interval of a mean difference.
FEWEST_DIFFERENCES: Final = 20


class IntervalMethod(StrEnum):
    """How an interval came about."""

    NEWCOMBE = "newcombe_paired"
    STUDENTISED_BOOTSTRAP = "studentised_bootstrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where the true difference is believed to lie.

    Attributes:
        low, high: differences, low at most high.
        confidence: share of such intervals that hold the true difference, in (0, 1).
        method: how it came about.
        resamples, seed: of the bootstrap; None where nothing was drawn.
    """

    low: float
    high: float
    confidence: float
    method: IntervalMethod
    resamples: int | None = None
    seed: int | None = None

    @property
    def holds_zero(self) -> bool:
        """Whether a true difference of zero is within it."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts:
    """How many questions each of two results hits, by which of them does; each at least 0."""

    both: int
    candidate_only: int
    current_only: int
    neither: int

    @property
    def questions(self) -> int:
        """All of them."""
        return self.both + self.candidate_only + self.current_only + self.neither


def newcombe_interval(
    counts: PairedCounts, *, confidence: float = CONFIDENCE
) -> Interval | Refusal:
    """Interval of the difference of two paired rates, candidate minus current.

    Each rate's Wilson limits, joined with the correlation of the two legs, which is corrected
    for continuity. Where questions disagree in one direction only, or not at all, it is made no
    narrower than Bonett and Price's, as it covers too little there (ADR-0007). It stays within
    [-1, 1] and has a width even where no question disagrees.

    Args:
        counts: of the questions.
        confidence: in (0, 1).

    Returns:
        Refused for fewer than two questions.

    Raises:
        InvalidSetting: a negative count, or a confidence outside its range.

    Source: Newcombe 1998, Statistics in Medicine 17:2635, method 10; Bonett and Price 2012,
        Journal of Educational and Behavioral Statistics 37:479.
    """
    if not 0 < confidence < 1:
        raise InvalidSetting("confidence", "must be between 0 and 1")
    if min(counts.both, counts.candidate_only, counts.current_only, counts.neither) < 0:
        raise InvalidSetting("counts", "must not be negative")
    questions = counts.questions
    if questions < FEWEST_QUESTIONS:
        return Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    candidate = _Wilson(counts.both + counts.candidate_only, questions, z)
    current = _Wilson(counts.both + counts.current_only, questions, z)
    phi = _corrected_phi(counts)
    delta = (counts.candidate_only - counts.current_only) / questions
    low = delta - _joined(candidate.below, current.above, phi)
    high = delta + _joined(candidate.above, current.below, phi)
    if not (counts.candidate_only and counts.current_only):
        wald_low, wald_high = _adjusted_wald(counts, z)
        low, high = min(low, wald_low), max(high, wald_high)
    return Interval(
        low=max(-1.0, low),
        high=min(1.0, high),
        confidence=confidence,
        method=IntervalMethod.NEWCOMBE,
    )


def mean_interval(
    differences: Sequence[float] | NDArray[np.float64],
    *,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Interval | Refusal:
    """Interval of the mean difference of graded values.

    Args:
        differences: candidate minus current, one per question, finite, in any order.
        confidence: in (0, 1).
        seed: of the bootstrap; the same seed gives the same interval.
        resamples: drawn samples, at least 1.

    Returns:
        Refused for fewer than two questions, where all differences are equal, for fewer than
        `FEWEST_DIFFERENCES` that are not zero, and where nearly all are equal.

    Raises:
        InvalidSetting: an argument outside its range.

    Source: `core.scoring.bootstrap.studentised_bounds`.
    """
    import numpy as np

    if not 0 < confidence < 1:
        raise InvalidSetting("confidence", "must be between 0 and 1")
    if resamples < 1:
        raise InvalidSetting("resamples", "must be at least 1")
    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidSetting("differences", "must be finite")
    if values.size < FEWEST_QUESTIONS:
        return Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    # Sorted and turned, so that neither the order of the questions nor which leg is called the
    # candidate decides which of them is drawn.
    values = without_dust(values)
    sign = -1.0 if values.sum() < 0 else 1.0
    values = np.sort(sign * values)
    if is_constant(values):
        return Refusal(reason=RefusalReason.ZERO_VARIANCE)
    if np.count_nonzero(values) < FEWEST_DIFFERENCES:
        return Refusal(reason=RefusalReason.TOO_FEW_DIFFERENCES)
    bounds = studentised_bounds(
        values[None, :], confidence=confidence, seed=seed, resamples=resamples
    )
    low, high = sorted((sign * bounds[0]).tolist())
    if not (math.isfinite(low) and math.isfinite(high)):
        return Refusal(reason=RefusalReason.NEARLY_CONSTANT)
    return Interval(
        low=low,
        high=high,
        confidence=confidence,
        method=IntervalMethod.STUDENTISED_BOOTSTRAP,
        resamples=resamples,
        seed=seed,
    )


class _Wilson:
    """How far Wilson's limits of a rate lie below and above it."""

    def __init__(self, hits: int, questions: int, z: float) -> None:
        rate = hits / questions
        centre = rate + z * z / (2 * questions)
        reach = z * math.sqrt(rate * (1 - rate) / questions + (z / (2 * questions)) ** 2)
        self.below = rate - (centre - reach) / (1 + z * z / questions)
        self.above = (centre + reach) / (1 + z * z / questions) - rate


def _joined(one: float, other: float, phi: float) -> float:
    # Rounding can leave less than nothing where both reach equally far and phi is almost 1.
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _adjusted_wald(counts: PairedCounts, z: float) -> tuple[float, float]:
    """Bonett and Price: as if one more question had gone either way."""
    questions = counts.questions + 2
    gained = (counts.candidate_only + 1) / questions
    lost = (counts.current_only + 1) / questions
    reach = z * math.sqrt((gained + lost - (gained - lost) ** 2) / questions)
    return gained - lost - reach, gained - lost + reach


def _corrected_phi(counts: PairedCounts) -> float:
    """Correlation of the two legs, drawn towards zero where it is positive."""
    a, b, c, d = counts.both, counts.candidate_only, counts.current_only, counts.neither
    scale = (a + b) * (c + d) * (a + c) * (b + d)
    if not scale:
        return 0.0
    cross = a * d - b * c
    if cross > 0:
        return max(cross - counts.questions / 2, 0.0) / math.sqrt(scale)
    return cross / math.sqrt(scale)
