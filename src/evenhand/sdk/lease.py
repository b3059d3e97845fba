"""Until when does a program know that its claim lives? Reckoned on its own clock, and never late.

The hub's clock says when a lease ends, and this program cannot read it. It knows when it sent the
call that the lease counts from, which was before the hub got it; so the lease that is reckoned
from the sending ends no later than the real one. Seconds are of a monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

#: The lease is renewed when this part of it is over.
RENEWED_AFTER: Final = 1 / 3
#: After a renewal that nobody answered, the next try comes after this part of the lease.
TRIED_AGAIN_AFTER: Final = 1 / 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The time of a claim on this program's clock.

    Attributes:
        seconds: of a whole lease.
        ends_at: of the lease; the claim lives strictly before.
        deadline_at: which no renewal passes.
        renew_at: when to renew next.
    """

    seconds: float
    ends_at: float
    deadline_at: float
    renew_at: float

    def is_over(self, now: float) -> bool:
        """Whether the claim may have ended by this instant."""
        return now >= self.ends_at

    def renewed(self, asked_at: float) -> Lease:
        """The lease after a renewal that was sent at this instant."""
        ends_at = min(asked_at + self.seconds, self.deadline_at)
        return replace(
            self, ends_at=ends_at, renew_at=asked_at + (ends_at - asked_at) * RENEWED_AFTER
        )

    def unanswered(self, now: float) -> Lease:
        """The lease after a renewal that may not have arrived; it is tried again soon."""
        return replace(self, renew_at=now + self.seconds * TRIED_AGAIN_AFTER)


def new_lease(
    *, claimed_at: datetime, expires_at: datetime, deadline_at: datetime, asked_at: float
) -> Lease:
    """The lease of a claim.

    Args:
        claimed_at: of the hub, as are the other two.
        expires_at: end of its first lease.
        deadline_at: its last instant.
        asked_at: when the claim was sent, on this program's clock.
    """
    seconds = (expires_at - claimed_at).total_seconds()
    deadline = asked_at + (deadline_at - claimed_at).total_seconds()
    return Lease(
        seconds=seconds, ends_at=asked_at, deadline_at=deadline, renew_at=asked_at
    ).renewed(asked_at)
