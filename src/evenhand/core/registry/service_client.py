"""Which program may call for a project? A service client, which belongs to exactly one binding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.access.roles import Capability
from evenhand.core.errors import InvalidValue
from evenhand.core.registry.registered import Changeable

#: The highest limit that says anything: more than any client gets through.
MOST_PER_MINUTE: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceClient(Changeable):
    """A program. No other client of the project has its name.

    Attributes:
        project_id, binding_id: where it belongs; neither ever changes.
        capabilities: what it may do, each by itself; may change.
        inputs_per_minute: how many inputs it may have embedded a minute, from 1 to
            `MOST_PER_MINUTE`; None for no limit. May change.

    Raises:
        InvalidValue: no capability at all, or a limit out of its range.

    Source: statement C-09; settled 19.
    """

    project_id: str
    binding_id: str
    capabilities: frozenset[Capability]
    inputs_per_minute: int | None = None

    def __post_init__(self) -> None:
        Changeable.__post_init__(self)
        if not self.capabilities:
            raise InvalidValue("capabilities", "must name at least one")
        limit = self.inputs_per_minute
        if limit is not None and not 1 <= limit <= MOST_PER_MINUTE:
            raise InvalidValue("inputs_per_minute", f"must be from 1 to {MOST_PER_MINUTE}")
