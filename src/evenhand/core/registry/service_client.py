"""Which program may call for a project? A service client, which belongs to exactly one binding."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.access.roles import Capability
from evenhand.core.errors import InvalidValue
from evenhand.core.registry.registered import Changeable


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceClient(Changeable):
    """A program. No other client of the project has its name.

    Attributes:
        project_id, binding_id: where it belongs; neither ever changes.
        capabilities: what it may do, each by itself; may change.

    Raises:
        InvalidValue: no capability at all.

    Source: statement C-09; settled 19.
    """

    project_id: str
    binding_id: str
    capabilities: frozenset[Capability]

    def __post_init__(self) -> None:
        Changeable.__post_init__(self)
        if not self.capabilities:
            raise InvalidValue("capabilities", "must name at least one")
