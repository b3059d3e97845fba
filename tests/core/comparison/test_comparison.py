"""Verdict first, and a number only where it is comparable."""

from dataclasses import replace
from fractions import Fraction

import pytest

from evenhand.core.comparison.comparison import as_candidates, compare_sides
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.errors import Invalid, InvalidSetting
from evenhand.core.verdict import VerdictState
from tests.builders import a_question, a_set
from tests.core.comparison.pairs import (
    FORTY,
    REFUSED,
    a_result,
    a_side,
    answers,
    compared,
)

NUMBERS = ("differences", "flips", "splits", "judged")


@pytest.mark.parametrize("case", REFUSED)
def test_without_comparable_nothing_numeric_is_in_the_value(case: str) -> None:
    comparison = compared(*REFUSED[case])
    assert not comparison.is_comparable
    assert comparison.verdict.reasons
    assert [getattr(comparison, name) for name in NUMBERS] == [()] * 4
    assert (comparison.rank_moves, comparison.latency) == (None, None)
    assert (comparison.primary_difference, comparison.conclusion) == (None, None)
    assert not comparison.treatment_changed


def test_reasons_name_both_sides_and_the_candidate_is_the_later_one() -> None:
    (reason,) = compared(a_result(corpus="then"), a_result(corpus="now")).verdict.reasons
    assert (reason.previous, reason.current) == ("then", "now")


def test_delta_is_candidate_less_current() -> None:
    comparison = compared(a_result(answers(range(12))), a_result(answers(range(2))))
    decided = comparison.primary_difference
    assert decided is not None
    assert (decided.measure, decided.delta) == ("Success@1", Fraction(10, 40))
    assert (decided.point.wins, decided.point.losses, decided.point.ties) == (10, 0, 30)
    assert comparison.conclusion is Conclusion.BETTER
    turned = compared(a_result(answers(range(2))), a_result(answers(range(12))))
    assert turned.conclusion is Conclusion.WORSE


def test_the_primary_measure_decides_and_the_others_are_descriptive() -> None:
    comparison = compared(a_result(answers(noisy=range(4))), a_result())
    assert comparison.conclusion is Conclusion.INCONCLUSIVE
    assert [one.measure for one in comparison.descriptive] == [
        "Success@3",
        "abstention",
        "false abstention",
    ]
    assert all(one.family == 1 for one in comparison.differences)


def test_a_primary_measure_can_be_declared_and_must_be_one() -> None:
    sides = (a_side(a_result()), a_side(a_result(answers(noisy=range(4)))))
    assert compare_sides(*sides, primary="abstention").primary == "abstention"
    with pytest.raises(InvalidSetting):
        compare_sides(*sides, primary="nDCG@10")


def test_a_set_that_nothing_answers_is_decided_by_abstention() -> None:
    nothing = a_set(a_question("r1"), a_question("r2"))
    comparison = compared(
        a_result({}, golden_set=nothing), a_result({}, golden_set=nothing), golden_set=nothing
    )
    assert comparison.primary == "abstention"
    assert comparison.primary_difference is not None


def test_failures_that_decide_the_sign_make_it_incomplete() -> None:
    current = a_result(answers(missed=range(10, 14), failed=range(10)))
    comparison = compared(current, a_result(answers(missed=range(10))))
    assert comparison.conclusion is Conclusion.INCOMPLETE


def test_without_outcomes_the_verdict_stands_and_nothing_is_told() -> None:
    current = replace(a_side(a_result()), outcomes=None)
    comparison = compare_sides(current, a_side(a_result()), golden_set=FORTY)
    assert comparison.verdict.state is VerdictState.COMPARABLE
    assert comparison.lacks_outcomes
    assert [getattr(comparison, name) for name in NUMBERS] == [()] * 4


def test_outcomes_of_other_questions_under_equal_labels_are_refused() -> None:
    side = a_side(a_result())
    assert side.outcomes is not None
    edited = replace(side, outcomes=side.outcomes[1:])
    with pytest.raises(Invalid, match="equal labels"):
        compare_sides(side, edited)


def test_a_treatment_and_a_depth_that_differ_are_said() -> None:
    same = compared(a_result(), a_result())
    assert (same.treatment_changed, same.depth_changed) == (False, False)
    other = compared(a_result(), a_result(model="model-2", depth=20))
    assert (other.treatment_changed, other.depth_changed) == (True, True)
    assert compared(*REFUSED["another corpus"]).depth_changed is False


def test_several_candidates_are_adjusted_together_on_the_primary_measure_only() -> None:
    current = a_result(answers(range(6)))
    alone = [compared(current, a_result(answers(range(rest)))) for rest in (0, 1)]
    refused = compared(current, a_result(corpus="corpus-2"))
    first, unknown, second = as_candidates([alone[0], refused, alone[1]])
    assert unknown == refused
    for before, after in zip(alone, (first, second), strict=True):
        decided, single = after.primary_difference, before.primary_difference
        assert decided is not None
        assert single is not None
        assert (decided.family, decided.p) == (2, single.p)
        assert decided.adjusted_p is not None
        assert single.p is not None
        assert decided.adjusted_p >= single.p
        assert after.descriptive == before.descriptive
    # p is 0.031 alone: Holm over two takes the answer back.
    assert alone[0].conclusion is Conclusion.BETTER
    assert first.conclusion is Conclusion.INCONCLUSIVE
