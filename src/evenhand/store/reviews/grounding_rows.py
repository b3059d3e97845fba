"""How do labels, agreements and waivers become rows, and rows they?"""

from __future__ import annotations

from typing import Any

from sqlalchemy import RowMapping

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.review.agreement import Agreement
from evenhand.core.review.grounds import RecordedAgreement, Waiver
from evenhand.core.review.labels import HumanLabel, LabelledCohort, SaidLabel
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import CohortKind
from evenhand.core.review.strata import Identities
from evenhand.store.text import require_storable
from evenhand.store.times import text_to_time, time_to_text

Row = dict[str, Any]


def label_row(one: HumanLabel) -> Row:
    """The row of a label.

    Raises:
        InvalidText: a text that a database cannot hold.
    """
    return {
        **_recorded(one),
        "practice_revision_id": one.of.practice_revision_id,
        "cohort_kind": one.of.kind.value,
        "cohort": require_storable(one.of.name, "cohort"),
        "case_id": require_storable(one.said.case_id, "case_id"),
        "labeller": one.said.labeller,
        "label": one.said.label.value,
        "labelled_at": time_to_text(one.said.labelled_at),
    }


def row_to_label(row: RowMapping) -> HumanLabel:
    """The label of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return HumanLabel(
        **_recording(row),
        of=LabelledCohort(
            practice_revision_id=row["practice_revision_id"],
            kind=CohortKind(row["cohort_kind"]),
            name=row["cohort"],
        ),
        said=SaidLabel(
            case_id=row["case_id"],
            labeller=row["labeller"],
            label=Assessment(row["label"]),
            labelled_at=text_to_time(row["labelled_at"]),
        ),
    )


def agreement_row(one: RecordedAgreement) -> Row:
    """The row of an agreement."""
    found, counts = one.identities, one.agreement
    return {
        **_recorded(one),
        "practice_revision_id": counts.revision_id,
        "stratum": found.stratum,
        "config_digest": found.config_digest,
        "prompt_digest": found.prompt_digest,
        "cohort_kind": found.cohort_kind.value,
        "cohort": found.cohort,
        "both_good": counts.both_good,
        "both_bad": counts.both_bad,
        "only_reviewer_good": counts.only_reviewer_good,
        "only_human_good": counts.only_human_good,
        "excluded": counts.excluded,
        "divided": one.divided,
        "labels": one.labels,
        "labellers": one.labellers,
        "labels_digest": one.labels_digest,
        "observations_digest": one.observations_digest,
    }


def row_to_agreement(row: RowMapping) -> RecordedAgreement:
    """The agreement of a row.

    Raises:
        ValueError: it is not what was written.
    """
    return RecordedAgreement(
        **_recording(row),
        identities=Identities(
            config_digest=row["config_digest"],
            prompt_digest=row["prompt_digest"],
            cohort_kind=CohortKind(row["cohort_kind"]),
            cohort=row["cohort"],
            practice_revision_id=row["practice_revision_id"],
        ),
        agreement=Agreement(
            revision_id=row["practice_revision_id"],
            both_good=row["both_good"],
            both_bad=row["both_bad"],
            only_reviewer_good=row["only_reviewer_good"],
            only_human_good=row["only_human_good"],
            excluded=row["excluded"],
        ),
        divided=row["divided"],
        labels=row["labels"],
        labellers=row["labellers"],
        labels_digest=row["labels_digest"],
        observations_digest=row["observations_digest"],
    )


def waiver_row(one: Waiver) -> Row:
    """The row of a waiver.

    Raises:
        InvalidText: a reason that a database cannot hold.
    """
    return {
        **_recorded(one),
        "practice_revision_id": one.practice_revision_id,
        "reason": require_storable(one.reason, "reason"),
    }


def row_to_waiver(row: RowMapping) -> Waiver:
    """The waiver of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Waiver(
        **_recording(row),
        practice_revision_id=row["practice_revision_id"],
        reason=row["reason"],
    )


def _recorded(one: HumanLabel | RecordedAgreement | Waiver) -> Row:
    return {
        "id": one.id,
        "created_at": time_to_text(one.created_at),
        "made_by_kind": one.made_by.kind.value,
        "made_by_id": one.made_by.id,
    }


def _recording(row: RowMapping) -> dict[str, Any]:
    return {
        "id": row["id"],
        "created_at": text_to_time(row["created_at"]),
        "made_by": Actor(kind=ActorKind(row["made_by_kind"]), id=row["made_by_id"]),
    }
