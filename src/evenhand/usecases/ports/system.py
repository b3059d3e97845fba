"""What do use cases ask of the machine? Time, ids, secrets, and who hears of progress."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Aware UTC."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back, for durations only."""


class Ids(Protocol):
    """Where row ids come from."""

    def new(self) -> str:
        """A UUIDv7 as text."""


class Secrets(Protocol):
    """Where the random part of a token comes from."""

    def new(self) -> bytes:
        """32 bytes that nobody can guess (`core.access.credential.SECRET_BYTES`)."""


class Progress(Protocol):
    """Who hears how far long work has come."""

    def advance(self, done: int) -> None:
        """So many more units are done."""
