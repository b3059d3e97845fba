"""What does the API tell of a selected model comparison, and how does an operator prepare one?

The record is an intent: which two deployments a project's own consumer is to compare, what was
pinned when it was prepared, where it is, and what came of it. Neither the claim's token nor a
label of a case is ever part of it. The consumer's side is `wire.claims`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand.core.scoring.publication import KEY_PATTERN
from evenhand.wire.paging import WholeNumber
from evenhand.wire.shapes import Answer, Id, Sha256, Strict

#: Under which the comparisons of the API lie.
PATH: Final = "/selected-model-comparisons"
#: How many records a list has at most, and by default.
MOST: Final = 100
USUAL: Final = 50
#: How many records of the history can be passed over.
LAST_OFFSET: Final = 10_000
_LAST_VERSION: Final = 2**53

IndexRef = Annotated[
    str,
    Field(
        pattern=r"^[^\x00-\x1f\x7f-\x9f]{1,256}$",
        description="What the consumer calls its index; no control characters.",
    ),
]
State = Literal[
    "pending", "running", "cancel_requested", "completed", "failed", "cancelled", "interrupted"
]
BasisName = Literal["reported", "witnessed"]


class NewIntent(Strict):
    """Which comparison is to be made (C-21)."""

    project_binding_id: Id
    consumer_client_id: Id
    suite_revision_id: Id
    current_deployment_id: Id
    candidate_deployment_id: Id
    candidate_route_id: Id
    corpus_sha256: Sha256
    retrieval_config_sha256: Sha256
    current_index_ref: IndexRef
    candidate_index_ref: IndexRef
    idempotency_key: str = Field(
        pattern=KEY_PATTERN, description="The same for each try of one attempt, within a project."
    )


class Cancellation(Strict):
    """That a comparison is to be cancelled."""

    expected_version: int = Field(
        ge=1, le=_LAST_VERSION, description="The version that the caller saw."
    )


class HistoryQuery(BaseModel):
    """Which records of the history."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project_binding_id: str | None = Field(
        default=None, max_length=64, description="Only those of this binding."
    )
    limit: WholeNumber = Field(default=USUAL, ge=1, le=MOST, description="How many at most.")
    offset: WholeNumber = Field(
        default=0, ge=0, le=LAST_OFFSET, description="How many to pass over."
    )


class AssignedQuery(BaseModel):
    """How many assignments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: WholeNumber = Field(default=USUAL, ge=1, le=MOST, description="How many at most.")


class PinnedLeg(Answer):
    """What one side was when the comparison was prepared."""

    deployment_id: str
    runtime_identity: str
    artifact_digest: str
    embedding_identity: str
    embedding_dimension: int
    route_id: str
    route_name: str = Field(description="What the gateway takes as model.")
    index_ref: str
    score_cutoff: float | None = Field(
        description="Results below it are no answer; null for no cutoff."
    )


class Pins(Answer):
    """Everything that has to be as it was, at the claim and at the result."""

    project_id: str
    project_binding_id: str
    consumer_client_id: str
    capability: str
    suite_revision_id: str
    suite_content_digest: str
    case_count: int
    corpus_sha256: str
    retrieval_config_sha256: str
    current: PinnedLeg
    candidate: PinnedLeg


class Metrics(Answer):
    """Numbers by measure; null where no case of its kind is there, or no number can be given.

    A failed case is a miss.
    """

    success_at_1: float | None
    success_at_3: float | None
    reciprocal_rank_at_3: float | None
    abstention: float | None
    false_abstention: float | None
    top1: float | None = Field(description="Pooled over answerable and no-answer cases.")
    top3: float | None = Field(description="Pooled over answerable and no-answer cases.")


class SummaryMetrics(Answer):
    """Numbers of both sides, and of their difference: candidate less current."""

    current: Metrics
    candidate: Metrics
    delta: Metrics | None = Field(description="Null unless comparable.")
    lower_bound: Metrics | None = Field(
        description="Lower end of the 95 % interval of delta with the failed cases decided against "
        "the candidate; of false_abstention, where less is better, the upper end. Null unless "
        "comparable; null for a measure that has no interval."
    )


class Abstained(Answer):
    """What one side did where nothing, or something, would have answered."""

    abstained: int = Field(description="No-answer cases to which nothing came back.")
    false_abstained: int = Field(description="Answerable cases to which nothing came back.")


class NoAnswer(Answer):
    """The no-answer outcome: it stands beside eligibility and does not decide it."""

    cases: int = Field(description="Cases that nothing in the corpus answers.")
    current: Abstained
    candidate: Abstained


class OfBoth(Answer):
    """A number of each side."""

    current: int
    candidate: int


class EvaluationIds(Answer):
    """The stored evaluations of both sides."""

    current: str | None = Field(description="Null where it was purged.")
    candidate: str | None = Field(description="Null where it was purged.")


class Bases(Answer):
    """Who saw the rankings come into being."""

    current: BasisName
    candidate: BasisName


class EvaluationSummary(Answer):
    """What came of a comparison. It decides nothing about which deployment is used."""

    comparable: bool = Field(description="Completed, on an equal benchmark.")
    comparability_reasons: list[str]
    complete: bool = Field(description="No case failed on either side.")
    eligible: bool = Field(
        description="Comparable and complete, no critical regression, no drop beyond the tolerance."
    )
    eligibility_reasons: list[str]
    tolerance: float = Field(description="How far a measure may fall.")
    metrics: SummaryMetrics | None = Field(description="Null before completion.")
    critical_regression_count: int | None = Field(
        description="Critical cases that current hits within three and candidate does not."
    )
    failed_cases: OfBoth | None
    no_answer: NoAnswer | None
    basis: Bases | None
    evaluations: EvaluationIds | None
    production_promotion_performed: Literal[False] = False


class Comparison(Answer):
    """A selected model comparison."""

    id: str
    project_id: str
    project_binding_id: str
    consumer_client_id: str
    suite_revision_id: str
    current_deployment_id: str
    candidate_deployment_id: str
    candidate_route_id: str
    corpus_sha256: str
    retrieval_config_sha256: str
    current_index_ref: str
    candidate_index_ref: str
    state: State
    version: int = Field(
        description="To be given as expected_version; progress does not raise it."
    )
    pins: Pins
    pins_digest: str = Field(description="To be sent back unchanged with the result.")
    case_count: int
    current_completed_cases: int
    candidate_completed_cases: int
    created_at: datetime
    claimed_at: datetime | None
    claim_expires_at: datetime | None = Field(description="The claim lives strictly before it.")
    deadline_at: datetime | None
    finished_at: datetime | None
    error_code: str | None
    evaluation_summary: EvaluationSummary


class History(Answer):
    """Some records, newest first."""

    items: list[Comparison]
    next_offset: int | None = Field(description="Null where no further record can be passed to.")


class Assigned(Answer):
    """The open work of one client, oldest first."""

    items: list[Comparison]
