"""Who owns an index? A project: whatever else is registered belongs to one, or serves all."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.registry.registered import Changeable


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Changeable):
    """A team's application. No other project has its name."""
