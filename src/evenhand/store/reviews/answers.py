"""Reviewed answers: to which case of which run they belong, and what was found of them."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.review.answer import AnsweredRun, AnswerPlace, JudgedAnswer
from evenhand.core.review.job import AgentJob
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import AttemptOutcome, JobState, Origin
from evenhand.store.reviews.rates import row_to_assessment, row_to_identities
from evenhand.store.tables import (
    agent_job,
    agent_job_practice,
    answer_acceptance,
    comparison_intent,
    comparison_leg,
    comparison_summary,
    evaluation_publication,
    observation,
    project,
    reviewed_answer,
)
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time

_CANDIDATE: Final = "candidate"
_PLACE: Final = reviewed_answer.c


class SqlReviewedAnswers:
    """The reviewed answers of one open transaction; implements `ports.ReviewedAnswerRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hold(self, project_id: str) -> None:
        """Let nobody else make a result of a project final until the transaction ends.

        Of two transactions, each with one half of a result, the later one sees both halves.
        """
        # Not the whole row: whoever inserts what refers to the project goes on. SQLite has one
        # writer at a time anyway, and no such clause.
        held = sa.select(project.c.id).where(project.c.id == project_id)
        self._connection.execute(held.with_for_update(key_share=True))

    def add(self, job: AgentJob, place: AnswerPlace) -> None:
        """Note where the answer of a review belongs.

        Raises:
            InvalidText: a text that a database cannot hold.
            ConstraintRefused: it is noted already, or the suite revision is not there.
        """
        row = {
            "job_id": job.id,
            "project_id": job.submission.project_id,
            "answer_id": job.submission.artifact_id,
            "evaluation_id": place.evaluation_id,
            "publication_key": place.publication_key,
            "suite_revision_id": place.suite_revision_id,
            "case_id": place.case_id,
            "position": place.position,
            "prompt_version": place.prompt_version,
            "awaits_acceptance": place.awaits_acceptance,
        }
        for name, value in row.items():
            if isinstance(value, str):
                require_storable(value, name)
        self._connection.execute(reviewed_answer.insert(), row)

    def find(self, job_id: str) -> AnswerPlace | None:
        """Where the answer of a review belongs; None where nobody said."""
        query = sa.select(reviewed_answer).where(_PLACE.job_id == job_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else _to_place(row)

    def find_run(self, evaluation_id: str) -> AnsweredRun | None:
        """The run that is stored under this id, published or of a comparison; None for another."""
        if not is_storable(evaluation_id):
            return None
        sent = evaluation_publication.c
        published = sa.select(sent.project_id, sent.suite_revision_id, sa.false()).where(
            sent.evaluation_id == evaluation_id
        )
        leg, intent, summary = comparison_leg.c, comparison_intent.c, comparison_summary.c
        compared = (
            sa.select(
                intent.project_id,
                intent.suite_revision_id,
                sa.and_(leg.leg == _CANDIDATE, sa.not_(summary.eligible)),
            )
            .join(comparison_leg, leg.intent_id == intent.id)
            .join(comparison_summary, summary.intent_id == intent.id)
            .where(leg.evaluation_id == evaluation_id)
        )
        row = self._connection.execute(sa.union_all(published, compared)).first()
        if row is None:
            return None
        return AnsweredRun(
            evaluation_id=evaluation_id,
            project_id=row[0],
            suite_revision_id=row[1],
            is_ineligible=bool(row[2]),
        )

    def list_of_job(self, job_id: str) -> tuple[JudgedAnswer, ...]:
        """What a review that has ended says of its answer, by practice revision."""
        return self._judged(_PLACE.job_id == job_id)

    def list_of_run(self, project_id: str, publication_key: str) -> tuple[JudgedAnswer, ...]:
        """What ended reviews say of answers of a run that is named by its key; oldest end first."""
        return self._judged(
            sa.and_(_PLACE.project_id == project_id, _PLACE.publication_key == publication_key)
        )

    def list_of_answer(self, project_id: str, answer_id: str) -> tuple[JudgedAnswer, ...]:
        """What ended reviews say of one answer; oldest end first."""
        return self._judged(
            sa.and_(_PLACE.project_id == project_id, _PLACE.answer_id == answer_id)
        )

    def _judged(self, chosen: sa.ColumnElement[bool]) -> tuple[JudgedAnswer, ...]:
        rows = self._connection.execute(_ended().where(chosen)).mappings()
        return tuple(map(_to_judged, rows))


def _ended() -> sa.Select[Any]:
    """Reviewed answers beside what ended reviews found of them, by practice that was ready."""
    job, ready, seen = agent_job.c, agent_job_practice.c, observation.c
    of_practice = (
        sa.select(sa.func.count(seen.assessment))
        .where(
            seen.agent_job_id == job.id,
            seen.attempt == job.attempt,
            seen.practice_revision_id == ready.practice_revision_id,
        )
        .correlate(agent_job, agent_job_practice)
    )
    said = (
        sa.select(answer_acceptance.c.id)
        .where(
            answer_acceptance.c.project_id == _PLACE.project_id,
            answer_acceptance.c.answer_id == _PLACE.answer_id,
        )
        .order_by(answer_acceptance.c.created_at.desc(), answer_acceptance.c.id.desc())
        .limit(1)
        .correlate(reviewed_answer)
        .scalar_subquery()
    )
    return (
        sa.select(
            reviewed_answer,
            job.origin,
            job.claimed_at,
            job.finished_at,
            job.config_digest,
            job.prompt_digest,
            job.inputs_digest,
            job.cohort_kind,
            job.cohort,
            ready.practice_revision_id,
            of_practice.scalar_subquery().label("assessed"),
            of_practice.where(seen.assessment == Assessment.BAD.value)
            .scalar_subquery()
            .label("bad"),
            answer_acceptance.c.accepted,
            answer_acceptance.c.created_at.label("accepted_at"),
        )
        .join(agent_job, job.id == _PLACE.job_id)
        .join(agent_job_practice, sa.and_(ready.job_id == job.id, ready.attempt == job.attempt))
        .outerjoin(answer_acceptance, answer_acceptance.c.id == said)
        .where(
            job.state == JobState.COMPLETED.value,
            job.outcome == AttemptOutcome.REVIEWED.value,
            ready.ready,
        )
        .order_by(job.finished_at, job.id, ready.practice_revision_id)
    )


def _to_place(row: RowMapping) -> AnswerPlace:
    return AnswerPlace(
        evaluation_id=row["evaluation_id"],
        publication_key=row["publication_key"],
        suite_revision_id=row["suite_revision_id"],
        case_id=row["case_id"],
        position=row["position"],
        prompt_version=row["prompt_version"],
        awaits_acceptance=bool(row["awaits_acceptance"]),
    )


def _to_judged(row: RowMapping) -> JudgedAnswer:
    return JudgedAnswer(
        job_id=row["job_id"],
        place=_to_place(row),
        origin=Origin(row["origin"]),
        began_at=text_to_time(row["claimed_at"]),
        ended_at=text_to_time(row["finished_at"]),
        identities=row_to_identities(row),
        assessment=row_to_assessment(row),
        accepted=None if row["accepted"] is None else bool(row["accepted"]),
        accepted_at=None if row["accepted_at"] is None else text_to_time(row["accepted_at"]),
    )
