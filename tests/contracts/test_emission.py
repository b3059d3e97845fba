"""What the pipeline emits: only final results, under pseudonyms, the same event every time."""

from datetime import timedelta
from typing import Any

import pytest

from evenhand.contracts.decoding import event_document
from evenhand.contracts.emission import (
    CaseResult,
    PseudonymKey,
    account_pseudonym,
    build_event,
    score_of,
)
from evenhand.contracts.events import EventOutcome, validate_event
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from tests.builders import START

KEY = PseudonymKey(version="1", value=b"k" * 32)
LATER = START + timedelta(seconds=9)


def a_result(**stated: Any) -> CaseResult:
    given: dict[str, Any] = {
        "project_id": "01990000-0000-7000-e001-000000000001",
        "run_id": "run-1",
        "case_id": "case-1",
        "retrieval_ended_at": START,
        "answer_ended_at": LATER,
        "retrieval_score": 0.5,
        "grounded": True,
        "duration_ms": 9000.0,
        "release": "0.1.0",
        "retrieval_version": "v1:" + "a7" * 32,
        "evaluator_version": "grounding+3",
    }
    return CaseResult(**given | stated)


@pytest.mark.proves("E-05", "E-17", "E-38")
def test_an_event_is_emitted_when_the_later_of_both_evaluations_ends() -> None:
    event = build_event(a_result(), KEY)
    assert event is not None
    assert event.timestamp_utc == LATER
    other = build_event(a_result(retrieval_ended_at=LATER, answer_ended_at=START), KEY)
    assert other is not None
    assert other.timestamp_utc == LATER
    assert validate_event(event_document(event)) == event


@pytest.mark.proves("E-05", "E-38", "G-67")
@pytest.mark.parametrize(
    "stated",
    [
        {"answer_ended_at": None, "grounded": None},
        {"retrieval_ended_at": None, "retrieval_score": None},
        {"grounded": None},
        {"retrieval_score": None},
    ],
)
def test_what_is_not_final_is_no_event(stated: dict[str, Any]) -> None:
    assert build_event(a_result(**stated), KEY) is None


@pytest.mark.proves("E-06", "E-36", "G-65")
def test_a_candidate_that_became_ineligible_is_emitted_as_such() -> None:
    result = a_result(
        ineligible_at=LATER,
        answer_ended_at=None,
        retrieval_ended_at=None,
        retrieval_score=None,
        grounded=None,
        accepted=True,
    )
    event = build_event(result, KEY)
    assert event is not None
    assert event.outcome is EventOutcome.INELIGIBLE
    assert (event.retrieval_score, event.grounded, event.accepted) == (0.0, False, None)
    measured = build_event(a_result(ineligible_at=LATER, grounded=True), KEY)
    assert measured is not None
    assert (measured.retrieval_score, measured.grounded) == (0.5, False)


@pytest.mark.proves("E-18", "E-21", "G-63", "G-64")
def test_ids_follow_from_the_grain_and_repeat() -> None:
    event, again = (build_event(a_result(), KEY) for _ in range(2))
    assert event is not None
    assert event == again
    assert len(event.event_id) == len("evt_") + 24
    assert len(event.evaluation_id) == len("eval_") + 24
    others = [
        build_event(a_result(**one), KEY)
        for one in (
            {"run_id": "run-2"},
            {"case_id": "case-2"},
            {"retrieval_version": "v2"},
            {"evaluator_version": "e2"},
        )
    ]
    assert len({one.event_id for one in others if one is not None} | {event.event_id}) == 5


@pytest.mark.proves("E-20", "E-30")
def test_account_and_case_are_pseudonyms_under_a_key() -> None:
    result = a_result()
    event = build_event(result, KEY)
    other = build_event(result, PseudonymKey(version="2", value=b"o" * 32))
    assert event is not None
    assert other is not None
    assert event.account_id == account_pseudonym(result.project_id, KEY)
    assert event.account_id.startswith("acct_")
    assert (event.account_id, event.evaluation_id) != (other.account_id, other.evaluation_id)
    said = repr(event) + repr(KEY)
    assert result.project_id not in said
    assert "case-1" not in said
    assert "kkkk" not in said


def an_outcome(**stated: Any) -> Outcome:
    given: dict[str, Any] = {
        "position": 0,
        "state": OutcomeState.SCORED,
        "targets": 1,
        "retrieved": 5,
        "window": 5,
    }
    return Outcome(**given | stated)


@pytest.mark.proves("E-24")
@pytest.mark.parametrize(
    ("stated", "score"),
    [
        ({"judged_hits": (JudgedHit(1, 1),)}, 1.0),
        ({"judged_hits": (JudgedHit(1, 0), JudgedHit(2, 1), JudgedHit(3, 1))}, 0.5),
        ({"judged_hits": (JudgedHit(3, 2),)}, 1 / 3),
        ({"judged_hits": (JudgedHit(4, 1),)}, 0.0),
        ({"judged_hits": (JudgedHit(3, 1),), "window": 2}, 0.0),
        ({}, 0.0),
        ({"targets": 0, "retrieved": 0, "window": 0}, 1.0),
        ({"targets": 0}, 0.0),
        ({"targets": None, "state": OutcomeState.UNJUDGED}, None),
        ({"state": OutcomeState.FAILED, "retrieved": None, "window": None}, None),
    ],
)
def test_the_score_is_the_reciprocal_rank_within_three(
    stated: dict[str, Any], score: float | None
) -> None:
    assert score_of(an_outcome(**stated)) == score
