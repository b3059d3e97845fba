"""How long does a claim live, and what does each step of its holder do to it?

A claim lives until its lease ends; each progress report renews the lease, never past the
deadline. The interval is half-open: at the instant of expiry the claim is dead. A dead claim is
interrupted by whoever looks at it next, also by a step that is refused for it, so a step returns
the claim to be stored *and* the refusal. Who may take a step, and whether the state allows it
otherwise, is the business of the intent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from evenhand.core.errors import Fenced

LEASE_SECONDS: Final = 120
DEADLINE_SECONDS: Final = 3600

_LEASE: Final = timedelta(seconds=LEASE_SECONDS)
_DEADLINE: Final = timedelta(seconds=DEADLINE_SECONDS)


class ClaimState(StrEnum):
    """Where a claim is. All but ``running`` are final."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


Outcome: TypeAlias = Literal[ClaimState.FAILED, ClaimState.CANCELLED]
"""How a holder may finish without a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The time of one claim; instants are aware UTC, all of one clock.

    Attributes:
        state: ``running`` until a result, a finish or an expiry.
        claimed_at: when it began.
        expires_at: end of the lease; alive strictly before it, and never past the deadline.
        deadline_at: an hour after the claim, not renewable.
    """

    state: ClaimState
    claimed_at: datetime
    expires_at: datetime
    deadline_at: datetime

    def is_alive(self, now: datetime) -> bool:
        """Whether the holder may still act at this instant."""
        return self.state is ClaimState.RUNNING and now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a step leaves behind.

    Attributes:
        claim: to be stored, also where the step was refused.
        refusal: why it was refused; None where it was not. Codes ``lease_expired``,
            ``deadline_passed``, ``claim_interrupted`` and ``already_terminal``.
    """

    claim: Claim
    refusal: Fenced | None


def claim(now: datetime) -> Claim:
    """A new claim whose lease and deadline count from ``now``.

    Source: statements C-62, C-65, G-38.
    """
    deadline = now + _DEADLINE
    return Claim(
        state=ClaimState.RUNNING,
        claimed_at=now,
        expires_at=_expiry(now, deadline),
        deadline_at=deadline,
    )


def observe(held: Claim, now: datetime) -> Claim:
    """The claim as it is at an instant: interrupted, if it was running and its time is over.

    Source: statements C-104, C-107.
    """
    if held.state is ClaimState.RUNNING and not held.is_alive(now):
        return replace(held, state=ClaimState.INTERRUPTED)
    return held


def progress(held: Claim, now: datetime) -> Step:
    """Renew the lease: 120 seconds from ``now``, clamped to the deadline."""
    refusal = _refusal(held, now)
    if refusal is not None:
        return Step(claim=observe(held, now), refusal=refusal)
    return Step(claim=replace(held, expires_at=_expiry(now, held.deadline_at)), refusal=None)


def result(held: Claim, now: datetime) -> Step:
    """Complete the claim, if it is alive."""
    return _end(held, now, ClaimState.COMPLETED)


def finish(held: Claim, now: datetime, outcome: Outcome) -> Step:
    """End the claim without a result, if it is alive."""
    return _end(held, now, outcome)


def _end(held: Claim, now: datetime, state: ClaimState) -> Step:
    refusal = _refusal(held, now)
    if refusal is not None:
        return Step(claim=observe(held, now), refusal=refusal)
    return Step(claim=replace(held, state=state), refusal=None)


def _refusal(held: Claim, now: datetime) -> Fenced | None:
    if held.is_alive(now):
        return None
    if held.state is ClaimState.INTERRUPTED:
        return Fenced("the claim was interrupted", code="claim_interrupted")
    if held.state is not ClaimState.RUNNING:
        return Fenced("the claim has already ended", code="already_terminal")
    if now >= held.deadline_at:
        return Fenced("the deadline of the claim has passed", code="deadline_passed")
    return Fenced("the lease of the claim has ended", code="lease_expired")


def _expiry(now: datetime, deadline: datetime) -> datetime:
    return min(now + _LEASE, deadline)
