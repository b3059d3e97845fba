"""How small a difference can a set of this size show?

Power of the exact McNemar test, the test that decides over hits: how likely is a significant
answer when a candidate truly wins more questions than it loses? Shown beside every set and every
inconclusive result, so that "nothing found" is never read as "no difference".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors import InvalidSetting

ALPHA: Final = 0.05
POWER: Final = 0.8
#: Shares of questions on which two legs disagree, for which the table is made.
DISCORDANCES: Final = (0.1, 0.2, 0.3)

# Weights of the number of disagreements beyond this many standard deviations are below 1e-15.
_REACH: Final = 8.5
_PRECISION: Final = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """One row of the table of detectable differences.

    Attributes:
        questions: paired questions.
        discordance: share of them on which the two legs disagree, in (0, 1].
        difference: smallest true difference of the two rates that is found with the power asked
            for, in (0, discordance]; None where even the largest one is not.
    """

    questions: int
    discordance: float
    difference: float | None


def detectable_table(questions: int) -> tuple[Detectable, ...]:
    """What a set can show at a significance of 0.05 and a power of 0.8.

    Args:
        questions: paired questions, at least 0.
    """
    return tuple(
        Detectable(
            questions=questions,
            discordance=discordance,
            difference=detectable_difference(questions, discordance),
        )
        for discordance in DISCORDANCES
    )


def detectable_difference(
    n: int, discordance: float, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Smallest true difference of two paired rates that the exact McNemar test finds.

    Args:
        n: paired questions, at least 0.
        discordance: share of questions on which the legs disagree, in (0, 1].
        alpha: two-sided significance level, in (0, 1).
        power: probability of a significant answer, in (0, 1).

    Returns:
        A difference in (0, discordance], rounded up by less than 1e-5; None where even
        ``discordance`` itself, every disagreement a win, is found too rarely.

    Raises:
        InvalidSetting: an argument outside its range.

    Source: unconditional exact power, the conditional power of the test given the number of
        disagreements (Miettinen 1968, Biometrics 24:339) averaged over its binomial distribution
        (Duffy 1984, Biometrics 40:1005). For large n it approaches
        ``z_alpha/2 sqrt(psi) + z_beta sqrt(psi - d^2) = d sqrt(n)`` (Connor 1987, Biometrics
        43:207).
    """
    _require(n, discordance, discordance, alpha)
    if not 0 < power < 1:
        raise InvalidSetting("power", "must be between 0 and 1")
    tests = tuple(_critical_values(n, discordance, alpha))
    low, high = 0.0, discordance
    if _power(n, discordance, high, tests) < power:
        return None
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if _power(n, discordance, middle, tests) < power:
            low = middle
        else:
            high = middle
    return high


def exact_mcnemar_power(
    n: int, discordance: float, difference: float, alpha: float = ALPHA
) -> float:
    """Probability that the two-sided exact McNemar test is significant.

    Args:
        n: paired questions, at least 0.
        discordance: probability that the legs disagree on a question, in (0, 1].
        difference: probability of a win less that of a loss, in [0, discordance].
        alpha: the test rejects when its p value is at most this, in (0, 1).

    Returns:
        A value in [0, 1]; for a difference of 0 it is the true error rate, at most ``alpha``.

    Raises:
        InvalidSetting: an argument outside its range.
    """
    _require(n, discordance, difference, alpha)
    return _power(n, discordance, difference, _critical_values(n, discordance, alpha))


def _require(n: int, discordance: float, difference: float, alpha: float) -> None:
    if n < 0:
        raise InvalidSetting("n", "must not be negative")
    if not 0 < discordance <= 1:
        raise InvalidSetting("discordance", "must be above 0 and at most 1")
    if not 0 <= difference <= discordance:
        raise InvalidSetting("difference", "must be between 0 and the discordance")
    if not 0 < alpha < 1:
        raise InvalidSetting("alpha", "must be between 0 and 1")


def _power(
    n: int, discordance: float, difference: float, tests: Iterable[tuple[int, int]]
) -> float:
    win = (discordance + difference) / (2 * discordance)
    losses, wins = _Tail(1 - win), _Tail(win)
    total = 0.0
    for disagreements, critical in tests:
        if critical >= 0:
            weight = _binomial(n, disagreements, discordance)
            # Significant are at most `critical` losses, and at most `critical` wins.
            tails = losses.at(disagreements, critical) + wins.at(disagreements, critical)
            total += weight * tails
    return min(total, 1.0)


class _Tail:
    """P(X <= c) of binomial variables X with one probability, cheap while d and c creep upward.

    With one more trial P(X <= c) falls by p P(X = c); with c + 1 it rises by P(X = c + 1).
    """

    def __init__(self, probability: float) -> None:
        self._p = probability
        self._d = self._c = -1
        self._value = 0.0

    def at(self, d: int, c: int) -> float:
        """P(X <= c) in d trials; neither d nor c may fall from call to call."""
        if self._d < 0:
            self._d = d
        for trials in range(self._d, d):
            self._value -= self._p * _binomial(trials, self._c, self._p)
        for hits in range(self._c + 1, c + 1):
            self._value += _binomial(d, hits, self._p)
        self._d, self._c = d, c
        # The subtraction can leave a tail that is zero by a rounding error below it.
        return max(self._value, 0.0)


def _critical_values(n: int, discordance: float, alpha: float) -> Iterator[tuple[int, int]]:
    """Each likely number of disagreements with its critical value, both rising.

    The critical value is the largest number of losses that is still significant, -1 where none
    is: the two-sided p value is twice the tail of a fair coin.
    """
    spread = _REACH * math.sqrt(n * discordance * (1 - discordance)) + 1
    first = max(0, math.floor(n * discordance - spread))
    last = min(n, math.ceil(n * discordance + spread))
    fair = _Tail(0.5)
    critical = -1
    for disagreements in range(first, last + 1):
        while 2 * fair.at(disagreements, critical + 1) <= alpha:
            critical += 1
        yield disagreements, critical


def _binomial(trials: int, hits: int, probability: float) -> float:
    """P(X = hits) of a binomial variable."""
    if not 0 <= hits <= trials:
        return 0.0
    if probability in (0.0, 1.0):
        return float(hits == trials * probability)
    ways = math.lgamma(trials + 1) - math.lgamma(hits + 1) - math.lgamma(trials - hits + 1)
    return math.exp(
        ways + hits * math.log(probability) + (trials - hits) * math.log1p(-probability)
    )
