"""Register a project; take it out of use and back."""

from __future__ import annotations

from evenhand.core.access.roles import Actor
from evenhand.core.registry.project import Project
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper


def create(uow: UnitOfWork, *, name: str, actor: Actor, ids: Ids) -> Project:
    """A new project.

    Raises:
        InvalidName: the name breaks the rule.
        NameTaken: another project has it.
    """
    keeper = Keeper(uow, Noun.PROJECT, actor=actor, ids=ids)
    return keeper.add(uow.projects, Project(**keeper.stamp(), name=name))


def change(
    uow: UnitOfWork,
    project_id: str,
    *,
    expected_version: int,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Project:
    """Take a project out of use, or back: its clients are like strangers while it is.

    Raises:
        RegisteredNotFound: there is no such project.
        VersionConflict: it has another version.
    """
    keeper = Keeper(uow, Noun.PROJECT, actor=actor, ids=ids)
    return keeper.change(
        uow.projects,
        uow.projects.get(project_id),
        expected_version=expected_version,
        active=active,
    )
