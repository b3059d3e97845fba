"""How a selected model comparison reads."""

import json
from typing import Any

import pytest

from evenhand.reports.intents import intent_lines
from evenhand.wire.intents import Comparison
from tests.sdk.scripted_hub import NO_METRICS, comparison


def completed(**stated: Any) -> Comparison:
    document = comparison("completed")
    document["evaluation_summary"] |= {
        "comparable": True,
        "comparability_reasons": [],
        "complete": True,
        "eligible": False,
        "eligibility_reasons": ["critical_regression"],
        "metrics": {
            "current": NO_METRICS | {"success_at_1": 0.5},
            "candidate": NO_METRICS | {"success_at_1": 0.625},
            "delta": NO_METRICS | {"success_at_1": 0.125},
            "lower_bound": NO_METRICS | {"success_at_1": -0.1},
        },
        "critical_regression_count": 1,
        "failed_cases": {"current": 0, "candidate": 2},
        "basis": {"current": "witnessed", "candidate": "reported"},
    } | stated
    return Comparison.model_validate_json(json.dumps(document))


def test_one_that_waits_is_told_in_a_line() -> None:
    document = comparison("failed", error_code="CURRENT_INDEX_NOT_AS_PINNED")
    told = list(intent_lines(Comparison.model_validate(document, strict=False)))
    assert told == ["comparison c-1: failed (CURRENT_INDEX_NOT_AS_PINNED)"]


def test_a_difference_stands_beside_its_lower_bound() -> None:
    told = "\n".join(intent_lines(completed()))
    assert "Success@1             0.500      0.625      +0.125       -0.100" in told
    assert "RR@3" not in told
    assert "candidate 2" in told
    assert "eligible: no (critical_regression)" in told
    assert "basis: current witnessed, candidate reported" in told


@pytest.mark.proves("C-89")
def test_nothing_reads_as_if_the_candidate_were_in_production() -> None:
    told = "\n".join(intent_lines(completed(eligible=True, eligibility_reasons=[])))
    assert "eligible: yes" in told
    assert "nothing was put into production" in told


def test_without_a_comparable_pair_no_difference_is_shown() -> None:
    metrics = {
        "current": NO_METRICS | {"success_at_1": 0.5},
        "candidate": NO_METRICS | {"success_at_1": 0.625},
        "delta": None,
        "lower_bound": None,
    }
    told = "\n".join(
        intent_lines(
            completed(comparable=False, comparability_reasons=["corpus"], metrics=metrics)
        )
    )
    assert "Success@1             0.500      0.625        none         none" in told
    assert "comparable: no (corpus)" in told
