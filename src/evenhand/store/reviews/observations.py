"""What reviews found, and what of their output was refused: written once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.review.admission import Admission
from evenhand.core.review.candidates import Rejection, RejectionReason
from evenhand.core.review.observation import Assessment, Observation, Presence, Severity
from evenhand.store.reviews.job_rows import row_to_counts
from evenhand.store.tables import observation, observation_admission, review_candidate_rejection
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text


class SqlObservations:
    """The observations of one open transaction; implements `ports.ObservationRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self,
        admission: Admission,
        observations: Sequence[Observation],
        rejections: Sequence[Rejection],
    ) -> None:
        """Insert what a job handed in.

        Raises:
            ConstraintRefused: it handed in something before, or names a revision that its attempt
                was not prepared for.
        """
        counts = admission.counts
        self._connection.execute(
            observation_admission.insert(),
            {
                "job_id": admission.job_id,
                "attempt": admission.attempt,
                "payload_digest": admission.payload_digest,
                "candidates_seen": counts.seen,
                "candidates_persisted": counts.persisted,
                "candidates_rejected": counts.rejected,
                "unreadable": counts.unreadable,
                "created_at": time_to_text(admission.created_at),
            },
        )
        if observations:
            self._connection.execute(observation.insert(), list(map(_to_row, observations)))
        if rejections:
            rows = [
                {
                    "job_id": admission.job_id,
                    "attempt": admission.attempt,
                    "position": one.position,
                    "reason": one.reason.value,
                }
                for one in rejections
            ]
            self._connection.execute(review_candidate_rejection.insert(), rows)

    def find_admission(self, job_id: str) -> Admission | None:
        """What a job handed in; None where nothing yet."""
        query = sa.select(observation_admission).where(observation_admission.c.job_id == job_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_admission(row)

    def find(self, observation_id: str) -> Observation | None:
        """The observation with this id."""
        if not is_storable(observation_id):
            return None
        query = sa.select(observation).where(observation.c.id == observation_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_observation(row)

    def list_of(self, job_id: str) -> tuple[Observation, ...]:
        """Those of a job, by position."""
        query = (
            sa.select(observation)
            .where(observation.c.agent_job_id == job_id)
            .order_by(observation.c.position)
        )
        return tuple(map(row_to_observation, self._connection.execute(query).mappings()))

    def list_rejections(self, job_id: str) -> tuple[Rejection, ...]:
        """What of a job's output was refused, by position."""
        refused = review_candidate_rejection.c
        query = (
            sa.select(refused.position, refused.reason)
            .where(refused.job_id == job_id)
            .order_by(refused.attempt, refused.position)
        )
        return tuple(
            Rejection(position=position, reason=RejectionReason(reason))
            for position, reason in self._connection.execute(query)
        )


def row_to_admission(row: RowMapping) -> Admission:
    """The admission of a row."""
    counts = row_to_counts(row)
    assert counts is not None  # noqa: S101 -- the column is never empty
    return Admission(
        job_id=row["job_id"],
        attempt=row["attempt"],
        payload_digest=row["payload_digest"],
        counts=counts,
        created_at=_at(row),
    )


def row_to_observation(row: RowMapping) -> Observation:
    """The observation of a row.

    Raises:
        ValueError: it is not what was written.
    """
    evidence = row["evidence"]
    return Observation(
        id=row["id"],
        job_id=row["agent_job_id"],
        attempt=row["attempt"],
        practice_revision_id=row["practice_revision_id"],
        position=row["position"],
        occurrence_key=row["occurrence_key"],
        recurrence_key=row["recurrence_key"],
        presence=Presence(row["presence"]),
        assessment=None if row["assessment"] is None else Assessment(row["assessment"]),
        severity=None if row["severity"] is None else Severity(row["severity"]),
        summary=row["summary"],
        rationale=row["rationale"],
        paths=None if evidence is None else tuple(json.loads(evidence)),
        created_at=_at(row),
    )


def _to_row(one: Observation) -> dict[str, Any]:
    for name in ("summary", "rationale"):
        require_storable(getattr(one, name) or "", name)
    return {
        "id": one.id,
        "agent_job_id": one.job_id,
        "attempt": one.attempt,
        "practice_revision_id": one.practice_revision_id,
        "position": one.position,
        "occurrence_key": one.occurrence_key,
        "recurrence_key": one.recurrence_key,
        "presence": one.presence.value,
        "assessment": None if one.assessment is None else one.assessment.value,
        "severity": None if one.severity is None else one.severity.value,
        "summary": one.summary,
        "rationale": one.rationale,
        "evidence": None if one.paths is None else json_ascii_v1(list(one.paths)),
        "created_at": time_to_text(one.created_at),
    }


def _at(row: RowMapping) -> datetime:
    return text_to_time(row["created_at"])
