"""What does the API take and tell of labels of people, of agreements with them, and of waivers?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from evenhand.core.identity.labels import IDENTIFIER
from evenhand.core.review import grounds as core
from evenhand.core.review.labels import MAX_NAME, LabelledCohort, SaidLabel
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import CohortKind
from evenhand.wire.paging import PageQuery
from evenhand.wire.practices import MadeBy
from evenhand.wire.shapes import Answer, Digest, Id, Strict

#: Most labels in one request.
MOST_LABELS: Final = 1_000

Named = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class LabelsOf(Strict):
    """Of which cases labels are."""

    kind: Literal["inputs", "cases"] = "cases"
    name: Named = Field(description="Of the cases, or the digest of the inputs.")


class NewLabel(Strict):
    """What one person says of one case."""

    case_id: Named
    labeller: str = Field(pattern=IDENTIFIER, description="A pseudonym, no name.")
    label: Literal["good", "bad"]
    labelled_at: Annotated[AwareDatetime, Field(strict=False)]

    def to_core(self) -> SaidLabel:
        """The value."""
        return SaidLabel(
            case_id=self.case_id,
            labeller=self.labeller,
            label=Assessment(self.label),
            labelled_at=self.labelled_at.astimezone(UTC),
        )


class NewLabels(Strict):
    """Labels to record for good."""

    practice_revision_id: Id = Field(description="By which criteria.")
    cohort: LabelsOf
    labels: Annotated[list[NewLabel], Field(min_length=1, max_length=MOST_LABELS)]

    def of(self) -> LabelledCohort:
        """The cohort and the criteria."""
        return LabelledCohort(
            practice_revision_id=self.practice_revision_id,
            kind=CohortKind(self.cohort.kind),
            name=self.cohort.name,
        )


class Labelled(Answer):
    """What came of recording labels."""

    stored: int = Field(description="How many are new.")
    known: int = Field(description="How many were there already.")


class NewAgreement(Strict):
    """Which stratum is held against what people said."""

    project_id: str = Field(description="Id or name.")
    stratum: Digest


class NewWaiver(Strict):
    """That criteria may be told as grounded without enough labels, and why."""

    practice_revision_id: Id
    reason: Annotated[str, Field(min_length=1, max_length=core.MAX_REASON)]


class GroundsQuery(PageQuery):
    """Of which criteria."""

    practice_revision_id: Id


class Agreement(Answer):
    """How one stratum agreed with people when it was recorded; null is unknown."""

    id: str
    practice_revision_id: str
    stratum: str | None
    config_digest: str | None
    prompt_digest: str | None
    cohort_kind: str
    cohort: str | None
    n: int = Field(description="Cases that both labelled.")
    raw_agreement: float | None = Field(description="Share labelled alike.")
    kappa: float | None = Field(description="Cohen's; null where chance alone agrees always.")
    both_good: int
    both_bad: int
    only_reviewer_good: int
    only_human_good: int
    labelled_by_one_only: int
    divided: int = Field(description="Cases of which people are divided.")
    labels: int
    labellers: int
    labels_digest: str
    observations_digest: str
    is_enough: bool = Field(description="Whether n is at least 50.")
    created_at: datetime
    made_by: MadeBy


class Waiver(Answer):
    """That criteria may be told as grounded without enough labels."""

    id: str
    practice_revision_id: str
    reason: str
    created_at: datetime
    made_by: MadeBy


class Grounding(Answer):
    """By what findings of a stratum may be told as grounded, if they may."""

    basis: Literal["agreed", "waived"] | None = Field(description="Null: they may not.")
    refusal: Literal["judge_unknown", "no_agreement", "too_few_labels"] | None
    agreement: Agreement | None = Field(description="Over the most cases, enough or not.")
    waiver: Waiver | None


def agreement_to_wire(one: core.RecordedAgreement) -> Agreement:
    """All of it."""
    found, counts = one.identities, one.agreement
    return Agreement(
        id=one.id,
        practice_revision_id=counts.revision_id,
        stratum=found.stratum,
        config_digest=found.config_digest,
        prompt_digest=found.prompt_digest,
        cohort_kind=found.cohort_kind.value,
        cohort=found.cohort,
        n=counts.n,
        raw_agreement=None if counts.raw is None else float(counts.raw),
        kappa=None if counts.kappa is None else float(counts.kappa),
        both_good=counts.both_good,
        both_bad=counts.both_bad,
        only_reviewer_good=counts.only_reviewer_good,
        only_human_good=counts.only_human_good,
        labelled_by_one_only=counts.excluded,
        divided=one.divided,
        labels=one.labels,
        labellers=one.labellers,
        labels_digest=one.labels_digest,
        observations_digest=one.observations_digest,
        is_enough=counts.is_enough,
        created_at=one.created_at,
        made_by=MadeBy(kind=one.made_by.kind.value, id=one.made_by.id),
    )


def waiver_to_wire(one: core.Waiver) -> Waiver:
    """All of it."""
    return Waiver(
        id=one.id,
        practice_revision_id=one.practice_revision_id,
        reason=one.reason,
        created_at=one.created_at,
        made_by=MadeBy(kind=one.made_by.kind.value, id=one.made_by.id),
    )


def grounding_to_wire(one: core.GroundingPermission) -> Grounding:
    """All of it."""
    return Grounding(
        basis=None if one.basis is None else one.basis.value,
        refusal=None if one.refusal is None else one.refusal.value,
        agreement=None if one.agreement is None else agreement_to_wire(one.agreement),
        waiver=None if one.waiver is None else waiver_to_wire(one.waiver),
    )
