"""What may the holder of a claim do? Whoever has its token, while its time runs.

Whether a caller holds the claim is asked first, by `refusal_of_holder`: time, then token. Each
function behind it takes an intent of which that was found, and looks at its state.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal, TypeAlias

from evenhand.core.access.credential import is_token_of
from evenhand.core.comparison import lease
from evenhand.core.comparison.intent import ACTIVE, HELD, Intent, IntentState
from evenhand.core.errors import EvenhandError, Fenced
from evenhand.core.errors.comparison import (
    CountsDecreased,
    CountsTooLarge,
    ResultConflict,
    already_terminal,
    wrong_claim_token,
)

Outcome: TypeAlias = Literal[IntentState.FAILED, IntentState.CANCELLED]
"""How a consumer may finish without a result."""


def refusal_of_holder(intent: Intent, token: str, now: datetime) -> EvenhandError | None:
    """Why a token gives no right to go on with an intent at an instant; None where it does.

    A claim whose time is over is refused whatever the token, which is then looked at by nobody.
    After that the token decides, and only then the state: so a caller without it learns nothing.

    Args:
        intent: as it is stored, before `observe`.
        token: as it was sent.
        now: of the database.
    """
    held = intent.claim_time
    if held is not None and not held.is_alive(now):
        return lease.progress(held, now).refusal
    if intent.token_digest is not None:
        return None if is_token_of(token, intent.token_digest) else wrong_claim_token()
    if intent.state is IntentState.PENDING:
        return Fenced("the comparison was not claimed yet", code="not_claimed")
    return already_terminal()


def progress(intent: Intent, *, current: int, candidate: int, now: datetime) -> Intent:
    """The intent with its lease renewed and its counts raised; of the same version.

    Args:
        intent: under a claim that its caller has proved.
        current: cases done on the current side, at least as many as before (C-63).
        candidate: the same of the candidate.
        now: from which the lease counts anew.

    Raises:
        CountsTooLarge: more than there are cases (C-64).
        Fenced: it has ended.
        CountsDecreased: fewer than before.
    """
    held = _require_held(intent)
    stated = {"current_completed_cases": current, "candidate_completed_cases": candidate}
    for field, count in stated.items():
        if count > intent.pins.case_count:
            raise CountsTooLarge(field)
    if current < intent.current_completed or candidate < intent.candidate_completed:
        raise CountsDecreased
    renewed = lease.progress(held, now)
    if renewed.refusal is not None:
        raise renewed.refusal
    return replace(
        intent,
        current_completed=current,
        candidate_completed=candidate,
        claim_expires_at=renewed.claim.expires_at,
    )


def is_published(intent: Intent, result_digest: str) -> bool:
    """Whether this very result was published before, so that there is nothing to do (C-86).

    Raises:
        ResultConflict: another one was (C-87).
    """
    if intent.state is not IntentState.COMPLETED:
        return False
    if intent.result_digest != result_digest:
        raise ResultConflict
    return True


def complete(intent: Intent, *, result_digest: str, now: datetime) -> Intent:
    """The intent with a result; it keeps the token's digest, so that a retry can prove itself.

    Raises:
        Fenced: it has ended, or its cancellation was requested (``cancellation_requested``): the
            request stands until the consumer acknowledges it (G-36).
    """
    require_uncancelled(intent)
    return intent.moved(
        IntentState.COMPLETED,
        now,
        result_digest=result_digest,
        current_completed=intent.pins.case_count,
        candidate_completed=intent.pins.case_count,
    )


def require_uncancelled(intent: Intent) -> None:
    """Let an intent through that takes a result.

    Raises:
        Fenced: it has ended, or its cancellation was requested.
    """
    _require_held(intent)
    if intent.cancel_requested:
        rule = "a cancellation was requested: finish with outcome cancelled"
        raise Fenced(rule, code="cancellation_requested")


def is_finished(intent: Intent, *, outcome: Outcome, error_code: str | None) -> bool:
    """Whether this very end was reported before, so that there is nothing to do.

    Raises:
        ResultConflict: another one was.
    """
    if intent.state in ACTIVE:
        return False
    if (intent.state, intent.error_code) != (outcome, error_code):
        raise ResultConflict
    return True


def finish(intent: Intent, *, outcome: Outcome, error_code: str | None, now: datetime) -> Intent:
    """The intent that its consumer ends without a result (C-100 to C-102).

    Raises:
        Fenced: it has ended, or nobody asked for the cancellation that is acknowledged
            (``cancellation_not_requested``, G-37).
    """
    _require_held(intent)
    if outcome is IntentState.CANCELLED and not intent.cancel_requested:
        rule = "no cancellation was requested that could be acknowledged"
        raise Fenced(rule, code="cancellation_not_requested")
    return intent.moved(outcome, now, error_code=error_code)


def _require_held(intent: Intent) -> lease.Claim:
    held = intent.claim_time
    if held is None or intent.state not in HELD:
        raise already_terminal()
    return held
