"""What stays of a job's way: each attempt that ended, each change of its state; written once.

Failures and invalid output are counted from these records and from nothing else: what was
persisted as an observation does not tell of what was refused before (R-48, R-49).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evenhand.core.review.job import AgentJob
from evenhand.core.review.states import AttemptOutcome, JobState


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """That a job went from one state to another, by whom and why.

    Attributes:
        id: UUIDv7 text.
        job_id: of the job.
        attempt: that it was in.
        from_state: None for its submission.
        to_state: where it stands since.
        at: aware UTC.
        actor_kind, actor_id: who did it.
        reason: in one word; None where the states say it all.
    """

    id: str
    job_id: str
    attempt: int
    from_state: JobState | None
    to_state: JobState
    at: datetime
    actor_kind: str
    actor_id: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCounts:
    """What an attempt's output held; each at least 0, persisted and rejected make up seen.

    Attributes:
        seen: candidates in the output.
        persisted: of them, observations.
        rejected: of them, refused one by one.
        unreadable: whether the output could not be read at all; then there were none to see.
    """

    seen: int = 0
    persisted: int = 0
    rejected: int = 0
    unreadable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt that ended; written once.

    Attributes:
        job_id, attempt: which.
        worker: who carried it out; None where it was cancelled while it waited.
        claimed_at, prepared_at, started_at: None where it did not come so far.
        ended_at: aware UTC.
        outcome: how.
        error_class: of a failure.
        config_digest, prompt_digest, inputs_digest: what it ran with; None is unknown.
        candidates: what its output held; None where none was handed in.
    """

    job_id: str
    attempt: int
    worker: str | None
    claimed_at: datetime | None
    prepared_at: datetime | None
    started_at: datetime | None
    ended_at: datetime
    outcome: AttemptOutcome
    error_class: str | None
    config_digest: str | None
    prompt_digest: str | None
    inputs_digest: str | None
    candidates: CandidateCounts | None


def attempt_of(
    job: AgentJob, ended: AgentJob, *, now: datetime, output: CandidateCounts | None
) -> Attempt:
    """The record of the attempt that took a job from one state to the next.

    Args:
        job: before.
        ended: after.
        now: aware UTC.
        output: what was handed in, if anything.
    """
    assert ended.outcome is not None  # noqa: S101 -- `AgentJob.ended` sets it
    claim, prepared = job.claim, job.prepared
    return Attempt(
        job_id=job.id,
        attempt=job.attempt,
        worker=None if claim is None else claim.worker,
        claimed_at=None if claim is None else claim.claimed_at,
        prepared_at=None if prepared is None else prepared.at,
        started_at=job.started_at,
        ended_at=now,
        outcome=ended.outcome,
        error_class=ended.error_class,
        config_digest=None if job.snapshot is None else job.snapshot.sha256,
        prompt_digest=None if prepared is None else prepared.prompt_digest,
        inputs_digest=None if prepared is None else prepared.inputs_digest,
        candidates=output,
    )
