"""Tests of paired differences: exact where they say so, seeded where they draw."""

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.significance import (
    Method,
    Refusal,
    RefusalReason,
    Significance,
    bonferroni,
    holm,
    is_constant,
    mcnemar_exact,
    randomisation_test,
    without_dust,
)

# Hits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [
        # Computed by scipy.stats.binomtest 1.17.1.
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (10, 3, 0.09228515625),
        (3, 10, 0.09228515625),
        (12, 2, 0.012939453125),
        (7, 7, 1.0),
        (40, 22, 0.030015864349067285),
        (300, 240, 0.011050481081929898),
        (1000, 900, 0.023108845108901193),
    ],
)
def test_mcnemar_is_the_binomial_test_of_the_disagreements(
    wins: int, losses: int, expected: float
) -> None:
    assert mcnemar_exact(wins, losses) == pytest.approx(expected, rel=1e-12)


def test_mcnemar_without_disagreement_gives_one() -> None:
    assert mcnemar_exact(0, 0) == 1.0


def test_mcnemar_is_never_zero_and_never_overflows() -> None:
    assert mcnemar_exact(5_000, 0) == sys.float_info.min
    assert mcnemar_exact(3_000, 2_900) == pytest.approx(0.197, abs=0.001)


@pytest.mark.parametrize(("wins", "losses"), [(-1, 0), (0, -1)])
def test_mcnemar_refuses_negative_counts(wins: int, losses: int) -> None:
    with pytest.raises(InvalidSetting, match="negative"):
        mcnemar_exact(wins, losses)


# Graded values -----------------------------------------------------------------------------


def p_of(answer: Significance | Refusal) -> float:
    assert isinstance(answer, Significance)
    return answer.p


def by_enumeration(differences: list[float]) -> float:
    """The share of all assignments of signs, zeros included, as extreme as the one seen."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(value >= observed - 1e-9 for value in sums) / len(sums)


@given(
    st.lists(
        st.sampled_from([-1.0, -0.5, -0.39, 0.0, 0.0, 0.13, 0.39, 0.5, 0.63, 1.0]),
        min_size=2,
        max_size=7,
    )
)
def test_few_differences_get_the_share_of_all_assignments(differences: list[float]) -> None:
    answer = randomisation_test(differences)
    assert p_of(answer) == pytest.approx(by_enumeration(differences), abs=1e-12)


def test_an_exact_answer_says_how_many_assignments_it_saw() -> None:
    # 0.1328125 by scipy.stats.permutation_test 1.17.1, all assignments.
    answer = randomisation_test([0.1, 0.3, -0.2, 0.45, 0, 0.05, -0.1, 0.6, 0.2, 0])
    assert answer == Significance(p=0.1328125, method=Method.RANDOMISATION_EXACT, assignments=256)


def test_a_drawn_answer_says_how_many_and_from_which_seed() -> None:
    answer = randomisation_test(np.linspace(-0.4, 0.5, 30), seed=9, resamples=500)
    assert isinstance(answer, Significance)
    assert (answer.method, answer.assignments, answer.seed) == (Method.RANDOMISATION, 500, 9)


@pytest.mark.parametrize("n", [16, 17])
def test_it_draws_above_sixteen_differences_that_are_not_zero(n: int) -> None:
    answer = randomisation_test([0.5] * n + [0.0] * 40)
    assert isinstance(answer, Significance)
    assert (answer.method is Method.RANDOMISATION_EXACT) is (n <= 16)


def test_a_drawn_p_is_near_the_exact_one() -> None:
    differences = np.random.default_rng(3).normal(0.12, 0.4, 16)
    exact = p_of(randomisation_test(differences))
    drawn = p_of(randomisation_test(differences, exact_up_to=0, resamples=40_000))
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000))


def test_a_drawn_p_of_many_differences_is_near_the_normal_one() -> None:
    differences = np.random.default_rng(4).normal(0.0, 1.0, 3_001)
    z = differences.sum() / math.sqrt((differences**2).sum())
    expected = math.erfc(abs(z) / math.sqrt(2))
    drawn = p_of(randomisation_test(differences, resamples=20_001))
    assert drawn == pytest.approx(expected, abs=0.015)


def test_a_drawn_p_is_never_zero() -> None:
    assert p_of(randomisation_test([0.5] * 40, resamples=99)) == 1 / 100


def test_the_same_seed_gives_the_same_answer_and_another_one_another() -> None:
    differences = np.random.default_rng(5).normal(0.05, 0.4, 60)
    answers = [p_of(randomisation_test(differences, seed=seed)) for seed in (1, 1, 2)]
    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


def test_the_stream_of_random_signs_is_pinned() -> None:
    # A change of this value changes reports that people have kept.
    differences = np.arange(1.0, 41.0) * np.where(np.arange(40) % 3, 1.0, -1.0)
    assert p_of(randomisation_test(differences, seed=7)) == 975 / 10_001


@given(st.permutations(list(range(24))), st.sampled_from([1.0, -1.0]))
def test_neither_order_nor_sides_change_the_answer(order: list[int], sign: float) -> None:
    differences = np.random.default_rng(6).normal(0.1, 0.4, 24)
    turned = sign * differences[order]
    assert randomisation_test(turned, resamples=299) == randomisation_test(
        differences, resamples=299
    )


def test_equal_differences_that_rounding_tells_apart_count_as_equal() -> None:
    # 0.2 - 0.1 and 0.3 - 0.2 differ in the last bit.
    differences = [0.2 - 0.1, 0.3 - 0.2, 0.4 - 0.3, 0.5 - 0.4, 0.6 - 0.5]
    assert p_of(randomisation_test(differences)) == 2 / 32


def test_no_difference_at_all_gives_one() -> None:
    assert p_of(randomisation_test([0.0, 0.0, 0.0])) == 1.0


@pytest.mark.parametrize("differences", [[], [0.5]])
def test_fewer_than_two_questions_are_refused(differences: list[float]) -> None:
    assert randomisation_test(differences) == Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_difference_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(InvalidSetting, match=r"^differences: must be finite"):
        randomisation_test([0.1, value, 0.2])


def test_nothing_drawn_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^resamples: "):
        randomisation_test([0.1, 0.2], resamples=0)


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.7])
def test_equal_legs_are_rarely_called_different(share_of_zeros: float) -> None:
    random = np.random.default_rng(20260909)
    pairs = 1_000
    false = 0
    for _ in range(pairs):
        legs = random.exponential(1.0, (2, 60))
        differences = (legs[1] - legs[0]) * (random.random(60) >= share_of_zeros)
        false += p_of(randomisation_test(differences, resamples=499)) <= 0.05
    # Three standard errors of 1,000 pairs; `make bench` does 10,000 and more.
    assert false / pairs <= 0.05 + 0.021


# Rounding ----------------------------------------------------------------------------------


def test_what_is_only_rounding_is_no_difference() -> None:
    differences = np.array([0.1 + 0.2 - 0.3, 0.5, -1e-9])
    assert without_dust(differences).tolist() == [0.0, 0.5, -1e-9]
    assert without_dust(differences, scale=1e5).tolist() == [0.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], True),
        ([0.3], True),
        ([0.0, 0.0], True),
        ([0.2 - 0.1, 0.3 - 0.2], True),
        ([0.1, 0.1 + 1e-9], False),
        ([0.0, 0.1], False),
    ],
)
def test_differences_that_rounding_tells_apart_are_constant(
    differences: list[float], *, expected: bool
) -> None:
    assert is_constant(np.array(differences)) is expected


# Families ----------------------------------------------------------------------------------


def test_holm_steps_down_and_keeps_the_order_given() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06), abs=1e-15)


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]) == ()


P_VALUES = st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=6)


@given(P_VALUES)
def test_holm_is_the_closed_test_over_all_subfamilies(p_values: list[float]) -> None:
    # A hypothesis is rejected when Bonferroni rejects every family that holds it.
    indices = range(len(p_values))
    expected = [
        max(
            min(1.0, len(family) * min(p_values[i] for i in family))
            for size in range(1, len(p_values) + 1)
            for family in itertools.combinations(indices, size)
            if index in family
        )
        for index in indices
    ]
    assert holm(p_values) == pytest.approx(expected, abs=1e-12)


@given(P_VALUES)
def test_bonferroni_is_never_below_holm_and_holm_never_below_the_value(
    p_values: list[float],
) -> None:
    for raw, step, crude in zip(p_values, holm(p_values), bonferroni(p_values), strict=True):
        assert raw <= step <= crude <= 1
