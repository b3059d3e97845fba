"""The rule by which a threshold is fitted: balanced accuracy, halfway between scores, lowest."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.demo.threshold import PLACES, fit_threshold

SCORES = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "value", "balanced"),
    [
        ([0.8, 0.6], [0.4, 0.2], 0.5, 1),  # separable: halfway between the neighbours
        ([0.6], [0.4, 0.2, 0.1], 0.5, 1),
        ([0.9, 0.3], [0.5, 0.1], 0.2, Fraction(3, 4)),  # 0.2 and 0.7 are equal: the lower
        ([0.2], [0.8], 0.19, Fraction(1, 2)),  # nothing helps: below all, so everything answers
        ([0.5], [0.5], 0.49, Fraction(1, 2)),
        ([0.9, 0.9, 0.9, 0.1], [0.5], 0.7, Fraction(7, 8)),  # shares, not counts
    ],
)
def test_the_threshold_is_the_one_of_the_rule(
    answerable: list[float], unanswerable: list[float], value: float, balanced: Fraction
) -> None:
    fitted = fit_threshold(answerable, unanswerable)
    assert fitted.value == pytest.approx(value)
    assert fitted.balanced_accuracy == balanced


@given(SCORES, SCORES)
def test_no_other_threshold_is_better_and_no_lower_one_as_good(
    answerable: list[float], unanswerable: list[float]
) -> None:
    fitted = fit_threshold(answerable, unanswerable)
    for number in range(-1, 21):
        other = number / 20 + 0.025  # halfway between two possible scores
        answered = Fraction(sum(one >= other for one in answerable), len(answerable))
        abstained = Fraction(sum(one < other for one in unanswerable), len(unanswerable))
        balanced = (answered + abstained) / 2
        assert balanced <= fitted.balanced_accuracy
        if balanced == fitted.balanced_accuracy:
            between = [
                one
                for one in (*answerable, *unanswerable)
                if min(other, fitted.value) <= one < max(other, fitted.value)
            ]
            assert other >= fitted.value or not between


@given(SCORES, SCORES)
def test_the_counts_are_those_of_the_rounded_value(
    answerable: list[float], unanswerable: list[float]
) -> None:
    fitted = fit_threshold(answerable, unanswerable)
    assert fitted.value == round(fitted.value, PLACES)
    assert fitted.answered == sum(one >= fitted.value for one in answerable)
    assert fitted.abstained == sum(one < fitted.value for one in unanswerable)


@pytest.mark.parametrize(("answerable", "unanswerable"), [([], [0.1]), ([0.1], [])])
def test_both_kinds_of_question_are_needed(
    answerable: list[float], unanswerable: list[float]
) -> None:
    with pytest.raises(ValueError, match="both kinds"):
        fit_threshold(answerable, unanswerable)
