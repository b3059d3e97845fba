"""What is answered to who published a run? What is stored of it, how it came, and the verdict."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.publication import Publication as CorePublication
from evenhand.core.verdict import Verdict
from evenhand.wire.evaluations import EvaluationDetail, detail_to_wire
from evenhand.wire.shapes import Strict


class Reason(Strict):
    """One reason of a verdict."""

    code: str
    dimension: str
    current: str | None = Field(description="That identity of this evaluation; null is unknown.")
    previous: str | None = Field(description="That of the one before; null is unknown.")


class PreviousVerdict(Strict):
    """Whether it may be compared with the one that was published before it."""

    state: Literal["comparable", "baseline", "unknown", "mismatch"]
    reasons: list[Reason]
    evaluation_id: str | None = Field(description="The one before; null where there is none.")


class Publication(Strict):
    """That an evaluation came over the network."""

    project_id: str
    suite_revision_id: str | None
    client_id: str | None = Field(description="Null where a person sent it.")
    idempotency_key: str
    created_at: datetime


class PublishedEvaluation(Strict):
    """A stored evaluation that came over the network, and whether it may be compared."""

    evaluation: EvaluationDetail
    publication: Publication
    verdict: PreviousVerdict


def published_to_wire(
    record: EvaluationRecord,
    publication: CorePublication,
    verdict: Verdict,
    previous: EvaluationRecord | None,
) -> PublishedEvaluation:
    """What is answered to who published.

    Args:
        record: the stored row.
        publication: how it came.
        verdict: against the one before.
        previous: the one before, None where there is none.
    """
    return PublishedEvaluation(
        evaluation=detail_to_wire(record, ()),
        publication=Publication(
            project_id=publication.project_id,
            suite_revision_id=publication.suite_revision_id,
            client_id=publication.client_id,
            idempotency_key=publication.idempotency_key,
            created_at=publication.created_at,
        ),
        verdict=PreviousVerdict(
            state=verdict.state.value,
            reasons=[
                Reason(
                    code=one.code.value,
                    dimension=one.dimension.value,
                    current=one.current,
                    previous=one.previous,
                )
                for one in verdict.reasons
            ],
            evaluation_id=None if previous is None else previous.id,
        ),
    )
