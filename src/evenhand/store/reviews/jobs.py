"""Jobs, each step of which is written by who was quickest; and what stays of them, written once."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.errors.publication import IdempotencyRace
from evenhand.core.errors.review import JobFenced, ReviewNotFound
from evenhand.core.review.attempt import Attempt, Transition
from evenhand.core.review.evidence import Admitted
from evenhand.core.review.job import AgentJob
from evenhand.core.review.states import JobState
from evenhand.core.review.usage import Usage
from evenhand.store.errors import translate
from evenhand.store.pages import in_order, page_before, page_behind
from evenhand.store.reviews.job_rows import (
    attempt_row,
    progress_row,
    row_to_attempt,
    row_to_job,
    row_to_transition,
    submission_row,
    transition_row,
)
from evenhand.store.reviews.usage_rows import JOB, job_usage_row, row_to_usage, usage_row
from evenhand.store.tables import (
    agent_job,
    agent_job_practice,
    job_transition,
    llm_usage_event,
    review_attempt,
)
from evenhand.store.text import is_storable
from evenhand.store.times import time_to_text

_KEY_TAKEN: Final = "uq_agent_job_project_id_idempotency_key"
#: What a step was decided on; a step of somebody else has changed one of them.
_FENCES: Final = (
    "state",
    "attempt",
    "worker",
    "token_digest",
    "prepared_at",
    "execution_started_at",
)


class SqlReviewJobs:
    """The review jobs of one open transaction; implements `ports.ReviewJobRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, job: AgentJob) -> None:
        """Insert a job.

        Raises:
            IdempotencyRace: another one of its project has its key, were it of a transaction that
                ran beside this one.
            ConstraintRefused: it refers to nothing.
            InvalidText: a text that a database cannot hold.
        """
        row = submission_row(job) | progress_row(job)
        try:
            self._connection.execute(agent_job.insert(), row)
        except IntegrityError as error:
            refused = translate(error)
        else:
            return
        # Outside the clause: an error of ours must not carry the driver's as its context.
        if getattr(refused, "constraint", None) == _KEY_TAKEN:
            raise IdempotencyRace
        raise refused

    def save(self, before: AgentJob, after: AgentJob) -> None:
        """Write a step, where the job still is as it was when the step was decided.

        Raises:
            JobFenced: it is not: state, attempt, worker, token or what was written down differs.
        """
        was = progress_row(before)
        fences = [agent_job.c[name].is_not_distinct_from(was[name]) for name in _FENCES]
        statement = (
            agent_job.update()
            .where(agent_job.c.id == before.id, *fences)
            .values(progress_row(after))
        )
        if self._connection.execute(statement).rowcount != 1:
            raise JobFenced("job_not_running", "somebody else has taken a step of the job")

    def find(self, job_id: str) -> AgentJob | None:
        """The job with this id."""
        if not is_storable(job_id):
            return None
        return self._first(sa.select(agent_job).where(agent_job.c.id == job_id))

    def get_locked(self, job_id: str) -> AgentJob:
        """The job with this id, held until the transaction ends: who takes a step too waits.

        Raises:
            ReviewNotFound: there is none.
        """
        found = None
        if is_storable(job_id):
            held = sa.select(agent_job).where(agent_job.c.id == job_id).with_for_update()
            found = self._first(held)
        if found is None:
            raise ReviewNotFound(JOB)
        return found

    def find_by_key(self, project_id: str, key: str) -> AgentJob | None:
        """The job of a project that was submitted under this key."""
        query = sa.select(agent_job).where(
            agent_job.c.project_id == project_id, agent_job.c.idempotency_key == key
        )
        return self._first(query)

    def find_next(self, project_id: str, now: datetime) -> AgentJob | None:
        """The job of a project that waits longest and may be begun, held; None where none does."""
        query = (
            sa.select(agent_job)
            .where(
                agent_job.c.project_id == project_id,
                agent_job.c.state == JobState.QUEUED.value,
                agent_job.c.available_at <= time_to_text(now),
            )
            .order_by(agent_job.c.available_at, agent_job.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        return self._first(query)

    def list_overdue(self, now: datetime, *, limit: int) -> tuple[AgentJob, ...]:
        """Running jobs whose time is over, held; the longest overdue first."""
        query = (
            sa.select(agent_job)
            .where(
                agent_job.c.state == JobState.RUNNING.value,
                agent_job.c.deadline_at <= time_to_text(now),
            )
            .order_by(agent_job.c.deadline_at, agent_job.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return tuple(map(row_to_job, self._connection.execute(query).mappings()))

    def list_running(self) -> tuple[AgentJob, ...]:
        """Every job that somebody holds, by id."""
        query = (
            sa.select(agent_job)
            .where(agent_job.c.state == JobState.RUNNING.value)
            .order_by(agent_job.c.id)
        )
        return tuple(map(row_to_job, self._connection.execute(query).mappings()))

    def list_latest(
        self,
        *,
        project_id: str | None = None,
        client_id: str | None = None,
        state: JobState | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[AgentJob, ...]:
        """Newest first, at most ``limit``.

        Args:
            project_id: only those of this project.
            client_id: only those that this service client submitted.
            state: only those that stand there.
            limit: at least 1.
            after: time and id of one; then only those behind it in the list.
            before: the same; then the last ones that stand before it.
        """
        if not is_storable(f"{project_id}{client_id}"):
            return ()
        created_at, row = agent_job.c.created_at, agent_job.c.id
        query = sa.select(agent_job).limit(limit)
        if project_id is not None:
            query = query.where(agent_job.c.project_id == project_id)
        if client_id is not None:
            query = query.where(agent_job.c.client_id == client_id)
        if state is not None:
            query = query.where(agent_job.c.state == state.value)
        if before is not None:
            query = page_before(query, created_at, row, before)
        else:
            query = page_behind(query, created_at, row, after)
        found = map(row_to_job, self._connection.execute(query).mappings())
        return in_order(found, backwards=before is not None)

    def add_practices(self, job: AgentJob, practices: tuple[Admitted, ...]) -> None:
        """Note for which revisions an attempt was prepared.

        Raises:
            ConstraintRefused: a revision is not there.
        """
        rows = [
            {
                "job_id": job.id,
                "attempt": job.attempt,
                "practice_revision_id": one.revision_id,
                "ready": one.is_ready,
            }
            for one in practices
        ]
        self._connection.execute(agent_job_practice.insert(), rows)

    def add_transition(self, one: Transition) -> None:
        """Note that a job went from one state to another."""
        self._connection.execute(job_transition.insert(), transition_row(one))

    def add_attempt(self, one: Attempt) -> None:
        """Note an attempt that ended."""
        self._connection.execute(review_attempt.insert(), attempt_row(one))

    def add_usage(self, one: Usage) -> None:
        """Note what an attempt used, and on the job that of its last attempt."""
        self._connection.execute(llm_usage_event.insert(), usage_row(one))
        told = agent_job.update().where(agent_job.c.id == one.job_id)
        self._connection.execute(told.values(job_usage_row(one)))

    def list_transitions(self, job_id: str) -> tuple[Transition, ...]:
        """Those of a job, oldest first."""
        query = (
            sa.select(job_transition)
            .where(job_transition.c.job_id == job_id)
            .order_by(job_transition.c.at, job_transition.c.id)
        )
        return tuple(map(row_to_transition, self._connection.execute(query).mappings()))

    def list_attempts(self, job_id: str) -> tuple[Attempt, ...]:
        """Those of a job that ended, by number."""
        query = (
            sa.select(review_attempt)
            .where(review_attempt.c.job_id == job_id)
            .order_by(review_attempt.c.attempt)
        )
        return tuple(map(row_to_attempt, self._connection.execute(query).mappings()))

    def list_usage(self, job_id: str) -> tuple[Usage, ...]:
        """What the attempts of a job used, by number."""
        query = (
            sa.select(llm_usage_event)
            .where(llm_usage_event.c.source_type == JOB, llm_usage_event.c.source_id == job_id)
            .order_by(llm_usage_event.c.attempt)
        )
        return tuple(map(row_to_usage, self._connection.execute(query).mappings()))

    def _first(self, query: sa.Select[Any]) -> AgentJob | None:
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_job(row)
