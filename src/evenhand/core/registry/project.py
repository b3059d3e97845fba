"""Who owns an index? A project: whatever else is registered belongs to one, or serves all."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.access.roles import Principal
from evenhand.core.errors.publication import InvalidReport
from evenhand.core.errors.registry import RegisteredNotFound
from evenhand.core.registry.registered import Changeable, Noun


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Changeable):
    """A team's application. No other project has its name."""


def meant_project(named: str | None, principal: Principal) -> str:
    """The project that a call is about, by id or name: the named one, else the caller's own.

    Raises:
        InvalidReport: a person, who has no project, named none.
    """
    meant = named or principal.project_id
    if meant is None:
        rule = "is needed: only a service client has a project of its own"
        raise InvalidReport("project_id", rule, code="project_missing")
    return meant


def known_project(found: Project | None, principal: Principal) -> Project:
    """The project that was found; to a service client every other one than its own is unknown.

    Raises:
        RegisteredNotFound: none was found, or it is not the service client's.
    """
    if found is None or principal.project_id not in (None, found.id):
        raise RegisteredNotFound(Noun.PROJECT.value)
    return found
