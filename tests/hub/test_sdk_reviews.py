"""The client that records reviews, against the real hub: SDK, wire, hub and store as one."""

from typing import Any

import pytest

from evenhand.core.errors import Fenced
from evenhand.core.errors.review import ObservationsConflict
from evenhand.sdk import ReviewClient
from evenhand.wire.agent_jobs import Cohort, NewAgentJob
from evenhand.wire.review_attempts import NewEvidence, NewTokens, NewUsage
from evenhand.wire.review_feedback import (
    FeedbackMove,
    Link,
    NewDispatch,
    NewFeedback,
    NewPlacement,
    NewReaction,
)
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.test_reviews import WORKER, Reviews
from tests.review_builders import INPUTS, PROMPT, a_candidate, a_config

pytestmark = [only_sqlite, pytest.mark.parametrize("instances", ["one"], indirect=True)]


@pytest.fixture
def reviews(hub: Hub) -> Reviews:
    return Reviews(hub)


@pytest.fixture
def client(reviews: Reviews) -> ReviewClient:
    transport: Any = reviews.hub.client._transport
    return ReviewClient("http://testserver", reviews.hub.tokens[WORKER], transport=transport)


def a_new_job(**stated: Any) -> NewAgentJob:
    values: dict[str, Any] = {
        "idempotency_key": "k1",
        "artifact_kind": "rag.answer",
        "artifact_id": "answer-1",
        "subject_id": "pipeline",
        "cohort": Cohort(kind="cases", name="release-1"),
        "case_id": "case-1",
        "config_snapshot": a_config(),
    }
    return NewAgentJob(**values | stated)


def the_evidence(reviews: Reviews) -> NewEvidence:
    return NewEvidence.model_validate(reviews.preparation()["evidence"])


@pytest.mark.proves("R-04", "R-11")
def test_a_program_takes_a_review_from_submission_to_acceptance(
    reviews: Reviews, client: ReviewClient
) -> None:
    submitted = client.submit(a_new_job())
    assert client.submit(a_new_job()).id == submitted.id
    attempt = client.claim(worker="judge-1", resolved={"workerImage": "judge:3"})
    assert attempt is not None
    assert attempt.job.config_snapshot["workerImage"] == "judge:3"
    attempt.prepare(the_evidence(reviews), prompt_digest=PROMPT, inputs_digest=INPUTS)
    attempt.start()
    found = attempt.observe([a_candidate(), 7])
    assert [one.reason for one in found.rejections] == ["not_an_object"]
    usage = NewUsage(calls=1, tokens=NewTokens(input=10), source="runner")
    assert attempt.complete("reviewed", usage=usage).state == "completed"
    assert client.get(submitted.id).outcome == "reviewed"
    assert client.claim(worker="judge-1") is None

    feedback = client.record_feedback(
        NewFeedback(
            agent_job_id=submitted.id,
            admission_digest=found.payload_digest,
            recipient="r1",
            channel="in_app",
            position=0,
            state="prepared",
            thread_kind="grounding",
            thread_locus="answer-1",
            observations=[Link(observation_id=found.observations[0].id)],
        )
    )
    client.move_feedback(feedback.id, FeedbackMove(expected_state="prepared", state="delivered"))
    assert client.get_feedback(feedback.id).placement_evidence == "none"
    client.place(feedback.id, NewPlacement(type="summary", channel_reference="c1"))
    client.dispatch(feedback.id, NewDispatch(attempt=1))
    client.react(NewReaction(feedback_id=feedback.id, reactor="r1", usefulness="useful"))
    assert client.get_feedback(feedback.id).placement_evidence == "proven"
    assert client.accept("answer-1", accepted=False).accepted is False


def test_a_refusal_is_the_error_that_the_hub_raised(
    reviews: Reviews, client: ReviewClient
) -> None:
    client.submit(a_new_job())
    attempt = client.claim(worker="judge-1")
    assert attempt is not None
    with pytest.raises(Fenced) as error:
        attempt.start()
    assert error.value.code == "job_not_prepared"
    attempt.prepare(the_evidence(reviews), prompt_digest=PROMPT, inputs_digest=INPUTS)
    attempt.start()
    attempt.observe(None)
    with pytest.raises(ObservationsConflict):
        attempt.observe([])
    assert attempt.complete("failed", error_class="UNREADABLE_OUTPUT").state == "failed"


def test_an_attempt_that_is_given_back_waits(client: ReviewClient) -> None:
    client.submit(a_new_job())
    attempt = client.claim(worker="judge-1")
    assert attempt is not None
    back = attempt.requeue("UPSTREAM_BUSY")
    assert (back.state, back.attempt) == ("queued", 2)
    with pytest.raises(Fenced) as error:
        client.claim(worker="judge-1", job_id=back.id)
    assert error.value.code == "job_backed_off"
