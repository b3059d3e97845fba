"""A gate whose policy lets a graded measure decide."""

from dataclasses import replace
from fractions import Fraction

from evenhand.core.comparison.gate import Gated, gate_candidate
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.gate_result import GateCode, GateState
from evenhand.core.comparison.side import Side
from tests.core.comparison.test_graded import a_side, graded_set

POLICY = GatePolicy(primary="nDCG@10", margin=Fraction(1, 100))


def gated(candidate: Side, baseline: Side) -> Gated:
    return gate_candidate(POLICY, candidate, baseline, golden_set=graded_set())


def test_a_candidate_that_ranks_as_well_passes_and_one_that_ranks_worse_fails() -> None:
    assert gated(a_side(), a_side()).result.state is GateState.PASS
    failed = gated(a_side(good_from=25), a_side()).result
    assert failed.state is GateState.FAIL
    assert {one.measure for one in failed.findings if one.code is GateCode.MARGIN} == {"nDCG@10"}


def test_hits_alone_do_not_see_what_the_graded_measure_decides() -> None:
    hits = GatePolicy(margin=Fraction(1, 100))
    golden_set = graded_set()
    decided = gate_candidate(hits, a_side(good_from=25), a_side(), golden_set=golden_set)
    assert decided.result.state is GateState.PASS


def test_other_grades_and_unknown_ones_are_incomparable() -> None:
    for baseline in (
        a_side(golden_set=graded_set(first=3)),
        replace(a_side(), qrels_digest=None),
    ):
        assert gated(a_side(), baseline).result.state is GateState.INCOMPARABLE
