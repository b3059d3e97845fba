"""Simulations of the statistics of paired differences, with the product's own functions.

False verdicts: two legs that are truly equal, and how often one is called better or worse.
Coverage: how often an interval that was given holds the true difference.
"""

from functools import cache

import numpy as np

from bench.paired_populations import Floats, HitTable, Population
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.comparison.pairing import hit_difference
from evenhand.core.scoring.bootstrap import studentised_bounds
from evenhand.core.scoring.intervals import (
    FEWEST_DIFFERENCES,
    Interval,
    PairedCounts,
    newcombe_interval,
)
from evenhand.core.scoring.significance import Significance, mcnemar_exact, randomisation_test

SEED = 20260909
ALPHA = 0.05
QUESTIONS = (20, 30, 50, 100, 200, 500)
#: Fewer than the product draws, so that hundreds of thousands of answers fit into minutes. Neither
#: the level of the test nor the coverage depends on it.
FLIPS = 999
RESAMPLES = 1_999
# Sets that share their resamples; other sets have others.
_CHUNK = 500
_VERDICTS = {Conclusion.BETTER, Conclusion.WORSE}


@cache
def _p(wins: int, losses: int) -> float:
    return mcnemar_exact(wins, losses)


@cache
def _conclusion(both: int, gained: int, lost: int, neither: int) -> Conclusion:
    """Through the door that a comparison goes through."""
    current = [True] * (both + lost) + [False] * (gained + neither)
    candidate = [True] * both + [False] * lost + [True] * gained + [False] * neither
    return hit_difference("hits", current, candidate, alpha=ALPHA).conclusion


def false_hit_verdicts(table: HitTable, questions: int, pairs: int) -> float:
    """Share of pairs of equal legs with a verdict."""
    random = np.random.default_rng([SEED, questions, round(100 * table.current)])
    drawn = random.multinomial(questions, table.chances, size=pairs)
    found = 0
    for both, gained, lost, neither in drawn.tolist():
        # No verdict without a significant test; the rest is asked only where there is one.
        if _p(gained, lost) <= ALPHA:
            found += _conclusion(both, gained, lost, neither) in _VERDICTS
    return found / pairs


def hit_coverage(table: HitTable, questions: int, sets: int) -> float:
    """Share of Newcombe's intervals that hold the true difference."""
    random = np.random.default_rng([SEED, questions, round(100 * table.current)])
    drawn = random.multinomial(questions, table.chances, size=sets)
    tables, counts = np.unique(drawn, axis=0, return_counts=True)
    return float(counts[[_holds(row, table.difference) for row in tables.tolist()]].sum() / sets)


def _holds(row: list[int], difference: float) -> bool:
    both, gained, lost, neither = row
    interval = newcombe_interval(
        PairedCounts(both=both, candidate_only=gained, current_only=lost, neither=neither)
    )
    assert isinstance(interval, Interval)  # noqa: S101 -- there are at least 20 questions
    return interval.low - 1e-12 <= difference <= interval.high + 1e-12


def graded_coverage(population: Population, questions: int, sets: int) -> tuple[float, float]:
    """Share of intervals that hold the true mean, and the share of sets that were given one."""
    random = np.random.default_rng([SEED, questions])
    given = holding = 0
    for number in range(sets // _CHUNK):
        drawn = population.draw(random, (_CHUNK, questions))
        bounds = _bounds(_not_refused(drawn), number)
        given += len(bounds)
        holding += _count_holding(bounds, population.mean)
    return (holding / given if given else 0.0), given / sets


def false_graded_verdicts(population: Population, questions: int, pairs: int) -> float:
    """Share of pairs of equal legs with a verdict: test significant, no interval with zero."""
    random = np.random.default_rng([SEED, questions])
    found = 0
    for number in range(pairs // _CHUNK):
        drawn = population.draw(random, (_CHUNK, questions))
        significant = drawn[[_is_significant(one, number) for one in drawn]]
        # Where an interval is refused the test alone decides.
        found += len(significant) - _count_holding(_bounds(_not_refused(significant), number), 0.0)
    return found / pairs


def _is_significant(differences: Floats, seed: int) -> bool:
    answer = randomisation_test(differences, seed=seed, resamples=FLIPS)
    return isinstance(answer, Significance) and answer.p <= ALPHA


def _not_refused(sets: Floats) -> Floats:
    """As `mean_interval` refuses; what is nearly constant shows in infinite bounds."""
    has_spread = np.ptp(sets, axis=1) > 0
    return sets[has_spread & (np.count_nonzero(sets, axis=1) >= FEWEST_DIFFERENCES)]


def _bounds(sets: Floats, seed: int) -> Floats:
    if not len(sets):
        return np.empty((0, 2))
    bounds = studentised_bounds(
        np.sort(sets, axis=1), confidence=1 - ALPHA, seed=seed, resamples=RESAMPLES
    )
    finite: Floats = bounds[np.isfinite(bounds).all(axis=1)]
    return finite


def _count_holding(bounds: Floats, mean: float) -> int:
    return int(((bounds[:, 0] <= mean) & (mean <= bounds[:, 1])).sum())
