"""What goes to a sink at a time? A batch, which is the same whenever it is sent again."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.contracts.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Events that go to a sink together.

    Attributes:
        id: UUIDv7; a sink that has seen it has all of its events.
        sink: name of the sink.
        events: in the order of their emission.
    """

    id: str
    sink: str
    events: tuple[Event, ...]
