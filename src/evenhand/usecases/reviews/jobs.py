"""Submit a review, claim the next one, cancel one, and end those whose time is over."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from evenhand.core.access.credential import token_digest
from evenhand.core.access.roles import Actor, ActorKind, Principal
from evenhand.core.errors.publication import IdempotencyConflict
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import JobFenced, ModelUnavailable, ReviewNotFound
from evenhand.core.review.job import AgentJob, Submission
from evenhand.core.review.states import AttemptOutcome, CancelReason, CohortKind
from evenhand.usecases.ports import Ids, Refused, Secrets, UnitOfWork
from evenhand.usecases.reviews.answers import AnswerOf, find_place
from evenhand.usecases.reviews.telling import (
    JOB_KIND,
    end_attempt,
    find_project,
    get_own,
    tell_step,
)

#: How many overdue jobs one call ends at most.
SWEPT: Final = 100
_HUB: Final = Actor(kind=ActorKind.HUB)
#: The class of the error of an attempt whose time was over.
OVERDUE: Final = "DEADLINE_PASSED"
RESTORED: Final = "INTERRUPTED_BY_RESTORE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """What came of a submission.

    Attributes:
        job: what is in the store.
        is_new: whether this call stored it.
    """

    job: AgentJob
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A job in the hands of a worker.

    Attributes:
        job: with its deadline and its whole configuration.
        token: by which the worker proves that it holds this attempt; told this once.
    """

    job: AgentJob
    token: str


def submit(  # noqa: PLR0913 -- what is asked for, by keyword
    uow: UnitOfWork,
    asked: Submission,
    *,
    project: str | None,
    suite_revision_id: str | None,
    principal: Principal,
    ids: Ids,
    answer_of: AnswerOf | None = None,
) -> Submitted:
    """Store a job that waits for a worker, or find what the same call stored before.

    Args:
        uow: the open transaction.
        asked: what is asked for; its project and client are filled in here.
        project: id or name of the project; None is a service client's own.
        suite_revision_id: whose cases are reviewed, the cohort where none is named.
        principal: who asks.
        ids: of the rows.
        answer_of: where the answer belongs; None: to no run, so that no event comes of it.

    Raises:
        InvalidReport, RegisteredNotFound, ReferenceRefused: see `telling.find_project`; the suite
            revision is unknown or of another project.
        InvalidValue, ReferenceRefused: see `answers.find_place`.
        IdempotencyConflict: the key was used for something else, or by somebody else.
        IdempotencyRace: another call with this key is being stored at this very moment.
    """
    owner = find_project(uow, project, principal, active=False)
    before = uow.review_jobs.find_by_key(owner.id, asked.idempotency_key)
    if before is not None:
        known = before.submission
        is_stranger = principal.client_id is not None and known.client_id != principal.client_id
        if is_stranger or known.body_digest != asked.body_digest:
            raise IdempotencyConflict
        return Submitted(job=before, is_new=False)
    if not owner.active:
        raise ReferenceRefused("project", is_known=True)
    now = uow.now()
    job = AgentJob(
        id=ids.new(),
        created_at=now,
        available_at=now,
        submission=replace(
            _with_cohort(uow, asked, suite_revision_id, owner.id),
            project_id=owner.id,
            client_id=principal.client_id,
        ),
    )
    uow.review_jobs.add(job)
    if answer_of is not None:
        place = find_place(
            uow,
            answer_of,
            job.submission,
            suite_revision_id=suite_revision_id,
            project_id=owner.id,
        )
        uow.reviewed_answers.add(job, place)
    tell_step(uow, None, job, actor=principal.actor, ids=ids, now=now)
    return Submitted(job=job, is_new=True)


def claim(  # noqa: PLR0913 -- who, what and with what, by keyword
    uow: UnitOfWork,
    *,
    project: str | None,
    job_id: str | None,
    worker: str,
    resolved: dict[str, object],
    principal: Principal,
    ids: Ids,
    secrets: Secrets,
) -> Claimed | Refused | None:
    """Give a worker the job that waits longest, or the one that it names.

    First, whatever is overdue is ended. A job for which the worker resolved another model or
    connection than was submitted is cancelled, never switched.

    Args:
        uow: the open transaction.
        project: whose jobs; None is a service client's own.
        job_id: of the one that is wanted; None for the next.
        worker: its name.
        resolved: what is known only now, such as the worker's image.
        principal: who asks.
        ids: of the rows.
        secrets: of the token.

    Returns:
        None where no job waits that may be begun.

    Raises:
        InvalidReport, RegisteredNotFound, ReferenceRefused: see `telling.find_project`.
        ReviewNotFound: no such job in the project.
        JobFenced: it does not wait, or not to be begun yet.
        InvalidSnapshot: what was resolved breaks a rule.
    """
    owner = find_project(uow, project, principal)
    now = uow.now()
    sweep(uow, ids=ids, now=now)
    if job_id is None:
        job = uow.review_jobs.find_next(owner.id, now)
        if job is None:
            return None
    else:
        job = uow.review_jobs.get_locked(job_id)
        if job.submission.project_id != owner.id:
            raise ReviewNotFound(JOB_KIND)
    token = base64.urlsafe_b64encode(secrets.new()).rstrip(b"=").decode("ascii")
    try:
        # From what was submitted: each attempt says anew what it runs with.
        snapshot = job.submission.snapshot.resolved(resolved)
    except ModelUnavailable as error:
        return _unavailable(uow, job, error, actor=principal.actor, ids=ids, now=now)
    claimed = job.claimed(
        worker=worker, token_digest=token_digest(token), snapshot=snapshot, now=now
    )
    uow.review_jobs.save(job, claimed)
    tell_step(uow, job, claimed, actor=principal.actor, ids=ids, now=now)
    return Claimed(job=claimed, token=token)


def cancel(
    uow: UnitOfWork,
    job_id: str,
    *,
    reason: CancelReason,
    principal: Principal,
    ids: Ids,
) -> AgentJob:
    """Cancel a job that waits or runs; whoever holds it is refused from then on.

    Raises:
        ReviewNotFound: there is none.
        JobFenced: it is ended.
    """
    job = get_own(uow, job_id, principal)
    now = uow.now()
    ended = job.ended(AttemptOutcome.CANCELLED, now=now, cancel_reason=reason)
    end_attempt(uow, job, ended, actor=principal.actor, ids=ids, now=now, reason=reason.value)
    return ended


def sweep(uow: UnitOfWork, *, ids: Ids, now: datetime) -> int:
    """End running jobs whose time is over, at most `SWEPT`; how many were."""
    overdue = uow.review_jobs.list_overdue(now, limit=SWEPT)
    for job in overdue:
        ended = job.ended(AttemptOutcome.TIMED_OUT, now=now, error_class=OVERDUE)
        end_attempt(uow, job, ended, actor=_HUB, ids=ids, now=now, reason="deadline_passed")
    return len(overdue)


def interrupt_running(uow: UnitOfWork, *, ids: Ids) -> int:
    """End every running job after a restore: its worker holds a claim of another database.

    Nothing is queued and nothing is started; done twice it changes nothing more.
    """
    running = uow.review_jobs.list_running()
    now = uow.now()
    for job in running:
        ended = job.ended(AttemptOutcome.FAILED, now=now, error_class=RESTORED)
        end_attempt(uow, job, ended, actor=_HUB, ids=ids, now=now, reason="restore")
    return len(running)


def _with_cohort(
    uow: UnitOfWork, asked: Submission, suite_revision_id: str | None, project_id: str
) -> Submission:
    """What is asked with its cohort: the named one, the suite revision, or the inputs."""
    if suite_revision_id is None:
        return asked
    found = uow.suites.find_facts(suite_revision_id)
    if found is None or found.project_id != project_id:
        raise ReferenceRefused("suite_revision")
    if asked.cohort is not None or asked.cohort_kind is CohortKind.CASES:
        return asked
    return replace(asked, cohort_kind=CohortKind.CASES, cohort=found.id)


def _unavailable(
    uow: UnitOfWork,
    job: AgentJob,
    error: ModelUnavailable,
    *,
    actor: Actor,
    ids: Ids,
    now: datetime,
) -> Refused:
    """The refusal of a job whose model is not to be had; its cancellation is kept."""
    if job.claim is not None:
        raise JobFenced("job_not_queued", f"the job is {job.state.value}")
    reason = CancelReason.MODEL_UNAVAILABLE
    ended = job.ended(AttemptOutcome.CANCELLED, now=now, cancel_reason=reason)
    end_attempt(uow, job, ended, actor=actor, ids=ids, now=now, reason=reason.value)
    return Refused(error)
