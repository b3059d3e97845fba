"""A review's way through its attempts, on both databases: fenced, written down, never guessed."""

import base64
import hashlib
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from evenhand.core.errors import InvalidValue
from evenhand.core.errors.publication import IdempotencyConflict
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import (
    InvalidEvidence,
    JobFenced,
    ModelUnavailable,
    ObservationsConflict,
    ReviewNotFound,
)
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.review.evidence import Admitted
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import AttemptOutcome, CancelReason, JobState
from evenhand.core.review.usage import Rates, Tokens, UsageSource
from evenhand.store.migrate import check
from evenhand.usecases.registry import practices, projects
from evenhand.usecases.reviews import jobs
from evenhand.usecases.reviews.attempts import Spent
from tests.review_builders import INPUTS, PROMPT, a_candidate, a_config
from tests.store.conftest import only_sqlite
from tests.usecases.reviews.conftest import OPERATOR, SOMEBODY, World, stranger

SPENT = Spent(
    calls=2,
    tokens=Tokens(input=1000, output=100),
    source=UsageSource.RUNNER,
    rates=Rates(input=Decimal(1), cached_input=Decimal(0), output=Decimal(5)),
)


def refusal(call: Any) -> str:
    with pytest.raises(JobFenced) as error:
        call()
    return error.value.code


@pytest.mark.proves("R-04", "R-06", "R-07", "R-08")
def test_configuration_prompt_and_inputs_are_on_the_job_when_it_ends(world: World) -> None:
    submitted = world.submit()
    assert submitted.snapshot is None
    claimed = world.claim(submitted, resolved={"workerImage": "judge:3"})
    world.prepare(claimed)
    world.start(claimed)
    world.admit(claimed)
    world.complete(claimed, spent=SPENT)

    job = world.database.read(lambda uow: uow.review_jobs.find(submitted.id))
    assert job is not None
    assert job.state is JobState.COMPLETED
    assert job.submission.snapshot == hold_snapshot(a_config())
    assert job.snapshot == hold_snapshot(a_config(workerImage="judge:3"))
    assert job.prepared is not None
    assert (job.prepared.prompt_digest, job.prepared.inputs_digest) == (PROMPT, INPUTS)


@pytest.mark.proves("R-11", "BR-33")
def test_model_usage_and_cost_are_told_at_completion_on_job_and_ledger(world: World) -> None:
    job = world.review(spent=SPENT)
    (usage,) = world.database.read(lambda uow: uow.review_jobs.list_usage(job.id))
    assert (usage.model, usage.cost, usage.calls) == ("judge-small", Decimal("0.001500"), 2)
    with world.database.engine.connect() as connection:
        query = "SELECT model, calls, input_tokens, output_tokens, cost_micros FROM agent_job"
        assert connection.exec_driver_sql(query).one() == ("judge-small", 2, 1000, 100, 1500)


@pytest.mark.proves("R-49", "G-28")
def test_every_attempt_and_every_change_of_state_stays(world: World) -> None:
    job = world.submit()
    first = world.claim(job)
    world.prepare(first)
    world.start(first)
    back = world.requeue(first, spent=SPENT)
    assert (back.attempt, back.state) == (2, JobState.QUEUED)
    cancelled = world.run(
        lambda uow: jobs.cancel(
            uow,
            job.id,
            reason=CancelReason.BUDGET_EXHAUSTED,
            principal=OPERATOR,
            ids=world.ids,
        )
    )
    assert cancelled.state is JobState.CANCELLED
    told = world.database.read(lambda uow: uow.review_jobs.list_transitions(job.id))
    assert [(one.from_state, one.to_state, one.attempt) for one in told] == [
        (None, JobState.QUEUED, 1),
        (JobState.QUEUED, JobState.RUNNING, 1),
        (JobState.RUNNING, JobState.QUEUED, 1),
        (JobState.QUEUED, JobState.CANCELLED, 2),
    ]
    ended = world.database.read(lambda uow: uow.review_jobs.list_attempts(job.id))
    assert [one.outcome for one in ended] == [AttemptOutcome.REQUEUED, AttemptOutcome.CANCELLED]
    assert (ended[0].prompt_digest, ended[0].error_class) == (PROMPT, "UPSTREAM_BUSY")
    assert (ended[1].worker, ended[1].config_digest is None) == (None, False)
    # What the first attempt used is still told.
    (usage,) = world.database.read(lambda uow: uow.review_jobs.list_usage(job.id))
    assert usage.attempt == 1


@pytest.mark.proves("BR-15")
def test_a_step_on_a_job_that_moved_meanwhile_changes_nothing(world: World) -> None:
    job = world.submit()
    claimed = world.claim(job)
    stale = claimed.job
    world.prepare(claimed)
    late = stale.ended(AttemptOutcome.FAILED, now=stale.available_at, error_class="LATE")
    assert refusal(lambda: world.run(lambda uow: uow.review_jobs.save(stale, late)))
    other = replace(stale, attempt=2)
    assert refusal(lambda: world.run(lambda uow: uow.review_jobs.save(other, late)))
    found = world.database.read(lambda uow: uow.review_jobs.find(job.id))
    assert found is not None
    assert (found.state, found.attempt) == (JobState.RUNNING, 1)


@pytest.mark.proves("BR-17")
def test_a_late_holder_of_an_earlier_attempt_is_refused(world: World) -> None:
    first = world.claim(world.submit())
    world.requeue(first)
    world.run(
        lambda uow: uow.review_jobs.save(
            job := uow.review_jobs.get_locked(first.job.id),
            replace(job, available_at=job.created_at),
        )
    )
    second = world.claim(first.job)
    assert second.job.attempt == 2
    assert refusal(lambda: world.prepare(first)) == "wrong_claim_token"
    assert refusal(lambda: world.complete(first, outcome=AttemptOutcome.FAILED, error_class="X"))
    assert world.prepare(second).prepared is not None


@pytest.mark.proves("BR-09", "BR-16")
def test_another_model_cancels_the_job_and_the_cancellation_stays(world: World) -> None:
    job = world.submit()
    with pytest.raises(ModelUnavailable):
        world.claim(job, resolved={"upstreamModelId": "judge-large"})
    found = world.database.read(lambda uow: uow.review_jobs.find(job.id))
    assert found is not None
    assert (found.state, found.cancel_reason) == (
        JobState.CANCELLED,
        CancelReason.MODEL_UNAVAILABLE,
    )


@pytest.mark.proves("BR-18")
def test_a_claim_s_token_is_random_bytes_of_which_only_a_digest_is_kept(world: World) -> None:
    claimed = world.claim(world.submit())
    assert len(base64.urlsafe_b64decode(claimed.token + "=")) == 32
    assert "=" not in claimed.token
    with world.database.engine.connect() as connection:
        row = connection.exec_driver_sql("SELECT * FROM agent_job").one()
    assert hashlib.sha256(claimed.token.encode()).hexdigest() in row
    assert claimed.token not in row


@pytest.mark.proves("G-44")
def test_the_same_submission_is_stored_once(world: World) -> None:
    one = world.submit(idempotency_key="k")
    assert world.submit(idempotency_key="k").id == one.id
    with pytest.raises(IdempotencyConflict):
        world.submit(idempotency_key="k", body_digest="1" * 64)


@pytest.mark.proves("G-34", "BR-14")
def test_a_preparation_that_is_refused_ends_before_anything_is_executed(world: World) -> None:
    claimed = world.claim(world.submit())
    unknown = Admitted(slug="grounded", revision_id="01990000-0000-7000-a000-0000000000ff")
    renamed = Admitted(slug="other", revision_id=world.revision.id)
    for evidence, error in (
        (world.evidence(unknown), ReferenceRefused),
        (world.evidence(renamed), InvalidEvidence),
    ):
        with pytest.raises(error):
            world.prepare(claimed, evidence=evidence)
    for stated in ({"prompt_digest": None}, {"inputs_digest": "x"}, {"prompt_digest": "x"}):
        with pytest.raises(InvalidValue):
            world.prepare(claimed, **stated)
    # Nothing was written: the job can still neither start nor have spent anything.
    assert refusal(lambda: world.start(claimed)) == "job_not_prepared"
    with pytest.raises(InvalidValue):
        world.complete(claimed, outcome=AttemptOutcome.FAILED, error_class="X", spent=SPENT)
    failed = world.complete(claimed, outcome=AttemptOutcome.FAILED, error_class="DIGEST_LOST")
    (ended,) = world.database.read(lambda uow: uow.review_jobs.list_attempts(failed.id))
    assert (ended.started_at, ended.prepared_at) == (None, None)
    assert world.database.read(lambda uow: uow.review_jobs.list_usage(failed.id)) == ()


@pytest.mark.proves("BR-13")
def test_a_review_with_too_little_evidence_is_completed_without_a_prompt(world: World) -> None:
    claimed = world.claim(world.submit())
    unready = Admitted(slug="grounded", revision_id=world.revision.id, not_ready=("no_passages",))
    world.prepare(claimed, evidence=world.evidence(unready), prompt_digest=None)
    done = world.complete(claimed, outcome=AttemptOutcome.INSUFFICIENT_EVIDENCE)
    assert (done.state, done.started_at) == (JobState.COMPLETED, None)
    assert done.prepared is not None
    assert (done.prepared.inputs_digest, done.prepared.prompt_digest) == (INPUTS, None)


@pytest.mark.proves("BR-21")
def test_one_payload_a_job_the_same_again_gives_the_same_rows(world: World) -> None:
    claimed = world.claim(world.submit())
    assert refusal(lambda: world.admit(claimed)) == "job_not_prepared"
    world.prepare(claimed)
    world.start(claimed)
    first, again = world.admit(claimed), world.admit(claimed)
    assert (first.is_new, again.is_new) == (True, False)
    assert first.observations == again.observations
    with pytest.raises(ObservationsConflict):
        world.admit(claimed, [a_candidate(), a_candidate()])
    assert refusal(lambda: world.requeue(claimed)) == "job_not_queued"


@pytest.mark.proves("R-23", "R-36", "G-29", "R-48")
def test_observations_bear_the_admitted_revision_and_refusals_are_kept_apart(
    world: World,
) -> None:
    other = world.another_revision()
    claimed = world.claim(world.submit())
    world.prepare(claimed)
    world.start(claimed)
    found = world.admit(claimed, [a_candidate(), a_candidate(practice="x"), 7, a_candidate()])
    assert {one.practice_revision_id for one in found.observations} == {world.revision.id}
    assert other.number == 2
    assert [one.position for one in found.observations] == [0, 3]
    assert [(one.position, one.reason.value) for one in found.rejections] == [
        (1, "practice_not_admitted"),
        (2, "not_an_object"),
    ]
    world.complete(claimed)
    (ended,) = world.database.read(lambda uow: uow.review_jobs.list_attempts(claimed.job.id))
    assert ended.candidates is not None
    assert (ended.candidates.seen, ended.candidates.rejected) == (4, 2)


@pytest.mark.parametrize(
    ("level", "kept"),
    [(PrivacyLevel.METADATA, False), (PrivacyLevel.REDACTED, True), (PrivacyLevel.FULL, True)],
)
@only_sqlite
def test_privacy_decides_what_stays_of_texts(
    world: World, level: PrivacyLevel, kept: bool
) -> None:
    claimed = world.claim(world.submit())
    world.prepare(claimed)
    world.start(claimed)
    canary = a_candidate(summary="canary-text", rationale="canary-rationale")
    (one,) = world.admit(claimed, [canary], policy=LevelPolicy(level=level)).observations
    assert (one.summary is not None, one.rationale is not None) == (kept, kept)
    assert (one.paths is not None) is (level is PrivacyLevel.FULL)


def test_a_review_is_completed_only_with_its_observations_and_once(world: World) -> None:
    claimed = world.claim(world.submit())
    world.prepare(claimed)
    world.start(claimed)
    assert refusal(lambda: world.complete(claimed)) == "job_not_prepared"
    world.admit(claimed)
    done = world.complete(claimed)
    assert world.complete(claimed) == done
    assert refusal(
        lambda: world.complete(claimed, outcome=AttemptOutcome.FAILED, error_class="X")
    ) == ("job_not_running")
    stolen = replace(claimed, token="0" * 43)
    assert refusal(lambda: world.complete(stolen)) == "wrong_claim_token"


def test_the_job_that_waits_longest_is_claimed_next_and_none_twice(world: World) -> None:
    one, two = world.submit(), world.submit()
    assert [world.claim().job.id, world.claim().job.id] == [one.id, two.id]
    assert world.claim() is None
    assert refusal(lambda: world.claim(one)) == "job_not_queued"


@only_sqlite
@pytest.mark.proves("BR-19")
def test_a_job_whose_time_is_over_is_ended_by_the_next_claim(world: World) -> None:
    claimed = world.claim(world.submit())
    world.later(seconds=601)
    assert refusal(lambda: world.prepare(claimed)) == "deadline_passed"
    assert world.claim() is None
    found = world.database.read(lambda uow: uow.review_jobs.find(claimed.job.id))
    assert found is not None
    assert (found.state, found.error_class) == (JobState.TIMED_OUT, "DEADLINE_PASSED")


def test_reviews_of_another_project_are_unknown_to_a_service_client(world: World) -> None:
    job = world.submit()
    by: Any = {"actor": SOMEBODY, "ids": world.ids}
    other = world.run(lambda uow: projects.create(uow, name="other", **by))
    foreign = stranger(other.id)
    with pytest.raises(ReviewNotFound):
        world.claim(job, project=None, principal=foreign)
    claimed = world.claim(job)
    with pytest.raises(ReviewNotFound):
        world.prepare(claimed, principal=foreign)


def test_a_practice_is_written_down_once_for_the_same_words(world: World) -> None:
    again = world.another_revision(world.revision.criteria.text)
    assert again == world.revision
    practice_id = world.revision.practice_id
    world.run(
        lambda uow: practices.change(
            uow, practice_id, expected_version=1, active=False, actor=SOMEBODY, ids=world.ids
        )
    )
    assert world.another_revision(world.revision.criteria.text) == world.revision
    with pytest.raises(ReferenceRefused):
        world.another_revision("New words.")


@pytest.mark.proves("R-02")
def test_what_the_product_writes_holds_together(world: World, database_url: str) -> None:
    world.review(spent=SPENT, candidates=[a_candidate(), 1])
    world.requeue(world.claim(world.submit()))
    running = world.claim(world.submit())
    world.prepare(running)
    assert not check(database_url)


def test_after_a_restore_nobody_holds_a_job_and_nothing_is_queued(world: World) -> None:
    held = world.claim(world.submit())
    waiting = world.submit()
    assert world.run(lambda uow: jobs.interrupt_running(uow, ids=world.ids)) == 1
    assert world.run(lambda uow: jobs.interrupt_running(uow, ids=world.ids)) == 0
    states = [
        world.database.read(lambda uow, it=one.id: uow.review_jobs.find(it)).state  # type: ignore[misc]
        for one in (held.job, waiting)
    ]
    assert states == [JobState.FAILED, JobState.QUEUED]
