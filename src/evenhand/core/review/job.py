"""Where does an automated review stand, and which step may follow? Jobs, attempts, transitions.

A job is one invocation. It runs in attempts: a worker claims it, prepares it, starts to execute
and ends it, or gives it back. Every decision here is about values; that nobody else was quicker
is the business of the statement that writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from evenhand.core.access.credential import is_token_of
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import JobFenced
from evenhand.core.review.backoff import backoff
from evenhand.core.review.snapshot import ConfigSnapshot
from evenhand.core.review.states import (
    ArtifactKind,
    AttemptOutcome,
    CancelReason,
    CohortKind,
    JobState,
    Origin,
)

#: How often a job may be begun; the attempt after the last is refused.
MAX_ATTEMPTS: Final = 5

#: What each end of an attempt makes of its job.
_STATE_AFTER: Final = {
    AttemptOutcome.REVIEWED: JobState.COMPLETED,
    AttemptOutcome.INSUFFICIENT_EVIDENCE: JobState.COMPLETED,
    AttemptOutcome.FAILED: JobState.FAILED,
    AttemptOutcome.TIMED_OUT: JobState.TIMED_OUT,
    AttemptOutcome.CANCELLED: JobState.CANCELLED,
    AttemptOutcome.REQUEUED: JobState.QUEUED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What was asked for, and never changes.

    Attributes:
        project_id: whose.
        client_id: the service client that submitted it; None where a person did.
        idempotency_key: of this call and its retries, within the project.
        body_digest: of what was sent, plain hex.
        artifact_kind: what is reviewed.
        artifact_id: which one; of an answer the answer's id.
        subject_id: whom or what it is about.
        cohort_kind: how the stratum's cases are told.
        cohort: name of the cases; None where the kind is ``inputs``, and where it is unknown.
        case_id: which case of the cohort it is, by which strata are paired; None is unknown.
        repository_revision: of a checkout, where there is one.
        origin: why; only live reviews make rates.
        snapshot: behaviour configuration as submitted.

    Raises:
        InvalidValue: a name of cases beside the kind ``inputs``.
    """

    project_id: str
    client_id: str | None
    idempotency_key: str
    body_digest: str
    artifact_kind: ArtifactKind
    artifact_id: str
    subject_id: str
    cohort_kind: CohortKind
    cohort: str | None
    case_id: str | None
    repository_revision: str | None
    origin: Origin
    snapshot: ConfigSnapshot

    def __post_init__(self) -> None:
        if self.cohort_kind is CohortKind.INPUTS and self.cohort is not None:
            raise InvalidValue("cohort", "is the inputs digest where the kind is inputs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Who carries a job out, and until when.

    Attributes:
        worker: its own name.
        token_digest: of the token that the claim gave; the token itself is kept nowhere.
        claimed_at: aware UTC.
        deadline_at: when it is too late, by the snapshot's timeout.
    """

    worker: str
    token_digest: str
    claimed_at: datetime
    deadline_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What was captured before anything was executed (BR-14).

    Attributes:
        at: aware UTC.
        prompt_digest: root digest of the scaffolding; None where nothing was ready (BR-13).
        inputs_digest: of the files that are injected.
        evidence: the evidence snapshot, canonical JSON.
        readiness: one decision per practice, canonical JSON.
    """

    at: datetime
    prompt_digest: str | None
    inputs_digest: str
    evidence: str
    readiness: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentJob:
    """One automated review.

    Attributes:
        id: UUIDv7 text.
        created_at: when it was submitted, aware UTC.
        submission: what was asked for.
        state: where it stands.
        attempt: number of the attempt that runs, or runs next; from 1.
        available_at: before this it is not claimed.
        snapshot: the whole configuration as stored after the claim; None before.
        claim: of the attempt; None where nobody carries it out. What is ended keeps the last one.
        prepared: of the attempt; None before.
        started_at: when execution began; None: nothing can have been spent (BR-17).
        finished_at: when it ended.
        outcome: how its last attempt ended, None before.
        error_class: of a failure.
        cancel_reason: of one that was cancelled.
    """

    id: str
    created_at: datetime
    submission: Submission
    available_at: datetime
    state: JobState = JobState.QUEUED
    attempt: int = 1
    snapshot: ConfigSnapshot | None = None
    claim: Claim | None = None
    prepared: Prepared | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    outcome: AttemptOutcome | None = None
    error_class: str | None = None
    cancel_reason: CancelReason | None = None

    @property
    def effective_snapshot(self) -> ConfigSnapshot:
        """The configuration as far as it is known: after the claim the whole one."""
        return self.snapshot or self.submission.snapshot

    def claimed(
        self, *, worker: str, token_digest: str, snapshot: ConfigSnapshot, now: datetime
    ) -> AgentJob:
        """The job in the hands of a worker.

        Args:
            worker: who.
            token_digest: of the token that it gets.
            snapshot: what was submitted with what the claim resolved.
            now: aware UTC.

        Raises:
            JobFenced: it is not queued (``job_not_queued``), or not yet (``job_backed_off``).
        """
        if self.state is not JobState.QUEUED:
            raise JobFenced("job_not_queued", f"the job is {self.state.value}")
        if now < self.available_at:
            raise JobFenced("job_backed_off", "the job is not to be begun yet")
        deadline = now + timedelta(seconds=snapshot.timeout_seconds)
        return replace(
            self,
            state=JobState.RUNNING,
            snapshot=snapshot,
            claim=Claim(
                worker=worker, token_digest=token_digest, claimed_at=now, deadline_at=deadline
            ),
        )

    def require_holder(self, *, worker: str, attempt: int, token: str, now: datetime) -> None:
        """Nothing, where a worker holds this very attempt of the job.

        Raises:
            JobFenced: ``job_not_running``, ``wrong_claim_token`` or ``deadline_passed``.
        """
        if self.state is not JobState.RUNNING or self.claim is None:
            raise JobFenced("job_not_running", f"the job is {self.state.value}")
        self.require_token(worker=worker, attempt=attempt, token=token)
        if now >= self.claim.deadline_at:
            raise JobFenced("deadline_passed", "the time of the attempt is over")

    def require_token(self, *, worker: str, attempt: int, token: str) -> None:
        """Nothing, where worker, attempt and token are those of the last claim.

        Raises:
            JobFenced: ``wrong_claim_token``; which of them differs is not told.
        """
        claim = self.claim
        is_same = claim is not None and is_token_of(token, claim.token_digest)
        if not is_same or claim is None or (claim.worker, self.attempt) != (worker, attempt):
            raise JobFenced("wrong_claim_token", "worker, attempt or token is not the holder's")

    def with_preparation(self, prepared: Prepared) -> AgentJob:
        """The job with what was captured for its attempt, once.

        Raises:
            JobFenced: ``job_not_running``: it was prepared before.
        """
        if self.prepared is not None:
            raise JobFenced("job_not_running", "the attempt is prepared already")
        return replace(self, prepared=prepared)

    def started(self, *, now: datetime) -> AgentJob:
        """The job from just before its execution on, once.

        Raises:
            JobFenced: ``job_not_prepared``: what is executed is not written down, or nothing was
                ready; ``job_not_running``: it was started before.
        """
        if self.prepared is None or self.prepared.prompt_digest is None:
            raise JobFenced("job_not_prepared", "nothing is prepared that could be executed")
        if self.started_at is not None:
            raise JobFenced("job_not_running", "the attempt is started already")
        return replace(self, started_at=now)

    def ended(
        self,
        outcome: AttemptOutcome,
        *,
        now: datetime,
        error_class: str | None = None,
        cancel_reason: CancelReason | None = None,
    ) -> AgentJob:
        """The job after its attempt, or after it was cancelled while it waited.

        Raises:
            JobFenced: it is ended already; a review is completed that was not started; too little
                evidence is told of one that was; or no attempt is left to give back to.
            InvalidValue: an error or a reason that does not go with the outcome.
        """
        self._require_end(outcome)
        if (outcome is AttemptOutcome.CANCELLED) is (cancel_reason is None):
            raise InvalidValue("cancel_reason", "belongs to a cancelled job, and to no other")
        if outcome.is_failure is (error_class is None):
            raise InvalidValue("error_class", "belongs to a failure, and to nothing else")
        ended = replace(
            self,
            state=_STATE_AFTER[outcome],
            outcome=outcome,
            error_class=error_class,
            cancel_reason=cancel_reason,
        )
        if outcome is not AttemptOutcome.REQUEUED:
            return replace(ended, finished_at=now)
        return replace(
            ended,
            attempt=self.attempt + 1,
            available_at=now + backoff(self.attempt, job_id=self.id),
            claim=None,
            prepared=None,
            started_at=None,
        )

    def _require_end(self, outcome: AttemptOutcome) -> None:
        may_wait = outcome is AttemptOutcome.CANCELLED and self.state is JobState.QUEUED
        if self.state is not JobState.RUNNING and not may_wait:
            raise JobFenced("job_not_running", f"the job is {self.state.value}")
        if outcome is AttemptOutcome.REVIEWED and self.started_at is None:
            raise JobFenced("job_not_prepared", "a review that was not started is not completed")
        if outcome is AttemptOutcome.INSUFFICIENT_EVIDENCE and (
            self.prepared is None or self.started_at is not None
        ):
            rule = "too little evidence is told once prepared, and before anything is executed"
            raise JobFenced("job_not_prepared", rule)
        if outcome is AttemptOutcome.REQUEUED and self.attempt >= MAX_ATTEMPTS:
            rule = f"a job is begun {MAX_ATTEMPTS} times at most"
            raise JobFenced("retries_exhausted", rule)
