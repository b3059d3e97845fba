"""Could this difference be chance? Tests over paired values of two comparable results.

Hits are decided by the exact McNemar test, graded values by a paired randomisation test. How
large the difference may be is `core.scoring.intervals`; what a set can show at all is
`core.scoring.power`. Nothing here says "no difference": a large p value is no evidence for one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from evenhand.core.errors import InvalidSetting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Sign flips, or bootstrap samples, drawn where there are too many to try all.
RESAMPLES: Final = 10_000
#: Seed where nobody gives one: the same question gets the same answer.
SEED: Final = 1
#: Up to this many differences every assignment of signs is tried (2**16 of them).
EXACT_UP_TO: Final = 16
#: Fewest questions from which anything can be said about chance.
FEWEST_QUESTIONS: Final = 2

# A difference this much smaller than the values is the rounding of equal numbers (0.1 + 0.2).
_DUST: Final = 1e-12
# Sums of the same numbers in another order differ by rounding; such ties count as ties.
_TIE: Final = 1e-12
_BITS: Final = 8
_GROUPS_PER_BLOCK: Final = 256


class RefusalReason(StrEnum):
    """Why no number is given."""

    TOO_FEW_QUESTIONS = "too_few_questions"
    TOO_FEW_DIFFERENCES = "too_few_differences"
    ZERO_VARIANCE = "zero_variance"
    NEARLY_CONSTANT = "nearly_constant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """No number, and why.

    Attributes:
        reason: ``too_few_questions``: fewer than two. ``too_few_differences``: too few of them
            are not zero for an interval. ``zero_variance``: all differences are equal.
            ``nearly_constant``: all but so few are equal that resampling shows nothing.
    """

    reason: RefusalReason


class Method(StrEnum):
    """How a p value came about."""

    MCNEMAR = "mcnemar_exact"
    RANDOMISATION_EXACT = "randomisation_exact"
    RANDOMISATION = "randomisation"
    PAIRED_T = "paired_t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Significance:
    """Answer of a two-sided test.

    Attributes:
        p: in (0, 1].
        method: the test.
        assignments: assignments of signs looked at; None where the test has none.
        seed: of the generator that drew them; None where nothing was drawn.
    """

    p: float
    method: Method
    assignments: int | None = None
    seed: int | None = None


def mcnemar_exact(wins: int, losses: int) -> float:
    """Two-sided exact McNemar test: a binomial test over the questions that disagree.

    Args:
        wins: questions that only the candidate hits, at least 0.
        losses: questions that only the current side hits, at least 0.

    Returns:
        p in (0, 1]; 1.0 when nothing disagrees.

    Raises:
        InvalidSetting: a negative count.

    Source: McNemar 1947, Psychometrika 12:153; two-sided as twice the smaller tail, at most 1.
    """
    if wins < 0 or losses < 0:
        raise InvalidSetting("wins and losses", "must not be negative")
    discordant = wins + losses
    term = tail = 1
    for k in range(1, min(wins, losses) + 1):
        term = term * (discordant - k + 1) // k
        tail += term
    # Whole numbers to the end: Python divides them exactly where a float would overflow. What
    # is smaller than any float reads as the smallest one, as p is never 0.
    p: float = 2 * tail / 2**discordant
    return max(min(1.0, p), sys.float_info.min)


def without_dust(
    differences: NDArray[np.float64], scale: float | None = None
) -> NDArray[np.float64]:
    """The differences, those that are only rounding set to zero.

    Args:
        differences: finite.
        scale: size of the values that were subtracted; by default of the largest difference.
    """
    import numpy as np

    sizes = np.abs(differences)
    largest = float(sizes.max(initial=0.0)) if scale is None else scale
    kept: NDArray[np.float64] = np.where(sizes <= _DUST * largest, 0.0, differences)
    return kept


def is_constant(differences: NDArray[np.float64]) -> bool:
    """Whether all differences are equal, up to rounding; also without any."""
    import numpy as np

    largest = float(np.abs(differences).max(initial=0.0))
    return not differences.size or float(np.ptp(differences)) <= _DUST * largest


def randomisation_test(
    differences: Sequence[float] | NDArray[np.float64],
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    exact_up_to: int = EXACT_UP_TO,
) -> Significance | Refusal:
    """Two-sided paired randomisation test of the sum of differences.

    Under the null hypothesis each difference could as well have had the other sign. Zero
    differences change nothing and are left out. The order of the differences does not matter,
    and a difference of all signs turned gives the same p.

    Args:
        differences: candidate minus current, one per question, finite.
        seed: of the generator; the same seed gives the same answer, with any number of threads.
        resamples: assignments drawn where there are too many to try all, at least 1.
        exact_up_to: most differences that are not zero for which all assignments are tried.

    Returns:
        The exact p for few differences, else (1 + at least as extreme) / (1 + resamples), which
        is never 0. Never below 2 / 2**n. Refused for fewer than two questions.

    Raises:
        InvalidSetting: a difference that is not finite, or no resamples.

    Source: Fisher 1935; the correction as in Phipson and Smyth 2010.
    """
    import numpy as np

    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidSetting("differences", "must be finite")
    if resamples < 1:
        raise InvalidSetting("resamples", "must be at least 1")
    if values.size < FEWEST_QUESTIONS:
        return Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    observed = abs(float(values.sum()))
    sizes = np.abs(without_dust(values))
    sizes = np.sort(sizes[sizes != 0.0])[::-1]
    limit = observed - _TIE * float(sizes.sum())
    if sizes.size <= exact_up_to:
        half = _half_of_all_signed_sums(sizes)
        extreme = np.count_nonzero(np.abs(half) >= limit)
        return Significance(
            p=float(extreme / half.size),
            method=Method.RANDOMISATION_EXACT,
            assignments=2**sizes.size,
        )
    sums = _drawn_signed_sums(sizes, resamples, seed)
    extreme = np.count_nonzero(np.abs(sums) >= limit)
    return Significance(
        p=float((1 + extreme) / (1 + resamples)),
        method=Method.RANDOMISATION,
        assignments=resamples,
        seed=seed,
    )


def _half_of_all_signed_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums in which the first size is added; the other half are the same, less than zero."""
    import numpy as np

    sums = sizes[:1] if sizes.size else np.zeros(1)
    for size in sizes[1:]:
        sums = np.concatenate((sums + size, sums - size))
    return sums


def _drawn_signed_sums(
    sizes: NDArray[np.float64], resamples: int, seed: int
) -> NDArray[np.float64]:
    """The sum under random assignments: one random byte decides eight signs at once.

    For each group of eight differences the sums of all 256 assignments are tabulated once, so
    that a resample is one table look-up per group instead of eight multiplications. The bytes
    come from the bit generator itself: its stream, unlike that of the methods above it, is the
    same in every version of numpy.
    """
    import numpy as np

    groups = np.zeros((-(-sizes.size // _BITS), _BITS))
    groups.flat[: sizes.size] = sizes
    signs = 1.0 - 2.0 * ((np.arange(256) >> np.arange(_BITS)[:, None]) & 1)
    bits = np.random.PCG64(seed)
    words = -(-resamples // 8)
    sums, drawn = np.zeros(resamples), np.empty(resamples)
    for start in range(0, len(groups), _GROUPS_PER_BLOCK):
        for table in groups[start : start + _GROUPS_PER_BLOCK] @ signs:
            choices = bits.random_raw(words).astype("<u8", copy=False).view(np.uint8)
            # No byte is outside the table; saying so spares numpy a buffered copy.
            np.take(table, choices[:resamples], out=drawn, mode="clip")
            sums += drawn
    return sums


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values by Holm's method, in the order given.

    Args:
        p_values: in [0, 1], one per test of the family.

    Returns:
        Adjusted values in [0, 1]; a test is significant at a level when its value is at most it.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def bonferroni(p_values: Sequence[float]) -> tuple[float, ...]:
    """The cruder adjustment that other tools show, in the order given; nothing decides by it.

    Args:
        p_values: in [0, 1], one per test of the family.

    Returns:
        Each value times the size of the family, at most 1; never below Holm's.
    """
    return tuple(min(1.0, len(p_values) * p) for p in p_values)
