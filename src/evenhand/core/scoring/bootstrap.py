"""How does a studentised mean vary over samples of this kind? The bootstrap, in bounded memory.

Only arithmetic: what is refused and what an interval is called is `core.scoring.intervals`. Why
this method and not another, with its measured coverage, is ADR-0007.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from evenhand.core.scoring.student import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Up to this many questions each is drawn by itself; more are drawn in groups of equal value.
EACH_UP_TO: Final = 1_000
#: Most groups; where values differ more than that, each is split between its two neighbours on
#: an even grid, which keeps the mean and moves the spread by less than a thousandth of the range.
GROUPS: Final = 256

# Entries of one block of drawn counts; a block and what is made of it take some 12 MiB.
_BLOCK: Final = 2**18
# In units of the variance of the sample: a resample without any is all one value.
_NO_VARIANCE: Final = 1e-12


def studentised_bounds(
    differences: NDArray[np.float64], *, confidence: float, seed: int, resamples: int
) -> NDArray[np.float64]:
    """Bounds of the true mean, by the bootstrap of the studentised mean, widened.

    Two corrections to the plain method, which covers too little for few values. Its level is
    moved out as far as Student's t lies beyond the normal distribution for as many values as
    are not zero (zeros say nothing of the tails). And no end lies inside Student's own
    interval, which saves heavy but even tails, where the plain method is too narrow.

    Args:
        differences: sets × questions; each set has at least two values that are not zero, and
            two that differ. Sets share their resamples.
        confidence: in (0, 1).
        seed: of the generator.
        resamples: drawn samples, at least 1.

    Returns:
        sets × 2, lower and upper bound. Infinite where too many resamples are all one value.

    Source: Efron 1982, section 10.10; Hall 1988, Annals of Statistics 16:927; the expansion
        after Hesterberg 2015, American Statistician 69:371, sections 4 and 5.
    """
    import numpy as np

    questions = differences.shape[1]
    means = differences.mean(axis=1)
    spreads = differences.std(axis=1, ddof=1)
    scaled = ((differences - means[:, None]) / spreads[:, None]).T
    bits = np.random.PCG64(seed)
    if questions <= EACH_UP_TO:
        shared = _each_drawn(questions, resamples, bits)
        studentised = np.concatenate([_studentised(counts, scaled) for counts in shared])
    else:
        studentised = np.stack([_of_groups(one, resamples, bits) for one in scaled.T], axis=1)
    studentised.sort(axis=0)
    bounds = np.empty((len(means), 2))
    errors = spreads / math.sqrt(questions)
    for index, count in enumerate(np.count_nonzero(differences, axis=1)):
        t, tail = _levels(confidence, int(count))
        # The next value outward: a bound is never narrower than the level says.
        lowest = studentised[max(0, math.floor((resamples + 1) * tail) - 1), index]
        highest = studentised[min(resamples, math.ceil((resamples + 1) * (1 - tail))) - 1, index]
        bounds[index, 0] = means[index] - max(highest, t) * errors[index]
        bounds[index, 1] = means[index] - min(lowest, -t) * errors[index]
    return bounds


def _levels(confidence: float, count: int) -> tuple[float, float]:
    """Student's t for this many values, and the tail beyond its expansion."""
    t = t_quantile(confidence, count - 1)
    return t, NormalDist().cdf(-t * math.sqrt(count / (count - 1)))


def _studentised(counts: NDArray[np.float64], scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over its standard error: resamples × sets.

    Args:
        counts: how often each cell is in each resample, resamples × cells.
        scaled: cells × sets, less the mean of the sample and over its spread.
    """
    import numpy as np

    drawn = counts[0].sum()
    means = counts @ scaled / drawn
    variances = counts @ scaled**2 / drawn - means**2
    has_spread = variances > _NO_VARIANCE
    errors = np.sqrt(np.where(has_spread, variances, 1.0) / (drawn - 1))
    # All one value: as far out as can be, on the side of that value.
    values: NDArray[np.float64] = np.where(has_spread, means / errors, np.copysign(np.inf, means))
    return values


def _each_drawn(
    questions: int, resamples: int, bits: np.random.PCG64
) -> Iterator[NDArray[np.float64]]:
    """Counts of resamples in which each question is drawn by itself, a block at a time.

    From the bit generator itself, whose stream is the same in every version of numpy. A word of
    32 bits times the number of questions, over 2**32, favours a question by 1 in 4 million.
    """
    import numpy as np

    for size in _block_sizes(resamples, questions):
        words = bits.random_raw(-(-size * questions // 2)).astype("<u8", copy=False)
        halves = words.view("<u4")[: size * questions].astype(np.uint64)
        cells = (halves * np.uint64(questions) >> np.uint64(32)).astype(np.int64)
        cells += np.repeat(np.arange(size) * questions, questions)
        counts = np.bincount(cells, minlength=size * questions)
        yield counts.reshape(size, questions).astype(np.float64)


def _of_groups(
    scaled: NDArray[np.float64], resamples: int, bits: np.random.PCG64
) -> NDArray[np.float64]:
    """Studentised means of one set of many questions, drawn in groups."""
    import numpy as np

    cells, weights = _groups(scaled)
    generator = np.random.Generator(bits)
    blocks = [
        _studentised(
            generator.multinomial(scaled.size, weights / weights.sum(), size).astype(np.float64),
            cells[:, None],
        )
        for size in _block_sizes(resamples, cells.size)
    ]
    return np.concatenate(blocks)[:, 0]


def _groups(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distinct values with how many there are of each, or an even grid with its weights."""
    import numpy as np

    cells, counts = np.unique(values, return_counts=True)
    if cells.size <= GROUPS:
        return cells, counts.astype(np.float64)
    grid = np.linspace(cells[0], cells[-1], GROUPS)
    position = (values - grid[0]) / (grid[1] - grid[0])
    left = np.minimum(position.astype(np.int64), GROUPS - 2)
    share = position - left
    weights = np.bincount(left, 1 - share, GROUPS) + np.bincount(left + 1, share, GROUPS)
    return grid, np.maximum(weights, 0.0)


def _block_sizes(resamples: int, cells: int) -> Iterator[int]:
    """Resamples a block, so that a block has a bounded number of counts."""
    size = max(1, _BLOCK // cells)
    for start in range(0, resamples, size):
        yield min(size, resamples - start)
