"""Where is kept who may call, and what was changed by whom?"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import Credential


class CredentialRepository(Protocol):
    """Credentials: written once, ended once, never taken away."""

    def add(self, credential: Credential) -> None:
        """Insert one; raises CredentialExists where one in force has its name."""

    def save_end(self, credential: Credential) -> None:
        """Write how one ended; raises CredentialEnded where another was quicker."""

    def find(self, reference: str) -> Credential | None:
        """The one with this id, else the one in force with this name."""

    def find_by_digest(self, digest: str) -> Credential | None:
        """The one whose token has this digest, in force or not."""

    def list_all(
        self,
        *,
        with_ended: bool,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Credential, ...]:
        """Newest first; those in force, or all; with ``after`` those behind that time and id."""

    def has_any(self) -> bool:
        """Whether there ever was one."""


class AuditRepository(Protocol):
    """The audit: added to, never changed."""

    def add(self, entry: AuditEntry) -> None:
        """Keep one entry."""

    def find(self, entry_id: str) -> AuditEntry | None:
        """The entry with this id."""

    def list_latest(
        self,
        *,
        object_kind: str | None = None,
        object_id: str | None = None,
        actor_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Newest first, at most ``limit``; of all objects, of a kind, of one, or by somebody."""
