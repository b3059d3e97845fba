"""What does the holder of an attempt send: what it runs with, what it found, how it ended?"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.evidence import (
    Admitted,
    Completeness,
    Evidence,
    Source,
    SourceState,
    StagedFile,
)
from evenhand.core.review.observation import Observation as CoreObservation
from evenhand.core.review.states import ArtifactKind
from evenhand.core.review.usage import Rates, Tokens, UsageSource
from evenhand.core.scoring.publication import ERROR_CODE_PATTERN
from evenhand.wire.agent_jobs import Opaque
from evenhand.wire.practices import ArtifactKindName
from evenhand.wire.registered import Label
from evenhand.wire.shapes import Answer, Digest, Id, Strict

_LAST: int = 2**53
Count = Annotated[int, Field(ge=0, le=_LAST)]
ErrorClass = Annotated[str, Field(pattern=ERROR_CODE_PATTERN)]
#: A decimal number as text, so that no binary fraction rounds it.
Decimals = Annotated[str, Field(pattern=r"^[0-9]{1,7}(\.[0-9]{1,9})?$")]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class Held(Strict):
    """By what a worker says that it holds an attempt."""

    worker: Opaque
    attempt: Annotated[int, Field(ge=1, le=1000)]
    token: Annotated[str, Field(min_length=1, max_length=128)]


class NewFile(Strict):
    """A file that was staged."""

    path: Annotated[str, Field(min_length=1, max_length=1024)]
    sha256: Digest


class NewSource(Strict):
    """One source of evidence, and whether it could be looked at."""

    kind: Word
    state: Literal["available", "not_collected", "unavailable", "redacted", "collection_error"]
    reason: Word | None = None
    completeness: Literal["complete", "partial", "unknown"] | None = None
    limitations: list[Word] = Field(default_factory=list, max_length=100)
    is_empty: bool | None = None
    files: list[NewFile] = Field(default_factory=list, max_length=1000)

    def to_core(self) -> Source:
        """The value; raises InvalidEvidence."""
        return Source(
            kind=self.kind,
            state=SourceState(self.state),
            reason=self.reason,
            completeness=None if self.completeness is None else Completeness(self.completeness),
            limitations=tuple(self.limitations),
            is_empty=self.is_empty,
            files=tuple(StagedFile(path=one.path, sha256=one.sha256) for one in self.files),
        )


class NewAdmitted(Strict):
    """A practice that the review may speak of, in one revision."""

    slug: Opaque
    revision_id: Id
    not_ready: list[Word] = Field(
        default_factory=list, max_length=100, description="Why it cannot be judged; empty: it can."
    )
    text_sha256: Digest | None = Field(
        default=None, description="Of the criteria as the worker has them; another one is refused."
    )


class NewEvidence(Strict):
    """What could be looked at, and by which criteria."""

    catalogue_digest: Digest
    artifact_kind: ArtifactKindName
    captured_at: Annotated[AwareDatetime, Field(strict=False)]
    repository_revision: Label | None = None
    sources: list[NewSource] = Field(max_length=100)
    practices: list[NewAdmitted] = Field(min_length=1, max_length=100)

    def to_core(self) -> Evidence:
        """The value; raises InvalidEvidence, InvalidPath."""
        return Evidence(
            catalogue_digest=self.catalogue_digest,
            artifact_kind=ArtifactKind(self.artifact_kind),
            captured_at=self.captured_at.astimezone(UTC),
            repository_revision=self.repository_revision,
            sources=tuple(one.to_core() for one in self.sources),
            practices=tuple(
                Admitted(
                    slug=one.slug,
                    revision_id=one.revision_id,
                    not_ready=tuple(one.not_ready),
                    text_sha256=one.text_sha256,
                )
                for one in self.practices
            ),
        )


class Preparation(Held):
    """What an attempt is about to run with."""

    prompt_digest: Digest | None = Field(
        default=None, description="Null exactly where no practice is ready."
    )
    inputs_digest: Digest
    evidence: NewEvidence


class Start(Held):
    """That execution is about to begin."""


class NewTokens(Strict):
    """Tokens as counted; null where nobody did."""

    input: Count | None = None
    cached_input: Count | None = None
    output: Count | None = None


class NewRates(Strict):
    """Prices of a million tokens."""

    input: Decimals
    cached_input: Decimals
    output: Decimals


class NewUsage(Strict):
    """What an attempt used."""

    calls: Count
    tokens: NewTokens
    source: Literal["runner", "proxy", "merged", "none"]
    rates: NewRates | None = Field(default=None, description="Null: the price is unknown.")

    @property
    def core_tokens(self) -> Tokens:
        """The value."""
        return Tokens(**self.tokens.model_dump())

    @property
    def core_source(self) -> UsageSource:
        """The value."""
        return UsageSource(self.source)

    @property
    def core_rates(self) -> Rates | None:
        """The value."""
        if self.rates is None:
            return None
        return Rates(**{name: Decimal(rate) for name, rate in self.rates.model_dump().items()})


class Completion(Held):
    """How a job ended."""

    outcome: Literal["reviewed", "insufficient_evidence", "failed"]
    error_class: ErrorClass | None = Field(default=None, description="Of a failure.")
    usage: NewUsage | None = Field(default=None, description="Null: nothing, or nobody knows.")


class Requeue(Held):
    """That an attempt is given back."""

    error_class: ErrorClass
    usage: NewUsage | None = None


class NewObservations(Held):
    """What a review found: one payload a job."""

    candidates: list[Any] | None = Field(
        max_length=1000, description="Each is kept or refused by itself; null: unreadable output."
    )

    @property
    def payload_digest(self) -> str:
        """Digest of the candidates (the C-92 rule)."""
        return json_ascii_v1_digest(self.candidates)


class Observation(Answer):
    """One finding."""

    id: str
    agent_job_id: str
    attempt: int
    practice_revision_id: str = Field(description="As the evidence snapshot admitted it.")
    position: int
    occurrence_key: str
    recurrence_key: str
    presence: Literal["present", "absent", "not_applicable", "inconclusive"]
    assessment: Literal["good", "bad"] | None
    severity: Literal["critical", "major", "minor", "info"] | None
    summary: str | None = Field(description="Null where the privacy level keeps no text.")
    rationale: str | None
    evidence: list[str] | None = Field(description="Paths; null where they are not kept.")
    created_at: datetime


class RejectedCandidate(Answer):
    """A candidate that was refused."""

    position: int = Field(description="-1: the output could not be read.")
    reason: str


class Admission(Answer):
    """What became of a payload."""

    payload_digest: str
    attempt: int
    observations: list[Observation]
    rejections: list[RejectedCandidate]


def observation_to_wire(one: CoreObservation) -> Observation:
    """All of it."""
    return Observation(
        id=one.id,
        agent_job_id=one.job_id,
        attempt=one.attempt,
        practice_revision_id=one.practice_revision_id,
        position=one.position,
        occurrence_key=one.occurrence_key,
        recurrence_key=one.recurrence_key,
        presence=one.presence.value,
        assessment=None if one.assessment is None else one.assessment.value,
        severity=None if one.severity is None else one.severity.value,
        summary=one.summary,
        rationale=one.rationale,
        evidence=None if one.paths is None else list(one.paths),
        created_at=one.created_at,
    )
