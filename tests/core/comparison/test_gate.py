"""What a gate says of a candidate alone, and which of its findings wins."""

from fractions import Fraction

import pytest

from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.gate import decide_gate, gate_candidate
from evenhand.core.comparison.gate_policy import CompletenessRule, Floor, GatePolicy
from evenhand.core.comparison.gate_result import GateCode, GateResult, GateState
from evenhand.core.comparison.side import Side
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.scoring.evaluation import Basis
from tests.builders import a_provenance
from tests.core.comparison.gates import BASELINE, codes, finding, first, gate, side
from tests.core.comparison.gates import questions as a_set_of

PLAIN = GatePolicy()
AGAINST_A_BASELINE = {
    GateCode.MARGIN,
    GateCode.POINT_DROP,
    GateCode.FAMILY,
    GateCode.CRITICAL,
    GateCode.LATENCY,
}


def test_an_equal_candidate_over_enough_questions_passes() -> None:
    result = gate(PLAIN, "1" * 80, "1" * 80)
    assert result.state is GateState.PASS
    assert {one.state for one in result.findings} == {GateState.PASS}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (BASELINE, a_provenance(corpus="corpus-2")),
        (BASELINE, None),
        (None, BASELINE),
        (None, None),
    ],
    ids=["other corpus", "unknown candidate", "unknown baseline", "both unknown"],
)
def test_what_cannot_be_compared_is_incomparable_and_shows_no_difference(
    before: RetrievalProvenance | None, now: RetrievalProvenance | None
) -> None:
    golden_set = a_set_of("1" * 40)
    sides = [side(golden_set, "1" * 40, before), side(golden_set, "0" * 40, now)]
    policy = GatePolicy(
        also_test=("Success@3",),
        floors=(Floor(measure="Success@1", minimum=Fraction(1, 2)),),
        max_median_ratio=Fraction(2),
    )
    result = decide_gate(policy, sides[1], compare_sides(*sides), golden_set=golden_set)
    assert result.state is GateState.INCOMPARABLE
    assert not codes(result) & AGAINST_A_BASELINE
    assert result.family == ()
    # What concerns the candidate alone is told all the same.
    assert finding(result, GateCode.FLOOR).state is GateState.FAIL


def test_a_first_known_result_is_judged_by_what_concerns_it_alone() -> None:
    policy = GatePolicy(floors=(Floor(measure="Success@1", minimum=Fraction(1, 2)),))
    assert first(policy, "1100").state is GateState.PASS
    assert first(policy, "1000").state is GateState.FAIL
    assert finding(first(policy, "1100"), GateCode.VERDICT).found == "baseline"
    assert not codes(first(policy, "1100")) & AGAINST_A_BASELINE


def test_a_first_result_that_is_unknown_or_not_allowed_is_incomparable() -> None:
    golden_set = a_set_of("11")

    def state(provenance: RetrievalProvenance | None, *, allow_first: bool) -> GateState:
        candidate = side(golden_set, "11", provenance)
        return decide_gate(
            PLAIN, candidate, None, golden_set=golden_set, allow_first=allow_first
        ).state

    assert state(BASELINE, allow_first=True) is GateState.PASS
    assert state(BASELINE, allow_first=False) is GateState.INCOMPARABLE
    assert state(None, allow_first=True) is GateState.INCOMPARABLE


@pytest.mark.parametrize(
    ("measure", "minimum", "state", "found"),
    [
        ("Success@1", "2/8", GateState.PASS, "2/8"),
        ("Success@1", "251/1000", GateState.FAIL, "2/8"),
        ("Success@3", "3/8", GateState.PASS, "3/8"),
        ("Success@3", "376/1000", GateState.FAIL, "3/8"),
        ("abstention", "1/2", GateState.PASS, "1/2"),
        ("abstention", "51/100", GateState.FAIL, "1/2"),
    ],
)
def test_a_floor_is_exact_and_counts_a_failed_question_as_a_miss(
    measure: str, minimum: str, state: GateState, found: str
) -> None:
    policy = GatePolicy(floors=(Floor(measure=measure, minimum=Fraction(minimum)),))
    result = first(policy, "113000!!" + "-0", no_answer=2)
    assert result.state is state
    assert finding(result, GateCode.FLOOR).found == Fraction(found)


def test_a_floor_on_what_the_set_does_not_ask_is_incomplete() -> None:
    policy = GatePolicy(floors=(Floor(measure="abstention", minimum=Fraction(0)),))
    result = first(policy, "1111")
    assert result.state is GateState.INCOMPLETE
    assert finding(result, GateCode.FLOOR).found is None


@pytest.mark.parametrize(
    ("picture", "state"),
    [
        ("-111", GateState.PASS),
        ("--11", GateState.FAIL),
        ("-!11", GateState.INCOMPLETE),
        ("!111", GateState.PASS),
    ],
)
def test_false_abstention_has_a_ceiling_that_failures_leave_open(
    picture: str, state: GateState
) -> None:
    policy = GatePolicy(max_false_abstention=Fraction(1, 4))
    assert first(policy, picture).state is state


@pytest.mark.parametrize(
    ("picture", "state", "is_wrong"),
    [("!" + "1" * 9, GateState.PASS, False), ("!!" + "1" * 8, GateState.INCOMPLETE, True)],
)
def test_too_many_failed_questions_leave_nothing_to_decide(
    picture: str, state: GateState, is_wrong: bool
) -> None:
    policy = GatePolicy(completeness=CompletenessRule(max_failed_share=Fraction(1, 10)))
    result = first(policy, picture)
    assert (result.state, result.went_wrong) == (state, is_wrong)


@pytest.mark.parametrize(
    ("current", "state", "is_wrong"),
    [
        ("!" * 20 + "1" * 180, GateState.PASS, False),
        ("!" * 21 + "1" * 179, GateState.INCOMPLETE, True),
    ],
)
def test_a_baseline_of_which_too_many_questions_failed_decides_nothing(
    current: str, state: GateState, is_wrong: bool
) -> None:
    policy = GatePolicy(completeness=CompletenessRule(max_failed_share=Fraction(1, 10)))
    result = gate(policy, current, "1" * 200)
    assert (result.state, result.went_wrong) == (state, is_wrong)


@pytest.mark.parametrize(
    ("current", "candidate"), [("!" + "1" * 199, "1" * 200), ("1" * 200, "!" + "1" * 199)]
)
def test_one_failed_question_on_either_side_is_incomplete_where_the_policy_says_so(
    current: str, candidate: str
) -> None:
    strict = GatePolicy(completeness=CompletenessRule(require_complete=True))
    assert gate(strict, current, candidate).state is GateState.INCOMPLETE
    assert gate(PLAIN, current, candidate).state is GateState.PASS


def test_the_candidate_must_rest_on_the_basis_that_is_required() -> None:
    golden_set = a_set_of("1" * 80)
    local, imported = (
        side(golden_set, "1" * 80, basis=basis) for basis in (Basis.LOCAL, Basis.IMPORTED)
    )

    def result(current: Side, candidate: Side, *basis: Basis) -> GateResult:
        policy = GatePolicy(basis=basis)
        return gate_candidate(policy, candidate, current, golden_set=golden_set).result

    assert result(local, imported).state is GateState.PASS
    assert result(local, imported, Basis.LOCAL, Basis.IMPORTED).state is GateState.PASS
    assert result(local, imported, Basis.LOCAL).state is GateState.FAIL
    # A baseline from a file is imported; that is told, and decides nothing.
    held = result(imported, local, Basis.LOCAL)
    assert held.state is GateState.PASS
    assert finding(held, GateCode.BASIS, "baseline").is_flag


def test_a_broken_demand_wins_over_one_that_is_open() -> None:
    floor = Floor(measure="Success@1", minimum=Fraction(9, 10))
    both = GatePolicy(floors=(floor,), completeness=CompletenessRule(max_failed_share=Fraction(0)))
    assert first(both, "!000").state is GateState.FAIL
    # Ten questions decide nothing by the margin, but the floor is broken.
    assert gate(PLAIN, "1" * 8 + "00", "1" * 7 + "000").state is GateState.INCONCLUSIVE
    assert gate(GatePolicy(floors=(floor,)), "1" * 8 + "00", "1" * 7 + "000").state is (
        GateState.FAIL
    )
