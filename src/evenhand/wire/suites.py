"""What does the API tell of suites?"""

from __future__ import annotations

from evenhand.core.registry import suite as core
from evenhand.wire.registered import (
    Active,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)


class NewSuite(NewRegistered):
    """What to make."""

    project_id: str


class SuiteChange(Change):
    """What to change."""

    active: Active = True


class Suite(Changeable):
    """A named place of a project in which golden sets are frozen."""

    project_id: str


def suite_to_wire(one: core.Suite) -> Suite:
    """All of it."""
    return Suite(**registered_members(one), project_id=one.project_id)
