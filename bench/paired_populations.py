"""Populations that the statistics of paired differences are tried on, each with its true mean."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

#: What one relevant document gives at ranks 1 to 4, or nothing: values of nDCG as one meets them.
LEVELS = np.array([0.0, 0.39, 0.5, 0.63, 1.0])

#: Of the current side, on hits.
BASE_RATES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Differences of graded values.

    Attributes:
        name: for the table.
        mean: the true one.
        draw: sets × questions of it.
    """

    name: str
    mean: float
    draw: Draw


def _with_zeros(draw: Draw, share: float) -> Draw:
    return lambda random, shape: draw(random, shape) * (random.random(shape) >= share)


def _levels(current: list[float], candidate: list[float]) -> tuple[float, Draw]:
    """Differences of two independent values, each of `LEVELS` with these probabilities."""
    steps = np.subtract.outer(LEVELS, LEVELS).ravel()
    chances = np.outer(candidate, current).ravel()
    return float(steps @ chances), lambda random, shape: random.choice(steps, shape, p=chances)


def _rank_moves() -> tuple[float, Draw]:
    """Many small gains, few large losses: as a new ranker moves first targets."""
    gains, losses, share = np.array([0.1, 0.13, 0.2]), np.array([0.5, 0.63, 1.0]), 0.85
    mean = share * float(gains.mean()) - (1 - share) * float(losses.mean())

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        is_gain = random.random(shape) < share
        return np.where(is_gain, random.choice(gains, shape), -random.choice(losses, shape))

    return mean, draw


def graded() -> Iterator[Population]:
    """Normal and skewed differences, with and without many zeros, continuous and discrete."""
    yield Population(name="normal", mean=0.3, draw=lambda r, s: r.normal(0.3, 1, s))
    yield Population(name="t, 3 degrees", mean=0.0, draw=lambda r, s: r.standard_t(3, s))
    yield Population(name="exponential", mean=0.0, draw=lambda r, s: r.exponential(1, s) - 1)
    yield Population(
        name="lognormal, sigma 0.5",
        mean=float(np.exp(0.125)),
        draw=lambda r, s: r.lognormal(0, 0.5, s),
    )
    yield Population(
        name="lognormal, sigma 1", mean=float(np.exp(0.5)), draw=lambda r, s: r.lognormal(0, 1, s)
    )
    yield Population(name="chi-square, 1 degree", mean=1.0, draw=lambda r, s: r.chisquare(1, s))
    for share in (0.5, 0.8):
        yield Population(
            name=f"exponential, {share:.0%} zeros",
            mean=1 - share,
            draw=_with_zeros(lambda r, s: r.exponential(1, s), share),
        )
    yield Population(
        name="normal, 70% zeros",
        mean=0.15,
        draw=_with_zeros(lambda r, s: r.normal(0.5, 1, s), 0.7),
    )
    yield Population(
        name="wins of .5, 70% zeros",
        mean=0.15,
        draw=_with_zeros(lambda r, s: np.full(s, 0.5), 0.7),
    )
    yield Population(
        name="two values, 85% and 15%",
        mean=0.35,
        draw=lambda r, s: np.where(r.random(s) < 0.85, 0.5, -0.5),
    )
    mean, draw = _levels([0.25, 0.1, 0.15, 0.2, 0.3], [0.18, 0.1, 0.15, 0.22, 0.35])
    for share in (0.0, 0.5, 0.8):
        yield Population(
            name=f"nDCG levels, {share:.0%} equal",
            mean=mean * (1 - share),
            draw=_with_zeros(draw, share),
        )
    mean, draw = _rank_moves()
    for share in (0.0, 0.5, 0.8):
        yield Population(
            name=f"rank moves, {share:.0%} equal",
            mean=mean * (1 - share),
            draw=_with_zeros(draw, share),
        )


def equal_legs() -> Iterator[Population]:
    """Differences of two legs of one population (A/A): skewed values, symmetric differences."""
    draws: dict[str, Draw] = {
        "normal": lambda r, s: r.normal(0, 1, s),
        "exponential": lambda r, s: r.exponential(1, s),
        "lognormal, sigma 1": lambda r, s: r.lognormal(0, 1, s),
        "nDCG levels": lambda r, s: r.choice(LEVELS, s, p=[0.25, 0.1, 0.15, 0.2, 0.3]),
    }
    for name, draw in draws.items():
        for share in (0.0, 0.6):
            yield Population(
                name=f"{name}, {share:.0%} equal",
                mean=0.0,
                draw=_with_zeros(_difference(draw), share),
            )


def _difference(draw: Draw) -> Draw:
    return lambda random, shape: draw(random, shape) - draw(random, shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitTable:
    """Two paired rates: the probability of each kind of question.

    Attributes:
        current: the current side's rate.
        difference: candidate less current.
        correlation: share of the way from independent legs to nested ones, in [0, 1].
    """

    current: float
    difference: float
    correlation: float

    @property
    def chances(self) -> list[float]:
        """Of both, candidate only, current only, neither."""
        candidate = self.current + self.difference
        independent = self.current * candidate
        nested = min(self.current, candidate)
        both = independent + self.correlation * (nested - independent)
        cells = [both, candidate - both, self.current - both, 1 - self.current - candidate + both]
        return [max(0.0, cell) for cell in cells]


def hit_tables(differences: tuple[float, ...]) -> Iterator[HitTable]:
    """Base rates from .5 to .98, from independent to nested legs."""
    for current in BASE_RATES:
        for difference in differences:
            for correlation in (0.0, 0.5, 0.9, 1.0):
                if 0 < current + difference < 1:
                    yield HitTable(current=current, difference=difference, correlation=correlation)
