"""A gate whose policy lets a graded measure decide."""

from dataclasses import replace
from fractions import Fraction

import pytest

from evenhand.core.comparison.gate import Gated, gate_candidate
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.gate_result import GateCode, GateState
from evenhand.core.comparison.side import Side, fresh_side
from tests.builders import a_provenance, an_evaluation
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


def a_side_without(lost: int) -> Side:
    """Nothing comes back for the first questions, the best document first for the others."""
    asked = graded_set()
    answers = {
        question.text: [] if place < lost else ["best", "good"]
        for place, question in enumerate(asked.questions)
        if question.expected_document_ids
    }
    return fresh_side(an_evaluation(asked, answers, provenance=a_provenance(corpus="c")))


@pytest.mark.parametrize(
    ("lost", "state", "found"),
    [
        (30, GateState.FAIL, "zero_variance"),
        (12, GateState.FAIL, "too_few_differences"),
        (3, GateState.INCONCLUSIVE, "too_few_differences"),
    ],
)
def test_a_fall_beyond_chance_and_margin_fails_without_an_interval(
    lost: int, state: GateState, found: str
) -> None:
    result = gated(a_side_without(lost), a_side()).result
    assert result.state is state
    (margin,) = (one for one in result.findings if one.code is GateCode.MARGIN)
    assert (margin.state, margin.found) == (state, found)


def test_without_an_interval_a_fall_within_the_margin_is_not_decided() -> None:
    wide = GatePolicy(primary="nDCG@10", margin=Fraction(1, 2))
    result = gate_candidate(wide, a_side_without(12), a_side(), golden_set=graded_set()).result
    assert result.state is GateState.INCONCLUSIVE
