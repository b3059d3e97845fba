"""What does a project use, and how settled is that? A binding to a capability."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.core.access.roles import Capability
from evenhand.core.registry.registered import Changeable


class Stage(StrEnum):
    """How settled the use of a capability is."""

    STABLE = "stable"
    EXPERIMENTAL = "experimental"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding(Changeable):
    """A project's use of one capability. No other binding of the project has its name.

    Attributes:
        project_id: whose.
        capability: what is used; never changes.
        stage: how settled that is; may change.
    """

    project_id: str
    capability: Capability
    stage: Stage

    def is_comparable_for(self, capability: Capability) -> bool:
        """Whether a comparison may be prepared on it: active, stable, of this capability (C-08)."""
        return self.active and self.stage is Stage.STABLE and self.capability is capability
