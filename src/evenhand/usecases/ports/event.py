"""Where are events kept, and where do they go on to?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from evenhand.contracts.delivery import Batch
from evenhand.contracts.events import Event
from evenhand.contracts.ingestion import Rejection, StoredEvent
from evenhand.contracts.trusted import Window
from evenhand.core.errors.event import EventConflict


class EventRepository(Protocol):
    """Events: added once, never changed."""

    def take(
        self,
        events: Sequence[Event],
        *,
        project_id: str,
        client_id: str | None,
        received_at: datetime,
    ) -> Sequence[bool | EventConflict]:
        """Store the new ones; of each True, False for a repetition, or why it contradicts."""

    def find(self, project_id: str, event_id: str) -> StoredEvent | None:
        """The event of a project that has this id."""

    def find_all(self, project_id: str, event_ids: Sequence[str]) -> Mapping[str, Event]:
        """Those of a project that have one of these ids, by id."""

    def find_grains(self, digests: Sequence[bytes]) -> Mapping[bytes, str]:
        """Ids of the events that have one of these grains, by its digest."""

    def has_any(self) -> bool:
        """Whether there is one."""

    def count(self, window: Window | None, *, project_id: str | None) -> int:
        """How many events `walk` gives."""

    def walk(self, window: Window | None, *, project_id: str | None) -> Iterator[Event]:
        """Events by time and id, as they are asked for."""

    def ask(self, sql: str, window: Window) -> Sequence[Mapping[str, Any]]:
        """What a trusted text gives over a window."""

    def add_rejections(self, rejections: Sequence[Rejection]) -> None:
        """Note that events were not taken."""

    def list_rejections(self, *, limit: int) -> tuple[Rejection, ...]:
        """Newest first, at most ``limit``."""

    def count_rejections(self, received: Window) -> tuple[tuple[str, str, int], ...]:
        """Code, field and how many events were refused so, of those that came in a window."""


class EventOutboxRepository(Protocol):
    """Emitted events on their way to sinks."""

    def append(
        self,
        event_ids: Sequence[str],
        *,
        new_id: Callable[[], str],
        project_id: str,
        key_version: str,
        at: datetime,
    ) -> None:
        """Note that stored events of a project go on to sinks, in their order."""

    def find_open_batch(self, sink: str) -> Batch | None:
        """The oldest batch of which nobody knows whether the sink has it."""

    def open_batch(self, sink: str, *, row_id: str, at: datetime, limit: int) -> int:
        """Put waiting events into a new batch; give how many there are."""

    def close_batch(self, batch_id: str, *, at: datetime) -> None:
        """Note that the sink has a batch."""

    def count_waiting(self, sink: str) -> int:
        """How many emitted events are not known to be in the sink."""


class EventRetention(Protocol):
    """Takes events away, and leaves a trace of how many."""

    def delete_older(self, before: datetime, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete what came before an instant; give how many events."""

    def delete_account(
        self,
        account_id: str,
        *,
        project_id: str | None,
        row_id: str,
        at: datetime,
        actor: str,
    ) -> int:
        """Delete every event of an account; give how many."""


class InstanceSecretRepository(Protocol):
    """Secrets of this installation, by name and version."""

    def find_latest(self, name: str) -> tuple[int, bytes] | None:
        """Version and value of the newest secret of a name."""

    def add(self, name: str, version: int, value: bytes, *, at: datetime) -> None:
        """Keep one, unless there is one of this version already."""


class EventSink(Protocol):
    """Where emitted events go on to; to be sent a batch twice changes nothing."""

    @property
    def name(self) -> str:
        """Under which deliveries to it are kept."""

    def write(self, batch: Batch) -> None:
        """Take a batch durably, or what is missing of it."""
