"""What does the API tell of a stored evaluation? Aggregates, identities and outcomes; no text.

Every number is finite. Where a value is undefined or unknown it is null, and a member beside it
says why. The details of an evaluation have no read path here (settled 25).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts, rate
from evenhand.wire.paging import PageQuery, WholeNumber
from evenhand.wire.shapes import Answer


class EvaluationsQuery(PageQuery):
    """Which evaluations a list is of."""

    golden_set: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only this set's, by identifier."
    )
    retriever: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only this retriever's."
    )


class OutcomesQuery(BaseModel):
    """Which outcomes of an evaluation a page is of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: WholeNumber = Field(
        default=100, ge=1, le=1000, description="How many outcomes at most."
    )
    after: WholeNumber = Field(
        default=-1, ge=-1, le=2**31 - 1, description="Outcomes behind this position; -1 is all."
    )


class Rate(Answer):
    """A share; hits and total are exact."""

    hits: int
    total: int
    value: float | None = Field(description="Null where the total is 0.", ge=0, le=1)
    reason: Literal["no_questions"] | None = Field(description="Why there is no value.")


class Rates(Answer):
    """The headline rates, each over its own kind of question; the pooled ones stand apart."""

    success_at_1: Rate
    success_at_3: Rate
    abstention: Rate
    false_abstention: Rate
    pooled_top1: Rate
    pooled_top3: Rate


class Counts(Answer):
    """The whole numbers behind every rate."""

    questions: int
    answerable: int
    no_answer: int
    failed: int
    unjudged: int
    top1_hits: int
    top3_hits: int
    answerable_top1_hits: int
    answerable_top3_hits: int
    abstained: int
    false_abstained: int


class Provenance(Answer):
    """What the consumer declared that it ran."""

    corpusRevision: str  # noqa: N815 -- the name of the interchange
    modelRevision: str  # noqa: N815
    chunkingIdentity: str  # noqa: N815
    pipelineIdentity: str  # noqa: N815
    executionRevision: str | None = Field(description="Null is unknown.")  # noqa: N815


class Identity(Answer):
    """A declaration and the fingerprints made of it."""

    provenance: Provenance
    labels: str
    benchmark: str | None
    variant: str | None
    scoring_version: str


class Evaluation(Answer):
    """A stored evaluation: aggregates and identities."""

    id: str
    created_at: datetime
    golden_set: str
    golden_set_name: str
    retriever: str
    grader: str
    protocol: str
    basis: str
    depth: int
    privacy: str
    started_at: datetime
    finished_at: datetime
    release: str
    counts: Counts
    rates: Rates
    identity: Identity | None
    identity_reason: Literal["unknown"] | None = Field(
        description="Why there is no identity: nothing valid was declared."
    )


class GradedScore(Answer):
    """The mean of a graded measure, with how many questions have a value."""

    measure: str
    mean: float
    questions: int
    failed: int
    protocol: str
    depth: int
    qrels_digest: str
    benchmark: str | None


class EvaluationDetail(Evaluation):
    """A stored evaluation with its graded values."""

    graded: list[GradedScore]
    has_outcomes: bool = Field(
        description="Whether outcomes can be read: the privacy level kept them, and they are of no "
        "part that is held out."
    )


class JudgedHit(Answer):
    """A judged document among the distinct results."""

    rank: int
    grade: int


class OutcomeItem(Answer):
    """What one question contributed, without ids or text."""

    position: int = Field(description="Of the question in byte order of the ids, from 0.")
    state: Literal["scored", "failed", "unjudged"]
    targets: int | None = Field(description="Null for an unjudged question.")
    retrieved: int | None = Field(description="Distinct documents; null when failed.")
    judged_hits: list[JudgedHit]
    latency_ms: int | None = Field(description="Null when it was not measured.")
    error_class: str | None = Field(description="What failed; null otherwise.")


class OutcomesPage(Answer):
    """Outcomes in order of position."""

    items: list[OutcomeItem]
    next_after: int | None = Field(description="Null on the last page.")
    reason: Literal["not_kept", "held_out"] | None = Field(
        description="Why there are none: the privacy level kept none, or the questions are those "
        "that a set holds out, which are counted and not shown."
    )


def evaluation_to_wire(record: EvaluationRecord) -> Evaluation:
    """The item of a list."""
    return Evaluation(**_members(record))


def detail_to_wire(record: EvaluationRecord, scores: Sequence[StoredScore]) -> EvaluationDetail:
    """One evaluation with its graded values.

    Args:
        record: aggregates and identities.
        scores: as the store gives them.
    """
    return EvaluationDetail(
        **_members(record),
        graded=list(map(_score, scores)),
        has_outcomes=record.privacy.keeps_outcomes and not record.is_holdout,
    )


def outcome_to_wire(outcome: Outcome) -> OutcomeItem:
    """One question's contribution."""
    return OutcomeItem(
        position=outcome.position,
        state=outcome.state.value,
        targets=outcome.targets,
        retrieved=outcome.retrieved,
        judged_hits=[JudgedHit(rank=hit.rank, grade=hit.grade) for hit in outcome.judged_hits],
        latency_ms=outcome.latency_ms,
        error_class=outcome.error_class,
    )


def _members(record: EvaluationRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "created_at": record.created_at,
        "golden_set": record.set_identifier,
        "golden_set_name": record.set_name,
        "retriever": record.retriever,
        "grader": record.grader,
        "protocol": record.protocol,
        "basis": record.basis.value,
        "depth": record.depth,
        "privacy": record.privacy.value,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "release": record.release,
        "counts": Counts(**asdict(record.counts)),
        "rates": rates_to_wire(record.counts),
        "identity": None if record.identity is None else identity_to_wire(record.identity),
        "identity_reason": "unknown" if record.identity is None else None,
    }


def identity_to_wire(held: StoredIdentity) -> Identity:
    """A declaration and the fingerprints made of it."""
    return Identity(
        provenance=Provenance.model_validate(held.provenance.to_dict()),
        labels=held.fingerprints.labels,
        benchmark=held.fingerprints.benchmark,
        variant=held.fingerprints.variant,
        scoring_version=held.fingerprints.scoring_version,
    )


def rates_to_wire(counts: HitCounts) -> Rates:
    """The rates that whole numbers give."""
    return Rates(
        success_at_1=_rate(counts.answerable_top1_hits, counts.answerable),
        success_at_3=_rate(counts.answerable_top3_hits, counts.answerable),
        abstention=_rate(counts.abstained, counts.no_answer),
        false_abstention=_rate(counts.false_abstained, counts.answerable),
        pooled_top1=_rate(counts.top1_hits, counts.questions),
        pooled_top3=_rate(counts.top3_hits, counts.questions),
    )


def _rate(hits: int, total: int) -> Rate:
    if not total:
        return Rate(hits=hits, total=total, value=None, reason="no_questions")
    return Rate(hits=hits, total=total, value=float(rate(hits, total)), reason=None)


def _score(score: StoredScore) -> GradedScore:
    return GradedScore(
        measure=score.value.measure,
        mean=score.value.mean,
        questions=score.value.questions,
        failed=score.value.failed,
        protocol=score.protocol,
        depth=score.depth,
        qrels_digest=score.qrels_digest,
        benchmark=score.benchmark,
    )
