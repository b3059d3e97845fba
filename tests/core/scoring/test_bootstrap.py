"""The studentised bootstrap: against a plain one, and its coverage."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from evenhand.core.scoring.bootstrap import EACH_UP_TO, GROUPS, studentised_bounds
from evenhand.core.scoring.student import t_quantile

Floats = NDArray[np.float64]


def bounds_of(values: Floats, *, resamples: int = 10_000, seed: int = 1) -> Floats:
    sets = values[None, :]
    bounds: Floats = studentised_bounds(sets, confidence=0.95, seed=seed, resamples=resamples)[0]
    return bounds


def plainly(values: Floats, resamples: int) -> tuple[float, float]:
    """The same interval from its definition, with draws of its own."""
    random = np.random.default_rng(99)
    n, count = values.size, np.count_nonzero(values)
    drawn = random.choice(values, (resamples, n))
    t_values = (drawn.mean(axis=1) - values.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    t = t_quantile(0.95, int(count) - 1)
    tail = NormalDist().cdf(-t * math.sqrt(count / (count - 1)))
    lowest, highest = np.quantile(t_values, [tail, 1 - tail])
    error = values.std(ddof=1) / math.sqrt(n)
    mean = values.mean()
    return float(mean - max(highest, t) * error), float(mean - min(lowest, -t) * error)


def skewed(n: int, zeros: float = 0.0) -> Floats:
    random = np.random.default_rng(7)
    return random.exponential(1.0, n) * (random.random(n) >= zeros)


@pytest.mark.parametrize("values", [skewed(25), skewed(90), skewed(90, 0.6), -skewed(60)])
def test_few_questions_get_the_bounds_of_the_plain_method(values: Floats) -> None:
    found = bounds_of(values, resamples=40_000)
    error = values.std(ddof=1) / math.sqrt(values.size)
    assert found == pytest.approx(plainly(values, 40_000), abs=0.1 * error)


def test_many_questions_of_few_values_get_the_bounds_of_the_plain_method() -> None:
    values = np.random.default_rng(8).choice([-0.5, 0.0, 0.39, 1.0], EACH_UP_TO + 500)
    error = values.std(ddof=1) / math.sqrt(values.size)
    assert bounds_of(values) == pytest.approx(plainly(values, 4_000), abs=0.12 * error)


def test_many_questions_of_many_values_get_the_bounds_of_the_plain_method() -> None:
    values = skewed(EACH_UP_TO + 500)
    assert np.unique(values).size > GROUPS
    error = values.std(ddof=1) / math.sqrt(values.size)
    assert bounds_of(values) == pytest.approx(plainly(values, 4_000), abs=0.12 * error)


def test_for_many_questions_the_bounds_approach_students() -> None:
    values = np.random.default_rng(9).normal(0.2, 1.0, 20_000)
    reach = t_quantile(0.95, 19_999) * values.std(ddof=1) / math.sqrt(20_000)
    expected = (values.mean() - reach, values.mean() + reach)
    assert bounds_of(values) == pytest.approx(expected, abs=0.06 * reach)


def test_no_bound_lies_inside_students() -> None:
    values = np.random.default_rng(10).standard_t(2, (40, 30))
    found = studentised_bounds(values, confidence=0.95, seed=1, resamples=499)
    reach = t_quantile(0.95, 29) * values.std(axis=1, ddof=1) / math.sqrt(30)
    assert (found[:, 0] <= values.mean(axis=1) - reach + 1e-12).all()
    assert (found[:, 1] >= values.mean(axis=1) + reach - 1e-12).all()


def test_zeros_do_not_make_the_tails_better_known() -> None:
    values = np.zeros(300)
    values[:21] = np.random.default_rng(11).normal(0.0, 1.0, 21)
    low, high = bounds_of(values)
    # As for 21 values, 2.086; for 300 it would be 1.968.
    reach = t_quantile(0.95, 20) * values.std(ddof=1) / math.sqrt(300)
    assert low <= values.mean() - reach + 1e-12
    assert high >= values.mean() + reach - 1e-12


def test_a_skew_lengthens_the_side_of_the_tail() -> None:
    low, high = bounds_of(skewed(40))
    mean = skewed(40).mean()
    assert high - mean > 1.3 * (mean - low)


def test_too_many_resamples_of_one_value_give_infinite_bounds() -> None:
    low, high = bounds_of(np.array([0.5] * 19 + [0.4]))
    assert low == -math.inf
    assert math.isfinite(high)


def test_sets_get_the_bounds_that_each_gets_alone() -> None:
    sets = np.stack([skewed(60), -skewed(60, 0.5), np.random.default_rng(3).normal(size=60)])
    together = studentised_bounds(sets, confidence=0.95, seed=4, resamples=700)
    alone = np.stack([bounds_of(one, seed=4, resamples=700) for one in sets])
    assert together == pytest.approx(alone, abs=1e-12)


def test_blocks_do_not_show_in_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bounds_of(skewed(50), resamples=1_000)
    # A block of an even number of draws ends where a random word of 64 bits does.
    monkeypatch.setattr("evenhand.core.scoring.bootstrap._BLOCK", 50 * 100)
    assert bounds_of(skewed(50), resamples=1_000) == pytest.approx(whole, abs=1e-12)


def test_the_bounds_of_a_seed_are_pinned() -> None:
    # A change of these values changes reports that people have kept.
    values = np.arange(40) ** 2 / 1600 - 0.3
    assert bounds_of(values, seed=7) == pytest.approx(
        [-0.0733291347597722, 0.13012453417098624], abs=1e-9
    )


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("name", ["normal", "exponential", "lognormal", "zeros"])
def test_the_interval_covers_the_true_mean(name: str, n: int) -> None:
    random = np.random.default_rng(20260909)
    sets = 600
    draws = {
        "normal": (random.normal(0.3, 1.0, (sets, n)), 0.3),
        "exponential": (random.exponential(1.0, (sets, n)), 1.0),
        "lognormal": (random.lognormal(0.0, 1.0, (sets, n)), math.exp(0.5)),
        "zeros": (random.exponential(1.0, (sets, n)) * (random.random((sets, n)) < 0.6), 0.6),
    }
    values, mean = draws[name]
    given = values[np.count_nonzero(values, axis=1) >= 20]
    if len(given) < 100:
        assert n == 20
        return
    found = studentised_bounds(given, confidence=0.95, seed=1, resamples=999)
    share = ((found[:, 0] <= mean) & (mean <= found[:, 1])).mean()
    # Three standard errors below 93 %; `make bench` has the sharper numbers.
    assert share >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / len(given))
