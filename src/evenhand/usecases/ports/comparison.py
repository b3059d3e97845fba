"""Where are selected model comparisons kept?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from evenhand.core.comparison.concluded import Concluded, Conclusion, Evidence
from evenhand.core.comparison.intent import Intent


class IntentRepository(Protocol):
    """Comparisons that were asked for: added, moved from state to state, never taken away."""

    def add(self, intent: Intent) -> None:
        """Insert one; raises IdempotencyRace, ActiveIntentRace."""

    def find(self, intent_id: str) -> Intent | None:
        """The one with this id."""

    def find_locked(self, intent_id: str) -> Intent | None:
        """The same, held until the transaction ends."""

    def find_by_key(self, project_id: str, key: str) -> Intent | None:
        """The one of a project that was prepared under this key."""

    def has_active(self, binding_id: str) -> bool:
        """Whether a binding has one that has not ended."""

    def save(self, former: Intent, made: Intent) -> None:
        """Write its next state; raises VersionConflict where it is not as it was read."""

    def save_held(self, former: Intent, made: Intent, *, now: datetime) -> None:
        """Write what the holder of its claim does, while that lives; raises VersionConflict."""

    def has_expired(self, now: datetime) -> bool:
        """Whether the time of some claim is over that is still running."""

    def lock_expired(
        self, now: datetime, *, limit: int, binding_id: str | None = None
    ) -> tuple[Intent, ...]:
        """Running ones whose time is over, oldest first, held until the transaction ends.

        Of all bindings, those that somebody else holds just now are passed over; of one binding
        they are waited for.
        """

    def lock_active(self, *, limit: int) -> tuple[Intent, ...]:
        """Those that have not ended, oldest first, held until the transaction ends."""

    def list_latest(
        self, *, binding_id: str | None, limit: int, offset: int
    ) -> tuple[Intent, ...]:
        """Newest first, at most ``limit`` behind the first ``offset``; of a binding, or all."""

    def list_assigned(self, client_id: str, *, limit: int) -> tuple[Intent, ...]:
        """Those of a client that have not ended, oldest first, at most ``limit``."""

    def conclude(self, intent: Intent, conclusion: Conclusion) -> None:
        """Keep what came of one; raises ReportRejected where a request was used meanwhile."""

    def list_concluded(self, intent_ids: Sequence[str]) -> Mapping[str, Concluded]:
        """What came of those that were completed, by id."""

    def find_evidence(self, intent_id: str) -> Evidence:
        """What a completed one rests on; nothing where it was not completed."""

    def find_consumed(self, public_ids: Collection[str]) -> frozenset[str]:
        """Which of these gateway requests proved a case before."""
