"""What a set of a size can show: the power of the exact McNemar test."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.power import (
    DISCORDANCES,
    detectable_difference,
    detectable_table,
    exact_mcnemar_power,
)


def p_value(losses: int, disagreements: int) -> float:
    """Two-sided exact McNemar, written down from its definition."""
    fewer = min(losses, disagreements - losses)
    tail = sum(math.comb(disagreements, k) for k in range(fewer + 1))
    return float(min(1.0, 2 * tail / 2**disagreements))


def power_by_enumeration(n: int, discordance: float, difference: float, alpha: float) -> float:
    win = (discordance + difference) / (2 * discordance)
    total = 0.0
    for d in range(n + 1):
        weight = math.comb(n, d) * discordance**d * (1 - discordance) ** (n - d)
        for wins in range(d + 1):
            if p_value(d - wins, d) <= alpha:
                total += weight * math.comb(d, wins) * win**wins * (1 - win) ** (d - wins)
    return total


@pytest.mark.parametrize("n", [0, 1, 6, 20, 60, 110])
@pytest.mark.parametrize(
    ("discordance", "difference"),
    [(0.1, 0.0), (0.1, 0.1), (0.3, 0.0), (0.3, 0.12), (0.3, 0.3), (1.0, 0.4), (1.0, 1.0)],
)
def test_the_power_is_that_of_all_outcomes_enumerated(
    n: int, discordance: float, difference: float
) -> None:
    for alpha in (0.05, 0.2):
        expected = power_by_enumeration(n, discordance, difference, alpha)
        found = exact_mcnemar_power(n, discordance, difference, alpha)
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("n", "discordance", "difference"), [(120, 0.2, 0.1), (800, 0.3, 0.05)])
def test_the_power_is_the_share_of_significant_answers_in_a_simulation(
    n: int, discordance: float, difference: float
) -> None:
    draw = np.random.default_rng(20260909)
    win, loss = (discordance + difference) / 2, (discordance - difference) / 2
    rounds = 20_000
    wins, losses, _ = draw.multinomial(n, [win, loss, 1 - discordance], size=rounds).T
    significant = {
        pair: p_value(pair[1], sum(pair)) <= 0.05
        for pair in {*zip(wins.tolist(), losses.tolist(), strict=True)}
    }
    pairs = zip(wins.tolist(), losses.tolist(), strict=True)
    share = sum(significant[pair] for pair in pairs) / rounds
    error = 4 * math.sqrt(share * (1 - share) / rounds)
    assert exact_mcnemar_power(n, discordance, difference) == pytest.approx(share, abs=error)


@pytest.mark.parametrize("n", [60, 300, 2910])
@pytest.mark.parametrize("discordance", DISCORDANCES)
def test_the_detectable_difference_has_the_power_and_a_smaller_one_has_not(
    n: int, discordance: float
) -> None:
    difference = detectable_difference(n, discordance)
    if difference is None:
        assert exact_mcnemar_power(n, discordance, discordance) < 0.8
        return
    assert exact_mcnemar_power(n, discordance, difference) >= 0.8
    assert exact_mcnemar_power(n, discordance, difference - 1e-4) < 0.8


@pytest.mark.parametrize(("n", "tolerance"), [(2910, 0.02), (20_000, 0.01)])
def test_for_many_questions_it_approaches_the_formula_of_connor(n: int, tolerance: float) -> None:
    normal = NormalDist()
    z_alpha, z_beta = normal.inv_cdf(0.975), normal.inv_cdf(0.8)
    for psi in DISCORDANCES:
        found = detectable_difference(n, psi)
        assert found is not None
        needed = ((z_alpha * math.sqrt(psi) + z_beta * math.sqrt(psi - found**2)) / found) ** 2
        # The exact test is the more careful one: it needs a little more.
        assert n * (1 - 2 * tolerance) < needed <= n


def test_a_small_set_can_show_nothing_and_says_so() -> None:
    assert detectable_difference(20, 0.1) is None
    assert detectable_difference(0, 0.3) is None
    rows = detectable_table(20)
    assert [(row.questions, row.discordance, row.difference) for row in rows] == [
        (20, 0.1, None),
        (20, 0.2, None),
        (20, 0.3, None),
    ]


def test_the_error_rate_of_the_test_stays_below_alpha() -> None:
    for n in (10, 50, 200):
        assert exact_mcnemar_power(n, 0.3, 0.0) <= 0.05


@pytest.mark.parametrize(
    ("n", "discordance", "alpha", "power", "name"),
    [
        (-1, 0.1, 0.05, 0.8, "n"),
        (10, 0.0, 0.05, 0.8, "discordance"),
        (10, 1.1, 0.05, 0.8, "discordance"),
        (10, 0.1, 0.0, 0.8, "alpha"),
        (10, 0.1, 1.0, 0.8, "alpha"),
        (10, 0.1, 0.05, 0.0, "power"),
        (10, 0.1, 0.05, 1.0, "power"),
    ],
)
def test_an_argument_outside_its_range_is_refused(
    n: int, discordance: float, alpha: float, power: float, name: str
) -> None:
    with pytest.raises(InvalidSetting, match=f"^{name}: "):
        detectable_difference(n, discordance, alpha, power)


def test_a_difference_above_the_discordance_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^difference: "):
        exact_mcnemar_power(10, 0.1, 0.2)
