"""A result against the one before: nothing numeric without a comparable verdict."""

import dataclasses
from fractions import Fraction

import pytest

from evenhand.core.comparison.previous import Flip, Tolerance, compare_with_previous, flips
from evenhand.core.verdict import VerdictState
from tests.builders import (
    a_comparison,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
    right_answers,
)

DECLARED = a_provenance()
WRONG = {"q1": ["x"], "q2": ["x"], "q3": ["x"], "q4": ["x"]}


@pytest.mark.proves("BP-23")
def test_an_unknown_result_carries_no_number() -> None:
    found = a_comparison(an_evaluation(), an_evaluation(given=WRONG, provenance=DECLARED))
    assert found.verdict.state is VerdictState.UNKNOWN
    assert (found.differences, found.regression, found.flips) == ((), None, ())
    assert not found.treatment_changed


@pytest.mark.proves("BP-23")
def test_a_mismatch_carries_no_number() -> None:
    found = a_comparison(
        an_evaluation(given=WRONG, provenance=a_provenance(corpus="corpus-2")),
        an_evaluation(provenance=DECLARED),
    )
    assert found.verdict.state is VerdictState.MISMATCH
    assert (found.differences, found.regression, found.flips) == ((), None, ())


@pytest.mark.proves("BP-22", "BP-23")
def test_a_first_result_is_a_baseline_without_numbers() -> None:
    found = a_comparison(an_evaluation(provenance=DECLARED))
    assert found.verdict.state is VerdictState.BASELINE
    assert found.previous is None
    assert (found.differences, found.regression, found.flips) == ((), None, ())


@pytest.mark.proves("BP-23", "BP-14")
def test_a_comparable_result_has_differences_and_a_regression_flag() -> None:
    better, worse = (
        an_evaluation(provenance=DECLARED),
        an_evaluation(given=WRONG, provenance=DECLARED),
    )
    fell = a_comparison(worse, better)
    assert fell.verdict.state is VerdictState.COMPARABLE
    assert fell.regression is not None
    assert fell.regression.is_regression
    assert {one.measure: one.delta for one in fell.differences}["Success@1"] == -1
    rose = a_comparison(better, worse)
    assert rose.regression is not None
    assert not rose.regression.is_regression


@pytest.mark.proves("BP-14")
def test_each_rate_has_a_tolerance_of_its_own() -> None:
    better, worse = (
        an_evaluation(provenance=DECLARED),
        an_evaluation(given=WRONG, provenance=DECLARED),
    )
    all_of_it = Tolerance(max_top1_drop=Fraction(1), max_top3_drop=Fraction(0))
    found = a_comparison(worse, better, tolerance=all_of_it).regression
    assert found is not None
    assert (found.top1_regressed, found.top3_regressed) == (False, True)


@pytest.mark.proves("P-43", "BP-24")
@pytest.mark.parametrize("changed", [{"model": "m-2"}, {"chunking": "c-2"}, {"pipeline": "p-2"}])
def test_another_treatment_on_an_equal_benchmark_is_said_and_compared(
    changed: dict[str, str],
) -> None:
    found = a_comparison(
        an_evaluation(provenance=a_provenance(**changed)), an_evaluation(provenance=DECLARED)
    )
    assert found.verdict.is_comparable
    assert found.treatment_changed
    assert found.differences


@pytest.mark.proves("P-44", "BP-24")
def test_another_execution_revision_is_no_other_treatment() -> None:
    found = a_comparison(
        an_evaluation(provenance=a_provenance(execution="commit-2")),
        an_evaluation(provenance=a_provenance(execution="commit-1")),
    )
    assert found.verdict.is_comparable
    assert not found.treatment_changed


def test_another_depth_is_reported_whatever_the_verdict() -> None:
    for current in (None, DECLARED):
        found = a_comparison(
            an_evaluation(provenance=current, depth=20), an_evaluation(provenance=DECLARED)
        )
        assert found.depth_changed
    assert not a_comparison(an_evaluation(), an_evaluation()).depth_changed
    assert not a_comparison(an_evaluation(depth=20)).depth_changed


def test_flips_name_won_and_lost_questions_by_position() -> None:
    previous = an_evaluation(given={"q1": ["d1"], "q2": ["x"]}, provenance=DECLARED)
    current = an_evaluation(given={"q1": ["x"], "q2": ["d2"], "q4": ["x"]}, provenance=DECLARED)
    assert a_comparison(current, previous).flips == (
        Flip(position=0, won=False),
        Flip(position=1, won=True),
        Flip(position=3, won=False),
    )


def test_without_stored_outcomes_flips_are_unknown_and_the_rest_stays() -> None:
    found = a_comparison(
        an_evaluation(given=WRONG, provenance=DECLARED),
        an_evaluation(provenance=DECLARED),
        previous_keeps_outcomes=False,
    )
    assert found.flips is None
    assert found.regression is not None
    assert found.differences


def test_unjudged_questions_on_one_side_do_not_shift_the_pairs() -> None:
    # They are in no labels digest, so the benchmark is equal and the positions are not.
    judged = [a_question("b", "t"), a_question("d", "t")]
    plain = a_set(*judged)
    with_more = a_set(
        a_question("a", unjudged=True), judged[0], a_question("c", unjudged=True), judged[1]
    )
    assert with_more.labels_fingerprint == plain.labels_fingerprint
    right, wrong = {"b": ["t"], "d": ["t"]}, {"b": ["t"], "d": ["x"]}
    lost = a_comparison(
        an_evaluation(with_more, wrong, provenance=DECLARED),
        an_evaluation(plain, right, provenance=DECLARED),
    )
    assert lost.flips == (Flip(position=3, won=False),)
    won = a_comparison(
        an_evaluation(plain, right, provenance=DECLARED),
        an_evaluation(with_more, wrong, provenance=DECLARED),
    )
    assert won.flips == (Flip(position=1, won=True),)


def test_flips_of_unequal_numbers_of_judged_questions_are_refused() -> None:
    whole = an_evaluation().outcomes
    with pytest.raises(ValueError, match="longer"):
        flips(whole[1:], whole)


@pytest.mark.proves("BP-23")
def test_a_previous_record_alone_decides_nothing_without_its_identity() -> None:
    current = an_evaluation(provenance=DECLARED)
    legacy = dataclasses.replace(a_record(current), identity=None)
    found = compare_with_previous(
        a_record(current, number=2), current.outcomes, legacy, current.outcomes, Tolerance()
    )
    assert found.verdict.state is VerdictState.UNKNOWN
    assert found.differences == ()


def test_right_answers_are_all_hits() -> None:
    asked = a_set()
    assert all(one.is_hit(1) for one in an_evaluation(asked, right_answers(asked)).outcomes)
