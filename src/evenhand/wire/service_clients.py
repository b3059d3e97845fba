"""What does the API tell of service clients?"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from evenhand.core.access.roles import Capability
from evenhand.core.registry import service_client as core
from evenhand.core.registry.registered import UNSET, Unset
from evenhand.core.registry.service_client import MOST_PER_MINUTE
from evenhand.wire.registered import (
    OPTIONAL,
    Active,
    CapabilityName,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)

_MOST = 4
_LIMITED = "How many inputs it may have embedded a minute; null for no limit."
Limit = Annotated[int, Field(ge=1, le=MOST_PER_MINUTE)]
Capabilities = Annotated[list[CapabilityName], Field(min_length=1, max_length=_MOST)]


class NewServiceClient(NewRegistered):
    """What to make."""

    binding_id: str = Field(description="Where it belongs, for good.")
    capabilities: Capabilities | None = Field(
        default=None, description="What it may do; by default the capability of its binding."
    )
    inputs_per_minute: Limit | None = Field(default=None, description=_LIMITED)

    @property
    def core_capabilities(self) -> Collection[Capability] | None:
        """What it may do as the core has it; None where nothing is said."""
        return None if self.capabilities is None else list(map(Capability, self.capabilities))


class ServiceClientChange(Change):
    """What to change."""

    capabilities: Annotated[Capabilities, Field(default_factory=list, **OPTIONAL)]
    inputs_per_minute: Annotated[Limit | None, Field(description=_LIMITED, **OPTIONAL)] = None
    active: Active = True

    @property
    def core_capabilities(self) -> Collection[Capability] | Unset:
        """What is said of what it may do."""
        stated = self.stated("capabilities")
        return UNSET if stated is UNSET else list(map(Capability, stated))


class ServiceClient(Changeable):
    """A program that calls for a project."""

    project_id: str
    binding_id: str
    capabilities: list[CapabilityName]
    inputs_per_minute: int | None


def service_client_to_wire(one: core.ServiceClient) -> ServiceClient:
    """All of it."""
    return ServiceClient(
        **registered_members(one),
        project_id=one.project_id,
        binding_id=one.binding_id,
        capabilities=[capability.value for capability in sorted(one.capabilities)],
        inputs_per_minute=one.inputs_per_minute,
    )
