"""How is a review submitted, claimed and told of? Tokens are told once; no text of an answer is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.identity.labels import IDENTIFIER
from evenhand.core.review.answer import LAST_POSITION
from evenhand.core.review.job import AgentJob as CoreJob
from evenhand.core.review.job import Submission
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import ArtifactKind, CohortKind, JobState, Origin
from evenhand.core.scoring.publication import KEY_PATTERN
from evenhand.wire.paging import PageQuery
from evenhand.wire.practices import ArtifactKindName
from evenhand.wire.registered import Label
from evenhand.wire.shapes import Answer, Id, Strict

JobStateName = Literal["queued", "running", "completed", "failed", "timed_out", "cancelled"]
OutcomeName = Literal[
    "reviewed", "insufficient_evidence", "failed", "timed_out", "cancelled", "requeued"
]
CancelReasonName = Literal[
    "drain_graceful", "drain_immediate", "budget_exhausted", "model_unavailable"
]
OriginName = Literal["live", "manual", "backfill"]
#: A free label: letters, digits and signs, no control character.
Opaque = Annotated[str, Field(min_length=1, max_length=190, pattern=r"^[^\x00-\x1f\x7f]*$")]


class Cohort(Strict):
    """By what the cases of a stratum are told."""

    kind: Literal["inputs", "cases"]
    name: Opaque | None = Field(
        default=None, description="Of the cases; null where the inputs tell, or unknown."
    )


class AnswerOf(Strict):
    """To which case of which run a reviewed answer belongs, so that both make one result."""

    evaluation_id: Id | None = Field(
        default=None, description="The candidate run. Null: its key names it."
    )
    publication_key: str | None = Field(
        default=None,
        pattern=KEY_PATTERN,
        description="The idempotency key under which the run was published, or will be.",
    )
    position: Annotated[int, Field(ge=0, le=LAST_POSITION)] | None = Field(
        default=None,
        description="Of the question, in byte order of the ids, from 0. Null: case_id of the"
        " suite revision names it.",
    )
    prompt_version: str | None = Field(
        default=None,
        pattern=IDENTIFIER,
        description="Of the prompt that made the answer. Null: unknown.",
    )
    awaits_acceptance: bool = Field(
        default=False,
        description="Whether the result is final only once a person has accepted it or not.",
    )


class NewAgentJob(Strict):
    """A review to carry out."""

    project_id: str | None = Field(
        default=None, description="Id or name. Null: the service client's own."
    )
    idempotency_key: str = Field(
        pattern=KEY_PATTERN, description="The same for each try of one call, within a project."
    )
    artifact_kind: ArtifactKindName
    artifact_id: Opaque = Field(description="Of an answer the answer's id.")
    subject_id: Opaque = Field(description="Whom or what it is about.")
    suite_revision_id: str | None = Field(
        default=None, max_length=64, description="The cohort, where none is named."
    )
    cohort: Cohort | None = Field(
        default=None, description="Null: the suite revision, without one the inputs."
    )
    case_id: Opaque | None = Field(default=None, description="By which strata are paired.")
    answer_of: AnswerOf | None = Field(
        default=None, description="Null: the answer belongs to no run, and no event comes of it."
    )
    repository_revision: Label | None = None
    origin: OriginName = "live"
    config_snapshot: dict[str, Any] = Field(
        description="The whole behaviour configuration, sampling included; no secret, no price."
    )

    def to_core(self) -> Submission:
        """The value; raises InvalidSnapshot, InvalidValue."""
        cohort = self.cohort or Cohort(kind="inputs")
        return Submission(
            # Filled in by the use case, which knows who asks.
            project_id="",
            client_id=None,
            idempotency_key=self.idempotency_key,
            body_digest=self.digest,
            artifact_kind=ArtifactKind(self.artifact_kind),
            artifact_id=self.artifact_id,
            subject_id=self.subject_id,
            cohort_kind=CohortKind(cohort.kind),
            cohort=cohort.name,
            case_id=self.case_id,
            repository_revision=self.repository_revision,
            origin=Origin(self.origin),
            snapshot=hold_snapshot(self.config_snapshot),
        )

    @property
    def digest(self) -> str:
        """Digest of what the body means (the C-92 rule), without key and project."""
        left_out = {"idempotency_key", "project_id"}
        if self.answer_of is None:
            # What was sent before there was such a member has the digest that it had.
            left_out.add("answer_of")
        stated = self.model_dump(mode="json", exclude=left_out)
        return json_ascii_v1_digest(stated)


class JobClaim(Strict):
    """Which job a worker takes."""

    project_id: str | None = Field(default=None, description="Null: the service client's own.")
    job_id: str | None = Field(
        default=None, max_length=64, description="Null: the one that waits longest."
    )
    worker: Opaque
    resolved: dict[str, Any] = Field(
        default_factory=dict, description="What is known only now, such as the worker's image."
    )


class JobCancel(Strict):
    """Why a job is cancelled."""

    reason: CancelReasonName


class JobsQuery(PageQuery):
    """Which jobs a list is of."""

    project_id: str | None = Field(default=None, description="Only those of this project.")
    state: JobStateName | None = Field(default=None, description="Only those that stand there.")

    @property
    def core_state(self) -> JobState | None:
        """The value."""
        return None if self.state is None else JobState(self.state)


class AgentJob(Answer):
    """One automated review."""

    id: str
    project_id: str
    created_at: datetime
    artifact_kind: ArtifactKindName
    artifact_id: str
    subject_id: str
    cohort: Cohort
    case_id: str | None
    repository_revision: str | None
    origin: OriginName
    state: JobStateName
    attempt: int = Field(description="That runs, or runs next.")
    available_at: datetime = Field(description="Before this it is not claimed.")
    worker: str | None
    claimed_at: datetime | None
    deadline_at: datetime | None
    submitted_digest: str = Field(description="Of the configuration as submitted.")
    config_digest: str | None = Field(description="Of the whole one; null before the claim.")
    config_snapshot: dict[str, Any]
    prepared_at: datetime | None
    prompt_digest: str | None
    inputs_digest: str | None
    execution_started_at: datetime | None = Field(
        description="Null: nothing can have been spent in this attempt."
    )
    finished_at: datetime | None
    outcome: OutcomeName | None
    error_class: str | None
    cancel_reason: CancelReasonName | None


class ClaimedJob(Answer):
    """What a claim gave; the token is told this once."""

    job: AgentJob | None = Field(description="Null: no job waits that may be begun.")
    token: str | None = Field(description="Proves the attempt; null without a job.")


def job_to_wire(one: CoreJob) -> AgentJob:
    """All of it but its texts of evidence, which the trail of a review shows."""
    asked, claim, prepared = one.submission, one.claim, one.prepared
    return AgentJob(
        id=one.id,
        project_id=asked.project_id,
        created_at=one.created_at,
        artifact_kind=asked.artifact_kind.value,
        artifact_id=asked.artifact_id,
        subject_id=asked.subject_id,
        cohort=Cohort(kind=asked.cohort_kind.value, name=asked.cohort),
        case_id=asked.case_id,
        repository_revision=asked.repository_revision,
        origin=asked.origin.value,
        state=one.state.value,
        attempt=one.attempt,
        available_at=one.available_at,
        worker=None if claim is None else claim.worker,
        claimed_at=None if claim is None else claim.claimed_at,
        deadline_at=None if claim is None else claim.deadline_at,
        submitted_digest=asked.snapshot.sha256,
        config_digest=None if one.snapshot is None else one.snapshot.sha256,
        config_snapshot=one.effective_snapshot.value,
        prepared_at=None if prepared is None else prepared.at,
        prompt_digest=None if prepared is None else prepared.prompt_digest,
        inputs_digest=None if prepared is None else prepared.inputs_digest,
        execution_started_at=one.started_at,
        finished_at=one.finished_at,
        outcome=None if one.outcome is None else one.outcome.value,
        error_class=one.error_class,
        cancel_reason=None if one.cancel_reason is None else one.cancel_reason.value,
    )
