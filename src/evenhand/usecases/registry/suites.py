"""Make suites, freeze golden sets as their revisions, and say what is in force.

Each change writes its entry of the audit in the same transaction. To freeze what is frozen
already changes nothing and gives the same revision, so it can be tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.errors.registry import RegisteredNotFound, SuiteInactive
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import (
    FrozenContent,
    FrozenSuite,
    SuiteRevision,
    number_cases,
)
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.finding import find_of_project
from evenhand.usecases.registry.keeping import Keeper, referred

#: What the audit calls a revision, and the one state that it ever has.
REVISION_KIND: Final = "suite_revision"
FROZEN: Final = "frozen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """What came of freezing.

    Attributes:
        revision: what is in the store.
        is_new: whether it was made now; False where the suite had this very content.
    """

    revision: SuiteRevision
    is_new: bool


def create(uow: UnitOfWork, *, project_id: str, name: str, actor: Actor, ids: Ids) -> Suite:
    """A new suite of a project.

    Args:
        uow: an open transaction.
        project_id: whose it is.
        name: no other suite of the project may have it.
        actor: who asks.
        ids: of the rows.

    Raises:
        ReferenceRefused: the project is unknown or not active.
        InvalidName: the name breaks the rule.
        NameTaken: another suite of the project has it.
    """
    referred(uow.projects.find(project_id), Noun.PROJECT)
    keeper = Keeper(uow, Noun.SUITE, actor=actor, ids=ids)
    made = Suite(**keeper.stamp(), name=name, project_id=project_id)
    return keeper.add(uow.suites, made, related_id=project_id)


def change(
    uow: UnitOfWork,
    suite_id: str,
    *,
    expected_version: int,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Suite:
    """Take a suite out of use, or back; its revisions stay as they are.

    Raises:
        RegisteredNotFound: there is no such suite.
        VersionConflict: it has another version.
    """
    keeper = Keeper(uow, Noun.SUITE, actor=actor, ids=ids)
    return keeper.change(
        uow.suites, uow.suites.get(suite_id), expected_version=expected_version, active=active
    )


def resolve(uow: UnitOfWork, reference: str) -> Suite:
    """The suite with this id, or of PROJECT/NAME.

    Raises:
        RegisteredNotFound: there is none, or no such project.
    """
    return find_of_project(uow, Noun.SUITE, uow.suites, reference)


def freeze(
    uow: UnitOfWork, suite_id: str, content: FrozenContent, *, actor: Actor, ids: Ids
) -> Frozen:
    """A revision of the suite that has this content.

    Args:
        uow: an open transaction.
        suite_id: of the suite.
        content: of `core.retrieval.suite_revision.freeze_content`.
        actor: who asks.
        ids: of the rows and of the cases.

    Raises:
        RegisteredNotFound: there is no such suite.
        SuiteInactive: it is out of use, and has no revision with this content.
        ReferenceRefused: so is its project.
    """
    suite = uow.suites.get_locked(suite_id)
    digest = content.digest
    known = uow.suites.find_by_content(suite.id, digest)
    # Before the state is asked: a retry gets its answer whatever came between (as G-44).
    if known is not None:
        return Frozen(revision=known, is_new=False)
    if not suite.active:
        raise SuiteInactive(suite.id)
    referred(uow.projects.find(suite.project_id), Noun.PROJECT)
    golden_set = content.golden_set
    revision = SuiteRevision(
        id=ids.new(),
        suite_id=suite.id,
        project_id=suite.project_id,
        number=uow.suites.count_revisions(suite.id) + 1,
        created_at=uow.now(),
        frozen_by=actor,
        set_identifier=golden_set.identifier,
        set_name=golden_set.name,
        set_description=golden_set.description,
        corpus_sha256=content.corpus_sha256,
        settings=content.settings,
        content_digest=digest,
        labels_fingerprint=golden_set.labels_fingerprint,
        case_count=len(golden_set.questions),
        critical_count=content.critical_count,
    )
    cases = number_cases(golden_set.questions, [ids.new() for _ in golden_set.questions])
    uow.suites.add_revision(FrozenSuite(revision=revision, cases=cases))
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=revision.created_at,
            actor=actor,
            action="freeze",
            object_kind=REVISION_KIND,
            object_id=revision.id,
            to_state=FROZEN,
            related_id=suite.id,
        )
    )
    return Frozen(revision=revision, is_new=True)


def get_facts(uow: UnitOfWork, revision_id: str) -> SuiteRevision:
    """Identities and numbers of one revision.

    Raises:
        RegisteredNotFound: there is none.
    """
    found = uow.suites.find_facts(revision_id)
    if found is None:
        raise RegisteredNotFound(REVISION_KIND)
    return found
