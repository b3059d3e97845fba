"""A job's states: what may follow what, who may take the step, and how long a retry waits."""

import base64
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.access.credential import token_digest
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import JobFenced
from evenhand.core.review.attempt import CandidateCounts, attempt_of
from evenhand.core.review.backoff import backoff
from evenhand.core.review.job import MAX_ATTEMPTS, AgentJob
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import AttemptOutcome, CancelReason, CohortKind, JobState
from tests.builders import START
from tests.review_builders import INPUTS, PROMPT, a_config, a_job, a_preparation, a_submission

TOKEN = base64.urlsafe_b64encode(bytes(32)).rstrip(b"=").decode()
LATER = START + timedelta(seconds=5)


def claimed(job: AgentJob | None = None) -> AgentJob:
    one = job or a_job()
    return one.claimed(
        worker="w1",
        token_digest=token_digest(TOKEN),
        snapshot=one.submission.snapshot,
        now=one.available_at,
    )


def started() -> AgentJob:
    return claimed().with_preparation(a_preparation()).started(now=LATER)


def refusal(call: Any, **given: Any) -> str:
    with pytest.raises(JobFenced) as error:
        call(**given)
    return error.value.code


@pytest.mark.proves("BR-15", "R-05")
def test_each_dimension_is_captured_when_it_becomes_stable() -> None:
    submitted = a_job()
    assert submitted.effective_snapshot == submitted.submission.snapshot
    assert (submitted.snapshot, submitted.prepared) == (None, None)
    running = claimed(submitted)
    assert (running.state, running.snapshot) == (JobState.RUNNING, submitted.submission.snapshot)
    prepared = running.with_preparation(a_preparation())
    assert prepared.prepared is not None
    assert (prepared.prepared.prompt_digest, prepared.prepared.inputs_digest) == (PROMPT, INPUTS)
    done = prepared.started(now=LATER).ended(AttemptOutcome.REVIEWED, now=LATER)
    assert (done.state, done.finished_at) == (JobState.COMPLETED, LATER)


def test_only_a_queued_job_is_claimed_and_only_when_its_wait_is_over() -> None:
    assert refusal(lambda: claimed(claimed())) == "job_not_queued"
    waiting = a_job(available_at=LATER)
    early: dict[str, Any] = {
        "worker": "w1",
        "token_digest": "0" * 64,
        "snapshot": waiting.submission.snapshot,
    }
    assert refusal(waiting.claimed, now=START, **early) == "job_backed_off"
    assert waiting.claimed(now=LATER, **early).state is JobState.RUNNING


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({}, None),
        ({"worker": "w2"}, "wrong_claim_token"),
        ({"attempt": 2}, "wrong_claim_token"),
        ({"token": TOKEN[:-1] + "B"}, "wrong_claim_token"),
        ({"now": START + timedelta(seconds=600)}, "deadline_passed"),
    ],
)
def test_worker_attempt_token_and_time_fence_every_step(
    stated: dict[str, Any], code: str | None
) -> None:
    holder: dict[str, Any] = {"worker": "w1", "attempt": 1, "token": TOKEN, "now": LATER} | stated
    if code is None:
        claimed().require_holder(**holder)
    else:
        assert refusal(claimed().require_holder, **holder) == code
    assert refusal(a_job().require_holder, **holder) == "job_not_running"


@pytest.mark.proves("BR-17", "BR-14")
def test_nothing_is_executed_that_was_not_prepared_and_each_once() -> None:
    assert refusal(claimed().started, now=LATER) == "job_not_prepared"
    prepared = claimed().with_preparation(a_preparation())
    assert refusal(prepared.with_preparation, prepared=a_preparation()) == "job_not_running"
    assert refusal(started().started, now=LATER) == "job_not_running"
    assert refusal(prepared.ended, outcome=AttemptOutcome.REVIEWED, now=LATER) == (
        "job_not_prepared"
    )


@pytest.mark.proves("BR-13")
def test_a_review_with_nothing_ready_is_completed_without_an_execution() -> None:
    unready = claimed().with_preparation(a_preparation(prompt_digest=None))
    assert refusal(unready.started, now=LATER) == "job_not_prepared"
    done = unready.ended(AttemptOutcome.INSUFFICIENT_EVIDENCE, now=LATER)
    assert (done.state, done.started_at) == (JobState.COMPLETED, None)
    spent = started()
    assert refusal(spent.ended, outcome=AttemptOutcome.INSUFFICIENT_EVIDENCE, now=LATER)


@pytest.mark.proves("BR-15")
def test_a_job_that_is_given_back_waits_with_a_new_number_and_no_holder() -> None:
    back = started().ended(AttemptOutcome.REQUEUED, now=LATER, error_class="TIMEOUT")
    assert (back.state, back.attempt, back.claim) == (JobState.QUEUED, 2, None)
    assert (back.prepared, back.started_at, back.finished_at) == (None, None, None)
    assert back.available_at == LATER + backoff(1, job_id=back.id)
    # The configuration was settled by the claim and stays.
    assert back.snapshot is not None


@pytest.mark.proves("BR-15")
def test_a_job_is_begun_a_limited_number_of_times() -> None:
    last = claimed(a_job(attempt=MAX_ATTEMPTS))
    given: dict[str, Any] = {
        "outcome": AttemptOutcome.REQUEUED,
        "now": LATER,
        "error_class": "TIMEOUT",
    }
    assert refusal(last.ended, **given) == "retries_exhausted"
    assert last.ended(AttemptOutcome.FAILED, now=LATER, error_class="X").state is JobState.FAILED


@pytest.mark.proves("BR-15")
@given(attempt=st.integers(1, 9), job_id=st.text(max_size=9))
def test_the_wait_is_the_fourth_power_and_fifteen_seconds_within_a_tenth(
    attempt: int, job_id: str
) -> None:
    seconds = backoff(attempt, job_id=job_id).total_seconds()
    exact = attempt**4 + 15
    assert min(900, exact * 0.9) - 1e-6 <= seconds <= min(900, exact * 1.1) + 1e-6


@pytest.mark.proves("BR-16")
def test_cancelling_needs_a_reason_and_takes_waiting_and_running_jobs() -> None:
    for job in (a_job(), claimed(), started()):
        ended = job.ended(
            AttemptOutcome.CANCELLED, now=LATER, cancel_reason=CancelReason.BUDGET_EXHAUSTED
        )
        assert ended.state is JobState.CANCELLED
        with pytest.raises(InvalidValue):
            job.ended(AttemptOutcome.CANCELLED, now=LATER)
    with pytest.raises(InvalidValue):
        started().ended(AttemptOutcome.FAILED, now=LATER)


@pytest.mark.parametrize("end", [one for one in AttemptOutcome if one.name != "REQUEUED"])
def test_nothing_leaves_an_end(end: AttemptOutcome) -> None:
    ended = a_job(state=JobState.FAILED, outcome=AttemptOutcome.FAILED)
    assert refusal(ended.ended, outcome=end, now=LATER) == "job_not_running"


@pytest.mark.proves("G-28", "R-49")
def test_the_record_of_an_attempt_says_what_it_ran_with_and_what_its_output_held() -> None:
    job = started()
    ended = job.ended(AttemptOutcome.REQUEUED, now=LATER, error_class="INVALID_OUTPUT")
    output = CandidateCounts(seen=3, persisted=1, rejected=2)
    record = attempt_of(job, ended, now=LATER, output=output)
    assert (record.attempt, record.worker, record.outcome) == (1, "w1", AttemptOutcome.REQUEUED)
    assert (record.prompt_digest, record.inputs_digest) == (PROMPT, INPUTS)
    assert record.config_digest == hold_snapshot(a_config()).sha256
    assert (record.candidates, record.error_class) == (output, "INVALID_OUTPUT")
    waiting = a_job()
    unborn = waiting.ended(
        AttemptOutcome.CANCELLED, now=LATER, cancel_reason=CancelReason.DRAIN_GRACEFUL
    )
    nothing = attempt_of(waiting, unborn, now=LATER, output=None)
    assert (nothing.worker, nothing.config_digest, nothing.candidates) == (None, None, None)


@pytest.mark.proves("G-27")
def test_a_cohort_is_either_the_inputs_or_named_cases() -> None:
    with pytest.raises(InvalidValue):
        a_submission(cohort_kind=CohortKind.INPUTS)
    assert a_submission(cohort_kind=CohortKind.INPUTS, cohort=None).cohort is None
