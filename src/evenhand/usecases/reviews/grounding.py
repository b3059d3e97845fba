"""Record labels of people, how reviews agree with them, and waivers; say what may be grounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import LabelsConflict, ReviewNotFound
from evenhand.core.review.agreement import agree, judged_digest
from evenhand.core.review.gathering import Gathered, newest_reviews
from evenhand.core.review.grounds import (
    GroundingPermission,
    RecordedAgreement,
    Waiver,
    may_feed_grounded,
)
from evenhand.core.review.labels import HumanLabel, LabelledCohort, SaidLabel, people_say
from evenhand.core.review.practice import PracticeRevision
from evenhand.core.review.strata import Identities, require_one
from evenhand.usecases.ports import Ids, UnitOfWork

AGREEMENT_KIND: Final = "review_agreement"
WAIVER_KIND: Final = "review_waiver"
_REVISION_KIND: Final = "practice_revision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """What came of recording labels.

    Attributes:
        stored: how many are new.
        known: how many were there already, word for word.
    """

    stored: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What came of recording an agreement.

    Attributes:
        agreement: what is in the store.
        is_new: whether it was made now; False where the same was counted before.
    """

    agreement: RecordedAgreement
    is_new: bool


def add_labels(
    uow: UnitOfWork,
    of: LabelledCohort,
    said: Sequence[SaidLabel],
    *,
    project_id: str | None = None,
    actor: Actor,
    ids: Ids,
) -> Labelled:
    """Record what people say of the cases of a cohort; what is stored already is left as it is.

    Args:
        uow: an open transaction.
        of: the cohort and the criteria.
        said: the labels.
        project_id: whose the criteria must be; None where they may be any project's.
        actor: who records them.
        ids: of the rows.

    Raises:
        ReviewNotFound: there is no such revision.
        LabelsConflict: somebody's label of a case at that time is another one.
        InvalidText: a text that a database cannot hold.
    """
    revision = _held(uow, of.practice_revision_id)
    if project_id not in (None, revision.project_id):
        raise ReviewNotFound(_REVISION_KIND)
    known = {_place(one.said): one.said.label for one in uow.grounding.list_labels(of)}
    found = dict(known)
    for index, one in enumerate(said):
        if found.setdefault(_place(one), one.label) is not one.label:
            raise LabelsConflict(index)
    new = {place: label for place, label in found.items() if place not in known}
    at = uow.now()
    rows = [
        HumanLabel(id=ids.new(), of=of, said=one, created_at=at, made_by=actor)
        for one in {_place(one): one for one in said if _place(one) in new}.values()
    ]
    uow.grounding.add_labels(rows)
    if rows:
        _tell(uow, revision, _REVISION_KIND, revision.id, action="label", actor=actor, ids=ids)
    return Labelled(stored=len(rows), known=len(said) - len(rows))


def record(
    uow: UnitOfWork, project_id: str, strata: Sequence[str], *, actor: Actor, ids: Ids
) -> Recorded:
    """Record how one stratum agrees with what people say; the record there is where it was counted.

    Args:
        uow: an open transaction.
        project_id: whose.
        strata: the one that is asked for.
        actor: who records it.
        ids: of the rows.

    Raises:
        StrataNotMerged: more than one stratum was named.
        ReviewNotFound: the project has no such stratum (``stratum_not_found``).
        InvalidValue: nobody labelled a case of this cohort by these criteria.
    """
    wanted = require_one(strata)
    stratum = Gathered(uow.review_rates.iterate_rows(project_id)).strata.get(wanted)
    if stratum is None:
        raise ReviewNotFound("stratum")
    found = stratum.identities
    of = labelled_cohort(found)
    revision = _held(uow, of.practice_revision_id)
    people = people_say(of, [one.said for one in uow.grounding.list_labels(of)])
    if not people.labels:
        raise InvalidValue("stratum", "nobody labelled a case of its cohort by its criteria")
    own = uow.review_rates.iterate_rows(project_id, of_stratum=found)
    made = RecordedAgreement(
        id=ids.new(),
        created_at=uow.now(),
        made_by=actor,
        identities=found,
        agreement=agree(revision.id, stratum.cases, people.cases),
        divided=people.divided,
        labels=people.labels,
        labellers=people.labellers,
        labels_digest=people.digest,
        observations_digest=judged_digest(wanted, newest_reviews(own)),
    )
    known = uow.grounding.find_counted(made)
    if known is not None:
        return Recorded(agreement=known, is_new=False)
    uow.grounding.add_agreement(made)
    _tell(uow, revision, AGREEMENT_KIND, made.id, action="record", actor=actor, ids=ids)
    return Recorded(agreement=made, is_new=True)


def waive(
    uow: UnitOfWork, practice_revision_id: str, reason: str, *, actor: Actor, ids: Ids
) -> Waiver:
    """Let what is found under a revision be told as grounded without enough labels, for good.

    Args:
        uow: an open transaction.
        practice_revision_id: the criteria.
        reason: why; every number that rests on it shows it.
        actor: the operator, or the command line.
        ids: of the rows.

    Raises:
        ReviewNotFound: there is no such revision.
        InvalidValue: no reason, or one that is too long.
        InvalidText: a reason that a database cannot hold.
    """
    # Asked of new ones only: characters that nobody sees are no reason.
    if not any(map(str.isalnum, reason)):
        raise InvalidValue("reason", "must say why, with a letter or a digit at least")
    revision = _held(uow, practice_revision_id)
    made = Waiver(
        id=ids.new(),
        created_at=uow.now(),
        made_by=actor,
        practice_revision_id=revision.id,
        reason=reason,
    )
    uow.grounding.add_waiver(made)
    _tell(uow, revision, WAIVER_KIND, made.id, action="waive", actor=actor, ids=ids)
    return made


def permission(uow: UnitOfWork, judge: Identities) -> GroundingPermission:
    """Whether what a judge finds may be told as grounded, by what is recorded now.

    Args:
        uow: an open transaction.
        judge: the identities of the reviews.
    """
    revision_id = judge.practice_revision_id
    if revision_id is None:
        return may_feed_grounded(judge, (), ())
    return may_feed_grounded(
        judge,
        uow.grounding.list_agreements(revision_id),
        uow.grounding.list_waivers(revision_id),
    )


def labelled_cohort(found: Identities) -> LabelledCohort:
    """Of which cases and criteria labels speak of a stratum.

    Args:
        found: what the rows of a stratum share, all four known.
    """
    assert found.practice_revision_id is not None  # noqa: S101 -- a stratum knows all four
    assert found.cohort is not None  # noqa: S101
    return LabelledCohort(
        practice_revision_id=found.practice_revision_id,
        kind=found.cohort_kind,
        name=found.cohort,
    )


def _held(uow: UnitOfWork, practice_revision_id: str) -> PracticeRevision:
    """The revision; its practice is held, so that two who record the same wait for each other."""
    found = uow.practices.find_revision(practice_revision_id)
    if found is None:
        raise ReviewNotFound(_REVISION_KIND)
    uow.practices.get_locked(found.practice_id)
    return found


def _place(one: SaidLabel) -> tuple[str, str, object]:
    return one.case_id, one.labeller, one.labelled_at


def _tell(  # noqa: PLR0913 -- what an entry is made of, by keyword
    uow: UnitOfWork,
    revision: PracticeRevision,
    kind: str,
    object_id: str,
    *,
    action: str,
    actor: Actor,
    ids: Ids,
) -> None:
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=uow.now(),
            actor=actor,
            action=action,
            object_kind=kind,
            object_id=object_id,
            related_id=revision.practice_id if kind == _REVISION_KIND else revision.id,
        )
    )
