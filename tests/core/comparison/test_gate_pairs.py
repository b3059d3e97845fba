"""What a gate demands of a candidate against a comparable baseline."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.gate import decide_gate
from evenhand.core.comparison.gate_policy import CriticalRule, GatePolicy, question_digest
from evenhand.core.comparison.gate_result import GateCode, GateState
from evenhand.core.comparison.pairing import hit_difference
from evenhand.core.comparison.side import Side, fresh_side
from evenhand.core.scoring.intervals import Interval
from tests.builders import FakeClock, a_question, a_set, an_evaluation
from tests.core.comparison.gates import BASELINE, TREATED, codes, finding, gate, questions, side

PLAIN = GatePolicy()


@pytest.mark.parametrize(
    ("lost", "won", "state"),
    [
        (0, 0, GateState.PASS),
        (5, 5, GateState.PASS),
        (12, 5, GateState.INCONCLUSIVE),
        (15, 5, GateState.FAIL),
        (30, 5, GateState.FAIL),
        (0, 50, GateState.PASS),
    ],
)
def test_the_lower_bound_of_the_difference_decides_against_the_margin(
    lost: int, won: int, state: GateState
) -> None:
    same = 100 - lost - won
    result = gate(PLAIN, "1" * (same + lost) + "0" * won, "1" * same + "0" * lost + "1" * won)
    assert result.state is state
    margin = finding(result, GateCode.MARGIN, "Success@1")
    (primary,) = result.family
    assert isinstance(primary.interval, Interval)
    assert margin.found == primary.interval.low
    assert margin.wanted == Fraction(-1, 10)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(1, 100))
def test_a_gate_never_passes_with_a_lower_bound_at_or_below_minus_the_margin(
    both: int, lost: int, won: int, percent: int
) -> None:
    current = "1" * (both + lost) + "0" * (won + 2)
    candidate = "1" * both + "0" * lost + "1" * won + "0" * 2
    result = gate(GatePolicy(margin=Fraction(percent, 100)), current, candidate)
    difference = hit_difference(
        "Success@1", [one == "1" for one in current], [one == "1" for one in candidate]
    )
    assert isinstance(difference.interval, Interval)
    is_above = difference.interval.low > -Fraction(percent, 100)
    assert (result.state is GateState.PASS) is is_above


def test_a_margin_of_zero_asks_for_a_candidate_that_is_better() -> None:
    strict = GatePolicy(margin=Fraction(0))
    assert gate(strict, "1" * 80 + "0" * 20, "1" * 80 + "0" * 20).state is GateState.INCONCLUSIVE
    assert gate(strict, "1" * 80 + "0" * 20, "1" * 100).state is GateState.PASS


def test_a_fall_that_is_significant_and_within_the_margin_passes_with_a_flag() -> None:
    result = gate(PLAIN, "1" * 1000, "1" * 970 + "0" * 30)
    assert result.state is GateState.PASS
    flagged = finding(result, GateCode.WORSE_WITHIN_MARGIN)
    assert (flagged.found, flagged.is_flag) == (Fraction(-3, 100), True)


@pytest.mark.parametrize(("drop", "is_flag"), [(10, False), (11, True)])
def test_the_point_rule_is_a_flag_beyond_a_tenth_exactly(drop: int, is_flag: bool) -> None:
    result = gate(PLAIN, "1" * 100, "1" * (100 - drop) + "0" * drop)
    flag = finding(result, GateCode.POINT_DROP)
    assert (flag.found, flag.is_flag) == (Fraction(drop, 100), is_flag)
    assert flag.state is GateState.PASS


def test_failed_questions_that_could_change_the_decision_make_it_incomplete() -> None:
    # Ten questions of the baseline failed: as misses they make the candidate look better.
    current = "!" * 10 + "1" * 80 + "0" * 10
    candidate = "1" * 10 + "1" * 70 + "0" * 20
    assert gate(PLAIN, current, candidate).state is GateState.INCOMPLETE
    # The same picture with known answers is a finished decision.
    assert gate(PLAIN, current.replace("!", "1"), candidate).state is not GateState.PASS


def test_failed_questions_that_cannot_change_the_decision_do_not_stop_it() -> None:
    assert gate(PLAIN, "1" * 300, "!" + "1" * 299).state is GateState.PASS
    assert gate(PLAIN, "1" * 300, "!" + "0" * 299).state is GateState.FAIL


def test_false_abstention_as_the_primary_measure_is_turned_around() -> None:
    policy = GatePolicy(primary="false abstention")
    assert gate(policy, "1" * 100, "-" * 50 + "1" * 50).state is GateState.FAIL
    better = gate(policy, "-" * 50 + "1" * 50, "1" * 100)
    assert better.state is GateState.PASS
    assert finding(better, GateCode.POINT_DROP).found == Fraction(-1, 2)


def test_a_primary_measure_that_the_set_does_not_ask_for_is_incomplete() -> None:
    result = gate(GatePolicy(primary="abstention"), "1" * 80, "1" * 80)
    assert result.state is GateState.INCOMPLETE
    assert finding(result, GateCode.MARGIN).found is None


def test_the_same_treatment_with_the_same_answers_passes_however_small_the_set() -> None:
    golden_set = questions("1100")
    current, same = side(golden_set, "1100"), side(golden_set, "1100")
    other = side(golden_set, "1100", TREATED)

    def state(candidate: Side) -> GateState:
        comparison = compare_sides(current, candidate)
        return decide_gate(PLAIN, comparison.candidate, comparison, golden_set=golden_set).state

    assert state(same) is GateState.PASS
    # Another model that happens to answer four questions alike has shown nothing.
    assert state(other) is GateState.INCONCLUSIVE
    # Nor has the same one, once a question failed.
    assert state(side(golden_set, "110!")) is GateState.INCONCLUSIVE


def test_a_significant_fall_of_another_measure_of_the_family_fails_the_gate() -> None:
    policy = GatePolicy(also_test=("abstention",))
    right, wrong = "1" * 100 + "-" * 20, "1" * 100 + "0" * 20
    assert gate(policy, right, right, no_answer=20).state is GateState.PASS
    result = gate(policy, right, wrong, no_answer=20)
    assert result.state is GateState.FAIL
    assert finding(result, GateCode.FAMILY).found == Fraction(-1)
    assert gate(PLAIN, right, wrong, no_answer=20).state is GateState.PASS


def test_the_family_is_adjusted_by_holm() -> None:
    # Six losses and no win: p is 0.03125, which two tests make 0.0625.
    right, wrong = "1" * 100 + "-" * 6, "1" * 100 + "0" * 6
    alone = GatePolicy(primary="abstention", margin=Fraction(0))
    assert gate(alone, right, wrong, no_answer=6).state is GateState.FAIL
    both = GatePolicy(also_test=("abstention",))
    result = gate(both, right, wrong, no_answer=6)
    (_, tested) = result.family
    assert (tested.p, tested.adjusted_p) == (0.03125, 0.0625)
    assert result.state is GateState.PASS


def test_a_test_that_the_set_does_not_allow_is_incomplete() -> None:
    result = gate(GatePolicy(also_test=("abstention",)), "1" * 80, "1" * 80)
    assert result.state is GateState.INCOMPLETE


def test_a_family_test_that_failed_questions_could_turn_is_incomplete() -> None:
    policy = GatePolicy(also_test=("abstention",))
    right, wrong = "1" * 100 + "-" * 20, "1" * 100 + "!" * 20
    assert gate(policy, right, wrong, no_answer=20).state is GateState.INCOMPLETE


@pytest.mark.proves("G-55")
@pytest.mark.parametrize(
    ("before", "now", "state"),
    [
        ("3", "0", GateState.FAIL),
        ("1", "!", GateState.FAIL),
        ("1", "3", GateState.PASS),
        ("0", "0", GateState.PASS),
        ("!", "0", GateState.PASS),
        ("0", "1", GateState.PASS),
    ],
)
def test_a_critical_question_that_was_a_hit_at_three_and_is_none_now_fails_the_gate(
    before: str, now: str, state: GateState
) -> None:
    rest = "1" * 300
    result = gate(PLAIN, before + rest, now + rest, critical=[0])
    assert result.state is state
    lost = finding(result, GateCode.CRITICAL)
    assert lost.positions == ((0,) if state is GateState.FAIL else ())
    assert gate(PLAIN, before + rest, now + rest).state is GateState.PASS


def test_critical_questions_may_be_named_by_the_digest_of_their_id() -> None:
    current, candidate = "1" * 300, "0" + "1" * 299
    named = CriticalRule(questions=(question_digest(b"q0000"),))
    assert gate(GatePolicy(critical=named), current, candidate).state is GateState.FAIL
    other = CriticalRule(questions=(question_digest(b"q0001"),))
    assert gate(GatePolicy(critical=other), current, candidate).state is GateState.PASS


def test_marks_of_the_set_count_unless_the_policy_says_otherwise() -> None:
    current, candidate = "1" * 300, "00" + "1" * 298
    marked = [0, 1]
    unmarked = GatePolicy(critical=CriticalRule(marked=False))
    result = gate(unmarked, current, candidate, critical=marked)
    assert GateCode.CRITICAL not in codes(result)
    for allowed, state in ((1, GateState.FAIL), (2, GateState.PASS)):
        policy = GatePolicy(critical=CriticalRule(max_regressions=allowed))
        assert gate(policy, current, candidate, critical=marked).state is state


def test_a_critical_question_that_the_set_does_not_have_is_incomplete() -> None:
    rule = CriticalRule(questions=(question_digest(b"gone"), question_digest(b"q0000")))
    result = gate(GatePolicy(critical=rule), "1" * 80, "1" * 80)
    assert result.state is GateState.INCOMPLETE
    assert finding(result, GateCode.CRITICAL_ABSENT).found == 1


def test_critical_questions_are_paired_by_id_where_one_side_has_other_unjudged_ones() -> None:
    judged = [a_question(f"q{number}", "target", critical=number == 3) for number in range(300)]
    before = a_set(*judged)
    now = a_set(a_question("a", unjudged=True), *judged)
    current = an_evaluation(before, provenance=BASELINE)
    given = {question.text: ["target"] for question in judged if question.id != b"q3"}
    candidate = an_evaluation(now, dict(given), provenance=TREATED)
    comparison = compare_sides(fresh_side(current), fresh_side(candidate))
    result = decide_gate(PLAIN, comparison.candidate, comparison, golden_set=now)
    lost = finding(result, GateCode.CRITICAL)
    assert [now.by_position[position].id for position in lost.positions] == [b"q3"]


@pytest.mark.parametrize(
    ("step_ms", "state", "is_flag"),
    [(20, GateState.PASS, False), (21, GateState.FAIL, False)],
)
def test_latency_is_limited_under_equal_conditions(
    step_ms: int, state: GateState, is_flag: bool
) -> None:
    golden_set = questions("1" * 80)
    current = an_evaluation(golden_set, provenance=BASELINE, clock=FakeClock(step_ms=10))
    candidate = an_evaluation(golden_set, provenance=TREATED, clock=FakeClock(step_ms=step_ms))
    comparison = compare_sides(fresh_side(current), fresh_side(candidate))
    policy = GatePolicy(max_median_ratio=Fraction(2))
    result = decide_gate(policy, comparison.candidate, comparison, golden_set=golden_set)
    assert (result.state, finding(result, GateCode.LATENCY).is_flag) == (state, is_flag)
    assert finding(result, GateCode.LATENCY).found == Fraction(step_ms, 10)


def test_latency_under_other_conditions_decides_nothing_and_is_flagged() -> None:
    golden_set = questions("1" * 80)
    current = side(golden_set, "1" * 80)
    elsewhere = replace(current, conditions=replace(current.conditions, machine="other"))
    comparison = compare_sides(elsewhere, side(golden_set, "1" * 80, TREATED))
    policy = GatePolicy(max_median_ratio=Fraction(1, 100))
    result = decide_gate(policy, comparison.candidate, comparison, golden_set=golden_set)
    assert result.state is GateState.PASS
    latency = finding(result, GateCode.LATENCY)
    assert (latency.found, latency.is_flag) == (None, True)
