"""How far out is a value of Student's t, and what does the paired t test say?

Distribution and quantile serve the intervals of graded differences. The t test itself is
descriptive, for readers who know it from other tools; no verdict rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.power import ALPHA, POWER
from evenhand.core.scoring.significance import (
    FEWEST_QUESTIONS,
    Method,
    Refusal,
    RefusalReason,
    Significance,
    is_constant,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FRACTION_STEPS: Final = 10_000
_BISECTIONS: Final = 200
# Steps of the continued fraction end when one changes nothing more; a zero would divide by zero.
_PRECISION: Final = 1e-15
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectableMean:
    """Smallest true mean difference that a test over so many questions is likely to find.

    Attributes:
        questions: paired questions.
        spread: standard deviation of the differences seen.
        difference: found with the power asked for, above 0.
    """

    questions: int
    spread: float
    difference: float


def two_sided_p(t: float, degrees: int) -> float:
    """Probability of a value of Student's t at least as far from zero.

    Args:
        t: finite.
        degrees: of freedom, at least 1.

    Source: Abramowitz and Stegun 26.5.27: the regularised incomplete beta function.
    """
    if degrees < 1:
        raise InvalidSetting("degrees", "must be at least 1")
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


@cache
def t_quantile(confidence: float, degrees: int) -> float:
    """Value of Student's t within which the given share of the distribution lies, around zero.

    Args:
        confidence: in (0, 1).
        degrees: of freedom, at least 1.

    Raises:
        InvalidSetting: an argument outside its range.
    """
    if not 0 < confidence < 1:
        raise InvalidSetting("confidence", "must be between 0 and 1")
    low, high = 0.0, 1.0
    while two_sided_p(high, degrees) > 1 - confidence:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if two_sided_p(middle, degrees) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def paired_t_test(
    differences: Sequence[float] | NDArray[np.float64],
) -> tuple[float, Significance] | Refusal:
    """Two-sided paired t test: t and its p value.

    Args:
        differences: candidate minus current, one per question, finite.

    Returns:
        Refused for fewer than two questions, and where all differences are equal up to rounding:
        their spread is then the rounding's, and any t an accident of it.

    Source: Student 1908, Biometrika 6:1.
    """
    import numpy as np

    values = np.asarray(differences, dtype=np.float64)
    if values.size < FEWEST_QUESTIONS:
        return Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    if is_constant(values):
        return Refusal(reason=RefusalReason.ZERO_VARIANCE)
    t = float(values.mean() / (values.std(ddof=1) / math.sqrt(values.size)))
    return t, Significance(p=two_sided_p(t, values.size - 1), method=Method.PAIRED_T)


def detectable_mean(
    questions: int, spread: float, alpha: float = ALPHA, power: float = POWER
) -> DetectableMean | None:
    """What this many graded differences of this spread can show.

    Args:
        questions: paired questions.
        spread: standard deviation of the differences.
        alpha: two-sided significance level, in (0, 1).
        power: probability of a significant answer, in (0.5, 1).

    Returns:
        None for fewer than two questions or without any spread: nothing can then be said.

    Source: normal approximation of the t test's power, with quantiles of t.
    """
    if questions < FEWEST_QUESTIONS or spread <= 0:
        return None
    degrees = questions - 1
    reach = t_quantile(1 - alpha, degrees) + t_quantile(2 * power - 1, degrees)
    return DetectableMean(
        questions=questions, spread=spread, difference=reach * spread / math.sqrt(questions)
    )


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), for x in [0, 1]."""
    if x in (0.0, 1.0):
        return x
    # The fraction converges fast on one side of the mean only; the other side is its complement.
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x)) / a
    return front * _beta_fraction(a, b, x)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of Abramowitz and Stegun 26.5.8, by Lentz's method."""
    c, d, value = 1.0, 0.0, 1.0
    for step in range(1, _FRACTION_STEPS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / ((1 + term * d) or _TINY)
        c = (1 + term / c) or _TINY
        value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return 1 / value
