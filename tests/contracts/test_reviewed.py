"""A run and a review make one result, and nothing that is unknown makes any."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from evenhand.contracts.decoding import event_document
from evenhand.contracts.emission import CaseResult, build_event
from evenhand.contracts.events import Event, validate_event
from evenhand.contracts.reviewed import evaluator_version, reviewed_result
from evenhand.core.review.answer import AnsweredRun, JudgedAnswer
from evenhand.core.review.grounds import GroundingBasis
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import Origin
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.protocols import SCORING_VERSION
from tests.builders import RELEASE, START, a_provenance, a_record, an_evaluation
from tests.core.review.test_answer import a_place
from tests.event_builders import KEY
from tests.review_builders import JOB, REVISION, identities

RUN = AnsweredRun(
    evaluation_id="01990000-0000-7000-8000-000000000001",
    project_id="01990000-0000-7000-e001-000000000001",
    suite_revision_id=None,
    is_ineligible=False,
)
RECORD = a_record(an_evaluation(provenance=a_provenance()), created_at=START)
OUTCOME = Outcome(
    position=0,
    state=OutcomeState.SCORED,
    targets=1,
    retrieved=5,
    window=5,
    judged_hits=(JudgedHit(2, 1),),
)


def judged(**stated: Any) -> JudgedAnswer:
    values: dict[str, Any] = {
        "job_id": JOB,
        "place": a_place(prompt_version="prompt-v7"),
        "origin": Origin.LIVE,
        "began_at": START + timedelta(seconds=5),
        "ended_at": START + timedelta(seconds=9),
        "identities": identities(),
        "assessment": Assessment.GOOD,
        "accepted": None,
        "accepted_at": None,
    }
    return JudgedAnswer(**values | stated)


def result(
    one: JudgedAnswer | None = None,
    *,
    run: AnsweredRun = RUN,
    grounding: GroundingBasis | None = GroundingBasis.AGREED,
    **stated: Any,
) -> CaseResult | None:
    return reviewed_result(
        one or judged(),
        run,
        stated.get("record", RECORD),
        stated.get("outcome", OUTCOME),
        grounding=grounding,
        release=RELEASE,
    )


def event(one: JudgedAnswer | None = None, **stated: Any) -> Event | None:
    found = result(one, **stated)
    return None if found is None else build_event(found, KEY)


@pytest.mark.proves("E-05", "E-17", "E-22", "G-66")
def test_a_run_and_a_review_make_an_event_at_the_later_end() -> None:
    found = event()
    assert found is not None
    assert found.timestamp_utc == START + timedelta(seconds=9)
    assert RECORD.identity is not None
    prints = RECORD.identity.fingerprints
    assert (found.retrieval_version, found.benchmark) == (prints.variant, prints.benchmark)
    assert (found.retrieval_score, found.grounded, found.accepted) == (0.5, True, None)
    assert found.review_stratum == identities().stratum
    assert found.prompt_version == "prompt-v7"
    assert found.duration_ms == (START + timedelta(seconds=9) - RECORD.started_at) / timedelta(
        milliseconds=1
    )
    assert validate_event(event_document(found)) == found


@pytest.mark.proves("E-23", "E-25")
def test_the_evaluator_is_protocol_and_rubric_revision_and_shows_a_waiver() -> None:
    found = event(judged(assessment=Assessment.BAD), grounding=GroundingBasis.WAIVED)
    assert found is not None
    assert found.grounded is False
    assert found.evaluator_version == f"{SCORING_VERSION}+{REVISION}+waived"
    agreed = evaluator_version(SCORING_VERSION, REVISION, GroundingBasis.AGREED)
    assert agreed == f"{SCORING_VERSION}+{REVISION}"
    assert len(found.evaluator_version) <= 128


@pytest.mark.proves("E-07", "E-38", "G-67")
@pytest.mark.parametrize(
    ("stated", "more"),
    [
        ({"assessment": None}, {}),
        ({"origin": Origin.BACKFILL}, {}),
        ({"origin": Origin.MANUAL}, {}),
        ({"identities": identities(practice_revision_id=None)}, {}),
        ({"place": a_place(suite_revision_id="s", case_id="c")}, {}),
        ({}, {"grounding": None}),
        ({}, {"run": replace(RUN, is_ineligible=True)}),
        ({}, {"run": replace(RUN, suite_revision_id="s")}),
        ({}, {"record": replace(RECORD, identity=None)}),
        ({}, {"outcome": replace(OUTCOME, state=OutcomeState.FAILED, window=None)}),
    ],
    ids=str,
)
def test_what_is_unknown_or_of_another_run_makes_no_event(
    stated: dict[str, Any], more: dict[str, Any]
) -> None:
    assert event(judged(**stated), **more) is None


@pytest.mark.proves("G-66", "G-68")
def test_unknown_context_stays_unknown() -> None:
    found = event(judged(identities=identities(prompt_digest=None), place=a_place()))
    assert found is not None
    assert (found.review_stratum, found.prompt_version, found.accepted) == (None, None, None)


@pytest.mark.proves("E-26", "E-38")
def test_a_result_that_awaits_a_person_is_final_with_their_word() -> None:
    waiting = judged(place=a_place(awaits_acceptance=True))
    assert event(waiting) is None
    said = replace(waiting, accepted=False, accepted_at=START + timedelta(seconds=60))
    found = event(said)
    assert found is not None
    assert (found.accepted, found.timestamp_utc) == (False, START + timedelta(seconds=60))
    early = replace(said, accepted=True, accepted_at=START)
    found = event(early)
    assert found is not None
    assert (found.accepted, found.timestamp_utc) == (True, START + timedelta(seconds=9))


@pytest.mark.proves("E-26")
def test_a_word_that_was_said_before_is_in_the_event_and_moves_no_boundary() -> None:
    found = event(judged(accepted=True, accepted_at=START + timedelta(seconds=70)))
    assert found is not None
    assert (found.accepted, found.timestamp_utc) == (True, START + timedelta(seconds=9))
