"""Which object does somebody mean who types a name? By id, or by name within its project."""

from __future__ import annotations

from typing import TypeVar

from evenhand.core.errors.registry import RegisteredNotFound
from evenhand.core.registry.project import Project
from evenhand.core.registry.registered import Noun, Registered
from evenhand.usecases.ports import RegisteredRepository, UnitOfWork

Kept = TypeVar("Kept", bound=Registered)


def find_project(uow: UnitOfWork, reference: str) -> Project:
    """The project with this name, else with this id.

    Raises:
        RegisteredNotFound: there is none; the reference is not repeated.
    """
    return find_shared(uow.projects, reference)


def find_shared(within: RegisteredRepository[Kept], reference: str) -> Kept:
    """The one with this name, else with this id, of a kind that belongs to no project.

    Raises:
        RegisteredNotFound: there is none; the reference is not repeated.
    """
    return within.find_named(reference) or within.get(reference)


def find_of_project(
    uow: UnitOfWork, noun: Noun, within: RegisteredRepository[Kept], reference: str
) -> Kept:
    """The one of ``PROJECT/NAME``, else with this id, of a kind that belongs to projects.

    Args:
        uow: an open transaction.
        noun: which kind.
        within: where that kind is kept.
        reference: as somebody typed it.

    Raises:
        RegisteredNotFound: there is none, or no such project; the reference is not repeated.
    """
    project, slash, name = reference.partition("/")
    if not slash:
        return within.get(reference)
    found = within.find_named(name, project_id=find_project(uow, project).id)
    if found is None:
        raise RegisteredNotFound(noun.value)
    return found
