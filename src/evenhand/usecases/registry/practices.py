"""Keep practices, and write down what they ask as revisions that never change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import ReviewNotFound
from evenhand.core.registry.practice import Practice
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.core.review.practice import Criteria, PracticeRevision
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper, referred

REVISION_KIND: Final = "practice_revision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What came of writing criteria down.

    Attributes:
        revision: what is in the store.
        is_new: whether it was made now; False where the practice said this very thing.
    """

    revision: PracticeRevision
    is_new: bool


def create(uow: UnitOfWork, *, project_id: str, name: str, actor: Actor, ids: Ids) -> Practice:
    """A new practice of a project.

    Raises:
        ReferenceRefused: the project is unknown or not active.
        InvalidName: the name breaks the rule.
        NameTaken: another practice of the project has it.
    """
    referred(uow.projects.find(project_id), Noun.PROJECT)
    keeper = Keeper(uow, Noun.PRACTICE, actor=actor, ids=ids)
    made = Practice(**keeper.stamp(), name=name, project_id=project_id)
    return keeper.add(uow.practices, made, related_id=project_id)


def change(
    uow: UnitOfWork,
    practice_id: str,
    *,
    expected_version: int,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Practice:
    """Take a practice out of use, or back; its revisions stay as they are.

    Raises:
        RegisteredNotFound: there is no such practice.
        VersionConflict: it has another version.
    """
    keeper = Keeper(uow, Noun.PRACTICE, actor=actor, ids=ids)
    return keeper.change(
        uow.practices,
        uow.practices.get(practice_id),
        expected_version=expected_version,
        active=active,
    )


def write(
    uow: UnitOfWork, practice_id: str, criteria: Criteria, *, actor: Actor, ids: Ids
) -> Written:
    """A revision of the practice that says this; the one that does where there is one.

    Args:
        uow: an open transaction.
        practice_id: of the practice.
        criteria: what it is to say.
        actor: who asks.
        ids: of the rows.

    Raises:
        RegisteredNotFound: there is no such practice.
        ReferenceRefused: it is out of use, and does not say this yet.
        InvalidText: a text that a database cannot hold.
    """
    practice = uow.practices.get_locked(practice_id)
    known = uow.practices.find_by_content(practice.id, criteria.digest)
    # Before the state is asked: a retry gets its answer whatever came between (as G-44).
    if known is not None:
        return Written(revision=known, is_new=False)
    if not practice.active:
        raise ReferenceRefused(Noun.PRACTICE.value, is_known=True)
    revision = PracticeRevision(
        id=ids.new(),
        practice_id=practice.id,
        practice_name=practice.name,
        project_id=practice.project_id,
        number=uow.practices.count_revisions(practice.id) + 1,
        created_at=uow.now(),
        made_by=actor,
        criteria=criteria,
    )
    uow.practices.add_revision(revision)
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=revision.created_at,
            actor=actor,
            action="freeze",
            object_kind=REVISION_KIND,
            object_id=revision.id,
            to_state="frozen",
            related_id=practice.id,
        )
    )
    return Written(revision=revision, is_new=True)


def get_revision(
    uow: UnitOfWork, revision_id: str, *, practice_id: str | None = None
) -> PracticeRevision:
    """The revision with this id.

    Args:
        uow: an open transaction.
        revision_id: of the revision.
        practice_id: whose it must be; None where it may be any practice's.

    Raises:
        ReviewNotFound: there is none.
    """
    found = uow.practices.find_revision(revision_id)
    if found is None or practice_id not in (None, found.practice_id):
        raise ReviewNotFound(REVISION_KIND)
    return found
