"""How do a job, its attempts and its transitions become rows, and rows them?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping

from evenhand.core.review.attempt import Attempt, CandidateCounts, Transition
from evenhand.core.review.job import AgentJob, Claim, Prepared, Submission
from evenhand.core.review.snapshot import read_snapshot
from evenhand.core.review.states import (
    ArtifactKind,
    AttemptOutcome,
    CancelReason,
    CohortKind,
    JobState,
    Origin,
)
from evenhand.store.text import require_storable
from evenhand.store.times import text_to_time, time_to_text

Row = dict[str, Any]


def submission_row(job: AgentJob) -> Row:
    """The columns of a job that never change.

    Raises:
        InvalidText: a text that a database cannot hold.
    """
    asked = job.submission
    row: Row = {
        "id": job.id,
        "created_at": time_to_text(job.created_at),
        "project_id": asked.project_id,
        "client_id": asked.client_id,
        "idempotency_key": asked.idempotency_key,
        "body_digest": asked.body_digest,
        "artifact_kind": asked.artifact_kind.value,
        "artifact_id": asked.artifact_id,
        "subject_id": asked.subject_id,
        "cohort_kind": asked.cohort_kind.value,
        "cohort": asked.cohort,
        "case_id": asked.case_id,
        "repository_revision": asked.repository_revision,
        "origin": asked.origin.value,
        "submitted_snapshot": asked.snapshot.text,
        "submitted_digest": asked.snapshot.sha256,
    }
    for name, value in row.items():
        if isinstance(value, str):
            require_storable(value, name)
    return row


def progress_row(job: AgentJob) -> Row:
    """The columns of a job that move with its state."""
    claim, prepared = job.claim, job.prepared
    return {
        "config_snapshot": None if job.snapshot is None else job.snapshot.text,
        "config_digest": None if job.snapshot is None else job.snapshot.sha256,
        "state": job.state.value,
        "attempt": job.attempt,
        "available_at": time_to_text(job.available_at),
        "worker": None if claim is None else claim.worker,
        "token_digest": None if claim is None else claim.token_digest,
        "claimed_at": None if claim is None else time_to_text(claim.claimed_at),
        "deadline_at": None if claim is None else time_to_text(claim.deadline_at),
        "prepared_at": None if prepared is None else time_to_text(prepared.at),
        "prompt_digest": None if prepared is None else prepared.prompt_digest,
        "inputs_digest": None if prepared is None else prepared.inputs_digest,
        "evidence_snapshot": None if prepared is None else prepared.evidence,
        "readiness": None if prepared is None else prepared.readiness,
        "execution_started_at": _text(job.started_at),
        "finished_at": _text(job.finished_at),
        "outcome": None if job.outcome is None else job.outcome.value,
        "error_class": job.error_class,
        "cancel_reason": None if job.cancel_reason is None else job.cancel_reason.value,
    }


def row_to_job(row: RowMapping) -> AgentJob:
    """The job of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return AgentJob(
        id=row["id"],
        created_at=text_to_time(row["created_at"]),
        submission=_row_to_submission(row),
        state=JobState(row["state"]),
        attempt=row["attempt"],
        available_at=text_to_time(row["available_at"]),
        snapshot=None if row["config_snapshot"] is None else read_snapshot(row["config_snapshot"]),
        claim=_row_to_claim(row),
        prepared=_row_to_prepared(row),
        started_at=_time(row["execution_started_at"]),
        finished_at=_time(row["finished_at"]),
        outcome=None if row["outcome"] is None else AttemptOutcome(row["outcome"]),
        error_class=row["error_class"],
        cancel_reason=None if row["cancel_reason"] is None else CancelReason(row["cancel_reason"]),
    )


def transition_row(one: Transition) -> Row:
    """The row of a transition."""
    return {
        "id": one.id,
        "job_id": one.job_id,
        "attempt": one.attempt,
        "from_state": None if one.from_state is None else one.from_state.value,
        "to_state": one.to_state.value,
        "at": time_to_text(one.at),
        "actor_kind": one.actor_kind,
        "actor_id": one.actor_id,
        "reason": one.reason,
    }


def row_to_transition(row: RowMapping) -> Transition:
    """The transition of a row."""
    return Transition(
        id=row["id"],
        job_id=row["job_id"],
        attempt=row["attempt"],
        from_state=None if row["from_state"] is None else JobState(row["from_state"]),
        to_state=JobState(row["to_state"]),
        at=text_to_time(row["at"]),
        actor_kind=row["actor_kind"],
        actor_id=row["actor_id"],
        reason=row["reason"],
    )


def attempt_row(one: Attempt) -> Row:
    """The row of an attempt that ended."""
    output = one.candidates
    return {
        "job_id": one.job_id,
        "attempt": one.attempt,
        "worker": one.worker,
        "claimed_at": _text(one.claimed_at),
        "prepared_at": _text(one.prepared_at),
        "execution_started_at": _text(one.started_at),
        "ended_at": time_to_text(one.ended_at),
        "outcome": one.outcome.value,
        "error_class": one.error_class,
        "config_digest": one.config_digest,
        "prompt_digest": one.prompt_digest,
        "inputs_digest": one.inputs_digest,
        "candidates_seen": None if output is None else output.seen,
        "candidates_persisted": None if output is None else output.persisted,
        "candidates_rejected": None if output is None else output.rejected,
        "unreadable": None if output is None else output.unreadable,
    }


def row_to_attempt(row: RowMapping) -> Attempt:
    """The attempt of a row."""
    return Attempt(
        job_id=row["job_id"],
        attempt=row["attempt"],
        worker=row["worker"],
        claimed_at=_time(row["claimed_at"]),
        prepared_at=_time(row["prepared_at"]),
        started_at=_time(row["execution_started_at"]),
        ended_at=text_to_time(row["ended_at"]),
        outcome=AttemptOutcome(row["outcome"]),
        error_class=row["error_class"],
        config_digest=row["config_digest"],
        prompt_digest=row["prompt_digest"],
        inputs_digest=row["inputs_digest"],
        candidates=row_to_counts(row),
    )


def row_to_counts(row: RowMapping) -> CandidateCounts | None:
    """What an output held, of an attempt's row or of an admission's."""
    if row["candidates_seen"] is None:
        return None
    return CandidateCounts(
        seen=row["candidates_seen"],
        persisted=row["candidates_persisted"],
        rejected=row["candidates_rejected"],
        unreadable=bool(row["unreadable"]),
    )


def _row_to_submission(row: RowMapping) -> Submission:
    return Submission(
        project_id=row["project_id"],
        client_id=row["client_id"],
        idempotency_key=row["idempotency_key"],
        body_digest=row["body_digest"],
        artifact_kind=ArtifactKind(row["artifact_kind"]),
        artifact_id=row["artifact_id"],
        subject_id=row["subject_id"],
        cohort_kind=CohortKind(row["cohort_kind"]),
        cohort=row["cohort"],
        case_id=row["case_id"],
        repository_revision=row["repository_revision"],
        origin=Origin(row["origin"]),
        snapshot=read_snapshot(row["submitted_snapshot"]),
    )


def _row_to_claim(row: RowMapping) -> Claim | None:
    if row["worker"] is None:
        return None
    return Claim(
        worker=row["worker"],
        token_digest=row["token_digest"],
        claimed_at=text_to_time(row["claimed_at"]),
        deadline_at=text_to_time(row["deadline_at"]),
    )


def _row_to_prepared(row: RowMapping) -> Prepared | None:
    if row["prepared_at"] is None:
        return None
    return Prepared(
        at=text_to_time(row["prepared_at"]),
        prompt_digest=row["prompt_digest"],
        inputs_digest=row["inputs_digest"],
        evidence=row["evidence_snapshot"],
        readiness=row["readiness"],
    )


def _text(at: datetime | None) -> str | None:
    return None if at is None else time_to_text(at)


def _time(text: str | None) -> datetime | None:
    return None if text is None else text_to_time(text)
