"""What does the API tell of bindings?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evenhand.core.access.roles import Capability
from evenhand.core.registry import binding as core
from evenhand.core.registry.registered import UNSET, Unset
from evenhand.wire.registered import (
    OPTIONAL,
    Active,
    CapabilityName,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)

StageName = Literal["stable", "experimental"]


class NewBinding(NewRegistered):
    """What to make."""

    project_id: str
    capability: CapabilityName
    stage: StageName

    @property
    def core_capability(self) -> Capability:
        """The capability as the core has it."""
        return Capability(self.capability)

    @property
    def core_stage(self) -> core.Stage:
        """The stage as the core has it."""
        return core.Stage(self.stage)


class BindingChange(Change):
    """What to change."""

    stage: Annotated[StageName, Field(**OPTIONAL)] = "stable"
    active: Active = True

    @property
    def core_stage(self) -> core.Stage | Unset:
        """What is said of the stage."""
        stated = self.stated("stage")
        return UNSET if stated is UNSET else core.Stage(stated)


class Binding(Changeable):
    """A project's use of one capability."""

    project_id: str
    capability: CapabilityName
    stage: StageName


def binding_to_wire(one: core.Binding) -> Binding:
    """All of it."""
    return Binding(
        **registered_members(one),
        project_id=one.project_id,
        capability=one.capability.value,
        stage=one.stage.value,
    )
