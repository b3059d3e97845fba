"""A latency difference only between equal conditions."""

from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.speed import LatencyDifference, NoLatency
from evenhand.core.scoring.evaluation import Basis
from tests.core.comparison.pairs import FORTY, a_result, a_side, answers, compared


def test_medians_and_the_median_of_the_differences_by_question() -> None:
    slow = a_side(a_result(answers(failed=[1])))
    assert slow.outcomes is not None
    slower = tuple(
        replace(one, latency_ms=None if one.latency_ms is None else one.latency_ms + one.position)
        for one in slow.outcomes
    )
    latency = compare_sides(a_side(a_result()), replace(slow, outcomes=slower)).latency
    assert latency == LatencyDifference(questions=43, current_ms=5, candidate_ms=27, delta_ms=22)


@pytest.mark.parametrize(
    "changed", [{"machine": "another"}, {"jobs": 2}, {"batch": 8}, {"warmup": 1}], ids=str
)
def test_other_conditions_give_no_difference(changed: dict[str, Any]) -> None:
    side = a_side(a_result())
    other = replace(side, conditions=replace(side.conditions, **changed))
    assert compare_sides(side, other).latency is NoLatency.OTHER_CONDITIONS


@pytest.mark.parametrize("basis", [one for one in Basis if one is not Basis.LOCAL])
def test_what_was_not_retrieved_here_was_not_timed(basis: Basis) -> None:
    side = a_side(a_result())
    imported = replace(side, basis=basis)
    for pair in ((side, imported), (imported, side), (imported, imported)):
        assert compare_sides(*pair).latency is NoLatency.NOT_LOCAL


def test_without_a_latency_on_both_sides_there_is_none() -> None:
    side = a_side(a_result())
    assert side.outcomes is not None
    unmeasured = replace(
        side, outcomes=tuple(replace(one, latency_ms=None) for one in side.outcomes)
    )
    assert compare_sides(side, unmeasured, golden_set=FORTY).latency is NoLatency.NOT_MEASURED
    assert compared(a_result(corpus="a"), a_result(corpus="b")).latency is None
