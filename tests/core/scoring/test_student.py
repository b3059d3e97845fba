"""Student's t against values of scipy, and the t test that nothing rests on."""

import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.significance import Method, Refusal, RefusalReason
from evenhand.core.scoring.student import (
    detectable_mean,
    paired_t_test,
    t_quantile,
    two_sided_p,
)

# Computed by scipy.stats.t 1.17.1 (2 * sf and ppf).
P_VALUES = [
    (0.0, 3, 1.0),
    (0.5, 1, 0.7048327646991335),
    (2.3333333333333335, 4, 0.0799596465455817),
    (1.96, 19, 0.06482897928896933),
    (-4.0, 50, 0.00020919024636403336),
    (2.5, 499, 0.012739218358044858),
    (30.0, 7, 1.1788468880733144e-08),
]
QUANTILES = [
    (0.95, 1, 12.706204736174694),
    (0.95, 4, 2.7764451051977934),
    (0.95, 19, 2.0930240544083087),
    (0.99, 30, 2.7499956535672254),
    (0.95, 499, 1.9647293909876886),
    (0.6, 19, 0.8609505502689286),
    (0.95, 49_999, 1.9600114320426525),
]


@pytest.mark.parametrize(("t", "degrees", "expected"), P_VALUES)
def test_the_p_value_is_that_of_the_distribution(t: float, degrees: int, expected: float) -> None:
    assert two_sided_p(t, degrees) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("confidence", "degrees", "expected"), QUANTILES)
def test_the_quantile_holds_the_confidence(
    confidence: float, degrees: int, expected: float
) -> None:
    assert t_quantile(confidence, degrees) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5])
def test_a_confidence_outside_its_range_is_refused(confidence: float) -> None:
    with pytest.raises(InvalidSetting, match=r"^confidence: "):
        t_quantile(confidence, 5)


def test_no_degrees_of_freedom_are_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^degrees: "):
        two_sided_p(1.0, 0)


def test_the_t_test_gives_t_and_its_p_value() -> None:
    # scipy.stats.ttest_1samp 1.17.1.
    answer = paired_t_test([0.1, 0.3, -0.2, 0.45, 0, 0.05, -0.1, 0.6, 0.2, 0])
    assert not isinstance(answer, Refusal)
    t, significance = answer
    assert t == pytest.approx(1.776410724638817, rel=1e-12)
    assert significance.method is Method.PAIRED_T
    assert significance.p == pytest.approx(0.10939435526722435, rel=1e-10)


@pytest.mark.parametrize(
    ("differences", "reason"),
    [
        ([], RefusalReason.TOO_FEW_QUESTIONS),
        ([0.5], RefusalReason.TOO_FEW_QUESTIONS),
        ([0.0, 0.0, 0.0], RefusalReason.ZERO_VARIANCE),
        # scipy gives p = 1e-63 for these.
        ([0.2 - 0.1, 0.3 - 0.2, 0.4 - 0.3, 0.5 - 0.4, 0.6 - 0.5], RefusalReason.ZERO_VARIANCE),
    ],
)
def test_the_t_test_refuses_what_has_no_spread(
    differences: list[float], reason: RefusalReason
) -> None:
    assert paired_t_test(differences) == Refusal(reason=reason)


def test_the_detectable_mean_is_that_of_the_textbook() -> None:
    found = detectable_mean(100, 0.3)
    assert found is not None
    # (z of 0.975 and of 0.8, here of t) * 0.3 / 10; by the normal distribution 0.08405.
    assert found.difference == pytest.approx(0.0849, abs=2e-4)
    assert (found.questions, found.spread) == (100, 0.3)


@pytest.mark.parametrize(("questions", "spread"), [(1, 0.3), (0, 0.3), (50, 0.0)])
def test_without_spread_nothing_is_said_of_what_could_be_found(
    questions: int, spread: float
) -> None:
    assert detectable_mean(questions, spread) is None
