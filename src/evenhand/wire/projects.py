"""What does the API tell of projects?"""

from __future__ import annotations

from evenhand.core.registry import project as core
from evenhand.wire.registered import (
    Active,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)


class NewProject(NewRegistered):
    """What to make."""


class ProjectChange(Change):
    """What to change."""

    active: Active = True


class Project(Changeable):
    """A team's application."""


def project_to_wire(one: core.Project) -> Project:
    """All of it."""
    return Project(**registered_members(one))
