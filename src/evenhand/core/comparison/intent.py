"""Where is a selected model comparison, and what may happen to it next?

An intent is prepared, claimed once by the consumer it is for, and ends in one of four states that
nothing leaves. Each function gives the next intent, or says why there is none; what the holder of
its claim may do is `core.comparison.holder`. Time and its arithmetic are `core.comparison.lease`;
that no two callers take one step is for the statement that writes it. The version rises with each change of state and with nothing else, so that a consumer's
progress never overtakes an operator's cancellation (G-39).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from evenhand.core.comparison import lease
from evenhand.core.comparison.lease import ClaimState
from evenhand.core.comparison.pins import Pins
from evenhand.core.errors import Invalid
from evenhand.core.errors.comparison import AlreadyClaimed, already_terminal
from evenhand.core.errors.registry import VersionConflict

#: What an intent is marked with that a database restore interrupted (C-114).
RESTORE_INTERRUPTED: Final = "COMPARISON_RESTORE_INTERRUPTED"
#: The same where its claim ran out.
LEASE_EXPIRED: Final = "COMPARISON_LEASE_EXPIRED"
DEADLINE_PASSED: Final = "COMPARISON_DEADLINE_PASSED"


class IntentState(StrEnum):
    """Where an intent is (G-35)."""

    PENDING = "pending"
    RUNNING = "running"
    CANCEL_REQUESTED = "cancel_requested"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


#: Under these a claim lives.
HELD: Final = frozenset({IntentState.RUNNING, IntentState.CANCEL_REQUESTED})
#: Of these a binding has at most one.
ACTIVE: Final = HELD | {IntentState.PENDING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One comparison that was asked for.

    Attributes:
        id: UUIDv7 text.
        idempotency_key: of its preparation and the retries of that, within the project.
        body_digest: of what was asked for, plain hex.
        pins: what has to stay as it was.
        state, version: where it is; the version begins at 1.
        current_completed, candidate_completed: cases that its consumer reports as done.
        created_at: aware UTC, as all times of one clock.
        claimed_at, claim_expires_at, deadline_at: of its claim; None before one.
        finished_at: when it ended; None before.
        error_code: why it failed or was interrupted, in capitals; None otherwise.
        token_digest: of its claim's token; None where there is no claim that could be proved.
        result_digest: of the result that was published; None without one.

    Raises:
        Invalid: counts beyond the cases, or a claim that contradicts the state.
    """

    id: str
    idempotency_key: str
    body_digest: str
    pins: Pins
    state: IntentState
    version: int
    current_completed: int = 0
    candidate_completed: int = 0
    created_at: datetime
    claimed_at: datetime | None = None
    claim_expires_at: datetime | None = None
    deadline_at: datetime | None = None
    finished_at: datetime | None = None
    error_code: str | None = None
    token_digest: str | None = field(default=None, repr=False)
    result_digest: str | None = None

    def __post_init__(self) -> None:
        counts = (self.current_completed, self.candidate_completed)
        if not all(0 <= count <= self.pins.case_count for count in counts):
            raise Invalid("counts: must be at least 0 and at most the number of cases")
        is_held = self.state in HELD
        if is_held and None in (self.token_digest, self.claim_expires_at, self.deadline_at):
            raise Invalid("claim: a running intent has a token, a lease and a deadline")
        if (self.state in ACTIVE) is not (self.finished_at is None):
            raise Invalid("finished_at: belongs to an intent that has ended, and to no other")
        if (self.state is IntentState.COMPLETED) is not (self.result_digest is not None):
            raise Invalid("result_digest: belongs to a completed intent, and to no other")

    @property
    def cancel_requested(self) -> bool:
        """Whether its consumer is to start no further work."""
        return self.state is IntentState.CANCEL_REQUESTED

    @property
    def claim_time(self) -> lease.Claim | None:
        """Its claim in terms of time; None where it was never claimed or has ended otherwise."""
        state = ClaimState.RUNNING
        if self.state is IntentState.INTERRUPTED:
            state = ClaimState.INTERRUPTED
        elif self.state not in HELD:
            return None
        # One that a restore ended may have no times; that it was interrupted is enough.
        began = self.claimed_at or self.created_at
        return lease.Claim(
            state=state,
            claimed_at=began,
            expires_at=self.claim_expires_at or began,
            deadline_at=self.deadline_at or began,
        )

    def moved(self, state: IntentState, now: datetime, **changed: Any) -> Intent:
        """The same in another state, of the next version; ended where the state is final."""
        finished_at = None if state in ACTIVE else now
        stated = {"finished_at": finished_at, **changed}
        return replace(self, state=state, version=self.version + 1, **stated)


def prepare(
    pins: Pins,
    *,
    id: str,  # noqa: A002 -- the field's name
    idempotency_key: str,
    body_digest: str,
    now: datetime,
) -> Intent:
    """A new intent, which waits for its consumer (C-02)."""
    return Intent(
        id=id,
        idempotency_key=idempotency_key,
        body_digest=body_digest,
        pins=pins,
        state=IntentState.PENDING,
        version=1,
        created_at=now,
    )


def observe(intent: Intent, now: datetime) -> Intent:
    """The intent as it is at an instant: interrupted, if its claim's time is over.

    The token's digest goes: nobody can prove that claim any more (C-104, C-105, G-40).
    """
    held = intent.claim_time
    if held is None or lease.observe(held, now) is held:
        return intent
    is_late = intent.deadline_at is not None and now >= intent.deadline_at
    code = DEADLINE_PASSED if is_late else LEASE_EXPIRED
    return intent.moved(IntentState.INTERRUPTED, now, error_code=code, token_digest=None)


def claim(intent: Intent, *, token_digest: str, now: datetime) -> Intent:
    """The intent under its one claim; whoever calls has looked at the pins (C-26).

    Args:
        intent: as `observe` gives it.
        token_digest: SHA-256 of the token, plain hex.
        now: when the claim begins.

    Raises:
        AlreadyClaimed: it is under a claim, be it the caller's own (C-53).
        Fenced: it has ended (``already_terminal``).
    """
    if intent.state in HELD:
        raise AlreadyClaimed
    if intent.state is not IntentState.PENDING:
        raise already_terminal()
    begun = lease.claim(now)
    return intent.moved(
        IntentState.RUNNING,
        now,
        token_digest=token_digest,
        claimed_at=begun.claimed_at,
        claim_expires_at=begun.expires_at,
        deadline_at=begun.deadline_at,
    )


def cancel(intent: Intent, *, expected_version: int, now: datetime) -> Intent:
    """The intent that an operator cancels: at once, or as a request to its consumer.

    Args:
        intent: as `observe` gives it.
        expected_version: what the operator saw.
        now: when.

    Returns:
        The intent itself where the cancellation was requested before.

    Raises:
        Fenced: it has ended (``already_terminal``).
        VersionConflict: its state has changed since the operator looked.
    """
    if intent.state not in ACTIVE:
        raise already_terminal()
    if intent.version != expected_version:
        raise VersionConflict(intent.id)
    if intent.state is IntentState.PENDING:
        return intent.moved(IntentState.CANCELLED, now)
    if intent.cancel_requested:
        return intent
    return intent.moved(IntentState.CANCEL_REQUESTED, now)


def restored(intent: Intent, now: datetime) -> Intent:
    """The intent after a restore of the database, which ends it where it had not ended.

    What happened since the backup cannot be known, so no claim of before is one now: token and
    lease go, and the pins stay (C-112 to C-115).
    """
    if intent.state not in ACTIVE:
        return intent
    return intent.moved(
        IntentState.INTERRUPTED,
        now,
        error_code=RESTORE_INTERRUPTED,
        token_digest=None,
        claim_expires_at=None,
    )
