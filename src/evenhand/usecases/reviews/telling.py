"""What do the verbs of reviews share? Who may touch a review, and what is written beside a step."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from evenhand.core.access.roles import ALLOWED, Action, Actor, Principal
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import ReviewNotFound
from evenhand.core.registry.project import Project, known_project, meant_project
from evenhand.core.registry.registered import Noun
from evenhand.core.review.attempt import CandidateCounts, Transition, attempt_of
from evenhand.core.review.job import AgentJob
from evenhand.usecases.ports import Ids, UnitOfWork

#: What errors and the audit call a review.
JOB_KIND: Final = "agent_job"


def find_project(
    uow: UnitOfWork, reference: str | None, principal: Principal, *, active: bool = True
) -> Project:
    """The project that is meant; to a service client every other one is unknown.

    Args:
        uow: an open transaction.
        reference: id or name; None is a service client's own.
        principal: who asks.
        active: whether it has to be in use.

    Raises:
        InvalidReport: a person named none.
        RegisteredNotFound: there is none, or it is not the service client's.
        ReferenceRefused: it is not active.
    """
    meant = meant_project(reference, principal)
    found = known_project(uow.projects.find(meant) or uow.projects.find_named(meant), principal)
    if active and not found.active:
        raise ReferenceRefused(Noun.PROJECT.value, is_known=True)
    return found


def get_own(uow: UnitOfWork, job_id: str, principal: Principal) -> AgentJob:
    """A job that a caller may take a step of, held: a service client only of its project's.

    Raises:
        ReviewNotFound: there is none, or it is another project's.
    """
    job = uow.review_jobs.get_locked(job_id)
    if principal.project_id not in (None, job.submission.project_id):
        raise ReviewNotFound(JOB_KIND)
    return job


def require_visible(job: AgentJob, principal: Principal) -> None:
    """Nothing, where a caller may read a job: a service client what it submitted.

    Raises:
        ReviewNotFound: it is somebody else's.
    """
    if Action.READ in ALLOWED[principal.role]:
        return
    if job.submission.client_id is None or job.submission.client_id != principal.client_id:
        raise ReviewNotFound(JOB_KIND)


def tell_step(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    before: AgentJob | None,
    after: AgentJob,
    *,
    actor: Actor,
    ids: Ids,
    now: datetime,
    reason: str | None = None,
) -> None:
    """Write the transition of a step."""
    uow.review_jobs.add_transition(
        Transition(
            id=ids.new(),
            job_id=after.id,
            attempt=after.attempt if before is None else before.attempt,
            from_state=None if before is None else before.state,
            to_state=after.state,
            at=now,
            actor_kind=actor.kind.value,
            actor_id=actor.id,
            reason=reason,
        )
    )


def end_attempt(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    before: AgentJob,
    after: AgentJob,
    *,
    actor: Actor,
    ids: Ids,
    now: datetime,
    reason: str | None = None,
) -> None:
    """Write an attempt's end: the job, the record of the attempt, the transition.

    Raises:
        JobFenced: somebody else took a step since.
    """
    uow.review_jobs.save(before, after)
    uow.review_jobs.add_attempt(attempt_of(before, after, now=now, output=_output(uow, before)))
    tell_step(uow, before, after, actor=actor, ids=ids, now=now, reason=reason)


def _output(uow: UnitOfWork, job: AgentJob) -> CandidateCounts | None:
    admitted = uow.observations.find_admission(job.id)
    if admitted is None or admitted.attempt != job.attempt:
        return None
    return admitted.counts
