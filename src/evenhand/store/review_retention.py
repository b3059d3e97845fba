"""Which reviews does time take, and which a request to forget a project's?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.review.feedback import FeedbackState
from evenhand.store.retention import Tally, retention
from evenhand.store.reviews.usage_rows import JOB
from evenhand.store.tables import (
    agent_job,
    agent_job_practice,
    answer_acceptance,
    feedback,
    feedback_dispatch,
    feedback_observation,
    feedback_placement,
    human_label,
    job_transition,
    llm_usage_event,
    observation,
    observation_admission,
    practice,
    practice_revision,
    reaction,
    review_attempt,
    review_candidate_rejection,
    reviewed_answer,
)
from evenhand.store.text import require_storable
from evenhand.store.times import time_to_text

#: Delivery of it is still to come, so what it was composed from stays (BR-22).
_PENDING: Final = (FeedbackState.AWAITING_APPROVAL.value, FeedbackState.PREPARED.value)
#: What hangs on feedback, and what hangs on a review beside it; children first.
_OF_FEEDBACK: Final = (reaction, feedback_dispatch, feedback_placement, feedback_observation)
_OF_REVIEW: Final = (
    (feedback, feedback.c.agent_job_id),
    (review_candidate_rejection, review_candidate_rejection.c.job_id),
    (observation, observation.c.agent_job_id),
    (observation_admission, observation_admission.c.job_id),
    (job_transition, job_transition.c.job_id),
    (review_attempt, review_attempt.c.job_id),
    (agent_job_practice, agent_job_practice.c.job_id),
    (reviewed_answer, reviewed_answer.c.job_id),
    (agent_job, agent_job.c.id),
)
_AT_A_TIME: Final = 500


class SqlReviewRetention:
    """Takes reviews out of one open transaction; implements `ports.ReviewRetention`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        #: Whether rows were taken away, so that their bytes have to be wiped.
        self.has_deleted = False

    def delete_older(self, before: datetime, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete reviews that ended before an instant, each with its trail; give how many.

        One whose feedback is still to be delivered stays, and so does one whose feedback is
        replaced by that of a review that stays. What people said of an answer goes with the last
        review of that answer.
        """
        limit = time_to_text(before)
        with self._action(row_id, at, actor, "purge:review") as tally:
            # One that was replaced goes with a later look, when what replaced it is gone.
            while chosen := self._connection.scalars(_ended(limit)).all():
                tally.rows += self._delete(chosen)
            said = answer_acceptance.c
            reviewed = sa.exists().where(
                agent_job.c.project_id == said.project_id,
                agent_job.c.artifact_id == said.answer_id,
            )
            self._connection.execute(
                answer_acceptance.delete().where(said.created_at < limit, ~reviewed)
            )
        self.has_deleted = True
        return tally.rows

    def delete_project(self, project_id: str, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete every review of a project and every label of its criteria; give how many reviews."""
        revisions = (
            sa.select(practice_revision.c.id)
            .join(practice, practice.c.id == practice_revision.c.practice_id)
            .where(practice.c.project_id == project_id)
        )
        query = sa.select(agent_job.c.id).where(agent_job.c.project_id == project_id)
        with self._action(row_id, at, actor, "delete:review-project") as tally:
            # All at once: feedback of one review may replace that of another.
            tally.rows = self._delete(query)
            self._connection.execute(
                answer_acceptance.delete().where(answer_acceptance.c.project_id == project_id)
            )
            self._connection.execute(
                human_label.delete().where(human_label.c.practice_revision_id.in_(revisions))
            )
        self.has_deleted = True
        return tally.rows

    def _action(
        self, row_id: str, at: datetime, actor: str, rule: str
    ) -> AbstractContextManager[Tally]:
        require_storable(actor, "actor")
        return retention(self._connection, id=row_id, at=at, actor=actor, rule=rule)

    def _delete(self, chosen: Sequence[str] | sa.Select[Any]) -> int:
        of_feedback = sa.select(feedback.c.id).where(feedback.c.agent_job_id.in_(chosen))
        for table in _OF_FEEDBACK:
            self._connection.execute(table.delete().where(table.c.feedback_id.in_(of_feedback)))
        used = llm_usage_event.c
        self._connection.execute(
            llm_usage_event.delete().where(used.source_type == JOB, used.source_id.in_(chosen))
        )
        deleted = 0
        for table, job in _OF_REVIEW:
            deleted = self._connection.execute(table.delete().where(job.in_(chosen))).rowcount
        return deleted


def _ended(limit: str) -> sa.Select[Any]:
    """Reviews that ended before an instant and that nothing still holds."""
    pending = sa.exists().where(
        feedback.c.agent_job_id == agent_job.c.id, feedback.c.state.in_(_PENDING)
    )
    replaced, newer = feedback.alias("replaced"), feedback.alias("newer")
    is_replaced = sa.exists().where(
        replaced.c.agent_job_id == agent_job.c.id,
        newer.c.replaces_id == replaced.c.id,
        newer.c.agent_job_id != agent_job.c.id,
    )
    return (
        sa.select(agent_job.c.id)
        .where(agent_job.c.finished_at < limit, ~pending, ~is_replaced)
        .limit(_AT_A_TIME)
    )
