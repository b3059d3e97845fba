"""What becomes of an event that comes in? It is stored once, or refused without a trace of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

import msgspec

from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.events import Event
from evenhand.core.errors.event import EventConflict


class Status(StrEnum):
    """What became of one event."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    REFUSED = "refused"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one event of those that were sent; thousands are made at once.

    Attributes:
        index: its place in what was sent, from 0.
        event_id: None where it was refused: what it says of itself may be anything.
        status: what became of it.
        code: why it was not stored; None where it is.
        field: which field decided it; None where it is stored.
    """

    index: int
    event_id: str | None
    status: Status
    code: str | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event with what the hub knows of its coming.

    Attributes:
        project_id: whose it is.
        event: the event.
        client_id: the service client that sent it; None for people and the hub itself.
        received_at: by the database's clock, aware UTC.
    """

    project_id: str
    event: Event
    client_id: str | None
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """That an event was not taken: why and at which field, and nothing of it (G-71).

    Attributes:
        id: UUIDv7.
        project_id: whose it would have been.
        client_id: the service client that sent it; None for people.
        received_at: aware UTC.
        place: its place in what was sent, from 0.
        code: why.
        field: which field.
    """

    id: str
    project_id: str
    client_id: str | None
    received_at: datetime
    place: int
    code: str
    field: str


def grain_digest(project_id: str, event: Event) -> str:
    """Digest of what no two events of a project share: the grain (G-63).

    Returns:
        64 hex digits of SHA-256 over project, account, case, retrieval and evaluator, each in
        UTF-8 and separated by U+001F, which no identifier holds.
    """
    return grain_bytes(project_id, event).hex()


def grain_bytes(project_id: str, event: Event) -> bytes:
    """The 32 bytes of `grain_digest`, as rows hold them."""
    # No identifier holds the separator.
    grain = (
        f"{project_id}\x1f{event.account_id}\x1f{event.evaluation_id}"
        f"\x1f{event.retrieval_version}\x1f{event.evaluator_version}"
    )
    return sha256(grain.encode()).digest()


def conflict_with(stored: Event, sent: Event) -> EventConflict | None:
    """Why an event is no repetition of the stored one of its id; None where it is (G-64)."""
    for name in shipped_contract().names:
        if getattr(stored, name) != getattr(sent, name):
            return EventConflict(name)
    return None
