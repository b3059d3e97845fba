"""Labels, agreements and waivers as they are recorded, on both databases."""

from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import LabelsConflict, ReviewNotFound, StrataNotMerged
from evenhand.core.review.agreement import FEWEST_LABELS
from evenhand.core.review.grounds import (
    GroundingBasis,
    GroundingPermission,
    GroundingRefusal,
    RecordedAgreement,
    Waiver,
)
from evenhand.core.review.labels import LabelledCohort, SaidLabel
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import CohortKind
from evenhand.core.review.strata import Identities
from evenhand.usecases.reviews import grounding, reading
from evenhand.usecases.reviews.grounding import Labelled
from tests.builders import START
from tests.usecases.reviews.conftest import World
from tests.usecases.reviews.test_strata import GOOD

OPERATOR = Actor(kind=ActorKind.OPERATOR, id="01990000-0000-7000-c000-000000000009")
SAID_GOOD, SAID_BAD = Assessment.GOOD, Assessment.BAD


def cohort(world: World, **stated: Any) -> LabelledCohort:
    values: dict[str, Any] = {
        "practice_revision_id": world.revision.id,
        "kind": CohortKind.CASES,
        "name": "release-1",
    }
    return LabelledCohort(**values | stated)


def said(case: str, label: Assessment = SAID_GOOD, labeller: str = "p1", **by: Any) -> SaidLabel:
    return SaidLabel(
        case_id=case, labeller=labeller, label=label, labelled_at=START + timedelta(**by)
    )


def label(world: World, *labels: SaidLabel, **stated: Any) -> Labelled:
    found: Labelled = world.run(
        lambda uow: grounding.add_labels(
            uow, cohort(world, **stated), labels, actor=OPERATOR, ids=world.ids
        )
    )
    return found


def record(world: World, *strata: str) -> grounding.Recorded:
    found: grounding.Recorded = world.run(
        lambda uow: grounding.record(uow, world.project_id, strata, actor=OPERATOR, ids=world.ids)
    )
    return found


def waive(world: World, reason: str = "labels come next week") -> Waiver:
    found: Waiver = world.run(
        lambda uow: grounding.waive(uow, world.revision.id, reason, actor=OPERATOR, ids=world.ids)
    )
    return found


def permission(world: World, judge: Identities) -> GroundingPermission:
    return world.database.read(lambda uow: grounding.permission(uow, judge))


def only_stratum(world: World) -> tuple[str, Identities]:
    (found,) = world.database.read(lambda uow: reading.strata_of(uow, world.project_id)).strata
    return found.stratum, found.identities


def audited(world: World) -> list[tuple[str, str, str | None, str | None]]:
    entries = world.database.read(lambda uow: uow.audit.list_latest(limit=100))
    return [
        (one.action, one.object_kind, one.related_id, one.actor.id)
        for one in reversed(entries)
        if one.action in ("label", "record", "waive")
    ]


def test_an_agreement_holds_its_counts_and_what_they_were_counted_from(world: World) -> None:
    for case, good in (("c1", True), ("c2", False), ("c3", True), ("c4", False)):
        world.review(case_id=case, candidates=[GOOD] if good else None)
    label(world, said("c1"), said("c2", SAID_BAD), said("c3", SAID_BAD), said("c9"))
    stratum, judge = only_stratum(world)

    made = record(world, stratum)

    found = made.agreement.agreement
    assert made.is_new
    assert (found.both_good, found.both_bad, found.only_reviewer_good) == (1, 1, 1)
    assert (found.only_human_good, found.excluded) == (0, 2)
    assert (made.agreement.labels, made.agreement.labellers, made.agreement.divided) == (4, 1, 0)
    assert made.agreement.identities == judge
    read: tuple[RecordedAgreement, ...] = world.database.read(
        lambda uow: uow.grounding.list_agreements(world.revision.id)
    )
    assert read == (made.agreement,)
    again = record(world, stratum)
    assert (again.is_new, again.agreement) == (False, made.agreement)
    # Another label is another count, and the old one stays.
    label(world, said("c4", SAID_BAD))
    newer = record(world, stratum)
    assert newer.is_new
    assert newer.agreement.labels_digest != made.agreement.labels_digest
    assert newer.agreement.observations_digest == made.agreement.observations_digest
    # Another look at a case is another count as well.
    world.review(case_id="c4", candidates=None)
    looked = record(world, stratum).agreement
    assert looked.labels_digest == newer.agreement.labels_digest
    assert looked.observations_digest != newer.agreement.observations_digest


def test_what_is_said_once_is_stored_once_and_another_word_is_refused(world: World) -> None:
    assert label(world, said("c1"), said("c2")) == Labelled(stored=2, known=0)
    assert label(world, said("c1"), said("c3"), said("c3")) == Labelled(stored=1, known=2)
    with pytest.raises(LabelsConflict):
        label(world, said("c4"), said("c1", SAID_BAD))
    # A change of mind is told at another time, and the same case of other cases is another.
    assert label(world, said("c1", SAID_BAD, hours=1)).stored == 1
    assert label(world, said("c1", SAID_BAD), name="release-2").stored == 1
    held = world.database.read(lambda uow: uow.grounding.list_labels(cohort(world)))
    assert [(one.said.case_id, one.said.label) for one in held] == [
        ("c1", SAID_GOOD),
        ("c1", SAID_BAD),
        ("c2", SAID_GOOD),
        ("c3", SAID_GOOD),
    ]


def test_labels_of_other_cases_or_criteria_say_nothing_of_a_stratum(world: World) -> None:
    world.review(case_id="c1", candidates=[GOOD])
    stratum, _ = only_stratum(world)
    label(world, said("c1"), name="release-2")
    label(world, said("c1"), practice_revision_id=world.another_revision().id)
    with pytest.raises(InvalidValue, match="nobody labelled"):
        record(world, stratum)


def test_only_one_stratum_that_is_there_is_recorded(world: World) -> None:
    with pytest.raises(StrataNotMerged):
        record(world, "1" * 64, "2" * 64)
    with pytest.raises(ReviewNotFound):
        record(world, "1" * 64)
    with pytest.raises(ReviewNotFound):
        label(world, said("c1"), practice_revision_id="01990000-0000-7000-a000-00000000ffff")


def test_a_revision_is_grounded_by_fifty_labels_or_by_a_waiver_that_is_shown(
    world: World,
) -> None:
    for number in range(FEWEST_LABELS):
        world.review(case_id=f"c{number}", candidates=[GOOD])
    stratum, judge = only_stratum(world)
    assert permission(world, judge).refusal is GroundingRefusal.NO_AGREEMENT

    label(world, *(said(f"c{number}") for number in range(FEWEST_LABELS - 1)))
    few = record(world, stratum).agreement
    assert permission(world, judge).refusal is GroundingRefusal.TOO_FEW_LABELS

    waiver = waive(world)
    found = permission(world, judge)
    assert (found.basis, found.waiver, found.agreement) == (GroundingBasis.WAIVED, waiver, few)

    label(world, said(f"c{FEWEST_LABELS - 1}", SAID_BAD))
    enough = record(world, stratum).agreement
    found = permission(world, judge)
    assert (found.basis, found.waiver, found.agreement) == (GroundingBasis.AGREED, None, enough)


def test_labels_agreements_and_waivers_are_audited_with_the_operator(world: World) -> None:
    world.review(case_id="c1", candidates=[GOOD])
    label(world, said("c1"))
    label(world, said("c1"))
    record(world, only_stratum(world)[0])
    record(world, only_stratum(world)[0])
    waive(world)
    assert audited(world) == [
        ("label", "practice_revision", world.revision.practice_id, OPERATOR.id),
        ("record", "review_agreement", world.revision.id, OPERATOR.id),
        ("waive", "review_waiver", world.revision.id, OPERATOR.id),
    ]
