"""Intervals of differences: published values, coverage, and reasons where there is none."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.intervals import (
    Interval,
    IntervalMethod,
    PairedCounts,
    mean_interval,
    newcombe_interval,
)
from evenhand.core.scoring.significance import Refusal, RefusalReason, mcnemar_exact


def given_interval(answer: Interval | Refusal) -> Interval:
    assert isinstance(answer, Interval)
    return answer


def ends(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def newcombe(both: int, candidate_only: int, current_only: int, neither: int) -> Interval:
    return given_interval(
        newcombe_interval(
            PairedCounts(
                both=both,
                candidate_only=candidate_only,
                current_only=current_only,
                neither=neither,
            )
        )
    )


# Hits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Newcombe 1998, table of examples, method 10.
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((20, 12, 2, 16), 0.0562, 0.3292),
        # The R package contingencytables (Fagerland, Lydersen and Laake 2017, chapter 8).
        ((59, 6, 16, 80), -0.1186, -0.0046),
    ],
)
def test_newcombes_interval_has_its_published_values(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = newcombe(*counts)
    assert ends(found) == pytest.approx([low, high], abs=5e-5)


TABLES = st.tuples(*[st.integers(0, 60)] * 4).filter(lambda counts: sum(counts) >= 2)


@given(TABLES)
def test_the_interval_holds_the_difference_and_stays_within_what_is_possible(
    counts: tuple[int, int, int, int],
) -> None:
    found = newcombe(*counts)
    assert -1 <= found.low <= (counts[1] - counts[2]) / sum(counts) <= found.high <= 1
    assert found.low < found.high


@given(TABLES)
def test_turning_the_legs_turns_the_interval(counts: tuple[int, int, int, int]) -> None:
    both, candidate_only, current_only, neither = counts
    found, turned = newcombe(*counts), newcombe(both, current_only, candidate_only, neither)
    assert ends(turned) == pytest.approx([-found.high, -found.low], abs=1e-12)


@given(TABLES)
def test_a_significant_difference_has_an_interval_beyond_zero(
    counts: tuple[int, int, int, int],
) -> None:
    _, candidate_only, current_only, _ = counts
    if mcnemar_exact(candidate_only, current_only) <= 0.05:
        assert not newcombe(*counts).holds_zero


@pytest.mark.parametrize(
    ("counts", "reach"),
    [
        # Nothing disagrees: Bonett and Price, 1.96 * sqrt(2 / 52) / sqrt(52).
        ((25, 0, 0, 25), 0.0533),
        # All hit: Wilson's lower limit of 20 of 20 alone, as there is no correlation to see.
        ((20, 0, 0, 0), 0.1611),
    ],
)
def test_without_disagreement_the_interval_still_has_a_width(
    counts: tuple[int, int, int, int], reach: float
) -> None:
    found = newcombe(*counts)
    assert found.high == pytest.approx(reach, abs=5e-5)
    assert found.low == pytest.approx(-found.high, abs=1e-12)


def exact_coverage(questions: int, chances: tuple[float, float, float, float]) -> float:
    """Probability that the interval holds the true difference, over all tables."""
    difference = chances[1] - chances[2]
    covered = 0.0
    for a in range(questions + 1):
        for b in range(questions + 1 - a):
            for c in range(questions + 1 - a - b):
                cells = (a, b, c, questions - a - b - c)
                if any(n and not p for n, p in zip(cells, chances, strict=True)):
                    continue
                found = newcombe(*cells)
                if found.low - 1e-12 <= difference <= found.high + 1e-12:
                    ways = math.factorial(questions)
                    for cell in cells:
                        ways //= math.factorial(cell)
                    covered += ways * math.prod(p**n for p, n in zip(chances, cells, strict=True))
    return covered


@pytest.mark.parametrize(
    "chances",
    [
        # Nested legs, where Newcombe's method alone covers 91.5 %.
        (0.4, 0.0, 0.1, 0.5),
        (0.6, 0.0, 0.2, 0.2),
        (0.25, 0.25, 0.25, 0.25),
        (0.9, 0.02, 0.06, 0.02),
    ],
)
def test_twenty_questions_are_covered_with_any_kind_of_legs(
    chances: tuple[float, float, float, float],
) -> None:
    assert exact_coverage(20, chances) >= 0.93


@pytest.mark.parametrize("hits", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0)])
def test_hits_of_fewer_than_two_questions_get_no_interval(
    hits: tuple[int, int, int, int],
) -> None:
    counts = PairedCounts(
        both=hits[0], candidate_only=hits[1], current_only=hits[2], neither=hits[3]
    )
    assert newcombe_interval(counts) == Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)


def test_a_higher_confidence_gives_a_wider_interval() -> None:
    counts = PairedCounts(both=20, candidate_only=12, current_only=2, neither=16)
    usual, wide = (
        given_interval(newcombe_interval(counts, confidence=one)) for one in (0.95, 0.99)
    )
    assert wide.low < usual.low < usual.high < wide.high
    assert (usual.method, usual.confidence, wide.confidence) == (
        IntervalMethod.NEWCOMBE,
        0.95,
        0.99,
    )


@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan])
def test_a_confidence_outside_its_range_is_refused(confidence: float) -> None:
    counts = PairedCounts(both=1, candidate_only=1, current_only=1, neither=1)
    with pytest.raises(InvalidSetting, match=r"^confidence: "):
        newcombe_interval(counts, confidence=confidence)
    with pytest.raises(InvalidSetting, match=r"^confidence: "):
        mean_interval([0.1, 0.2], confidence=confidence)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^counts: "):
        newcombe_interval(PairedCounts(both=5, candidate_only=-1, current_only=1, neither=5))


# Graded values -----------------------------------------------------------------------------


def differences(n: int, *, seed: int = 1, mean: float = 0.1) -> list[float]:
    values: list[float] = np.random.default_rng(seed).normal(mean, 0.4, n).tolist()
    return values


def test_a_graded_interval_says_how_it_came_about() -> None:
    found = given_interval(mean_interval(differences(40), seed=9, resamples=500))
    assert (found.method, found.resamples, found.seed, found.confidence) == (
        IntervalMethod.STUDENTISED_BOOTSTRAP,
        500,
        9,
        0.95,
    )
    assert found.low < sum(differences(40)) / 40 < found.high


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    found = [mean_interval(differences(60), seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1]
    assert given_interval(found[0]).low != given_interval(found[2]).low


@given(st.permutations(list(range(30))))
def test_the_order_of_the_questions_does_not_change_the_interval(order: list[int]) -> None:
    values = differences(30)
    turned = [values[index] for index in order]
    assert mean_interval(turned, resamples=200) == mean_interval(values, resamples=200)


def test_turning_the_legs_turns_a_graded_interval() -> None:
    found = given_interval(mean_interval(differences(50)))
    turned = given_interval(mean_interval([-value for value in differences(50)]))
    assert ends(turned) == pytest.approx([-found.high, -found.low], abs=1e-12)


def test_another_scale_gives_the_interval_on_that_scale() -> None:
    found = given_interval(mean_interval(differences(50)))
    scaled = given_interval(mean_interval([1000 * value for value in differences(50)]))
    assert ends(scaled) == pytest.approx([1000 * one for one in ends(found)], rel=1e-9)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], RefusalReason.TOO_FEW_QUESTIONS),
        ([0.5], RefusalReason.TOO_FEW_QUESTIONS),
        ([0.0] * 100, RefusalReason.ZERO_VARIANCE),
        ([0.5] * 100, RefusalReason.ZERO_VARIANCE),
        ([0.2 - 0.1, 0.3 - 0.2] * 30, RefusalReason.ZERO_VARIANCE),
        ([0.0] * 480 + differences(19), RefusalReason.TOO_FEW_DIFFERENCES),
        ([0.1 + 0.2 - 0.3] * 30 + differences(19), RefusalReason.TOO_FEW_DIFFERENCES),
        ([0.5] * 19 + [0.4], RefusalReason.NEARLY_CONSTANT),
        ([0.5] * 99 + [0.4], RefusalReason.NEARLY_CONSTANT),
    ],
)
def test_where_no_interval_is_honest_there_is_a_reason(
    values: list[float], reason: RefusalReason
) -> None:
    assert mean_interval(values) == Refusal(reason=reason)


def test_twenty_differences_that_are_not_zero_suffice() -> None:
    given_interval(mean_interval(differences(20)))
    given_interval(mean_interval([0.0] * 30 + differences(20)))


def test_a_graded_difference_that_is_not_finite_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^differences: must be finite"):
        mean_interval([math.nan] * 30)


def test_an_interval_without_resamples_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^resamples: "):
        mean_interval(differences(30), resamples=0)
