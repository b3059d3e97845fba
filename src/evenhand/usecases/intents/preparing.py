"""An operator prepares a comparison, once for each key, and cancels one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.comparison.admission import IntentRequest, admit
from evenhand.core.comparison.intent import Intent, IntentState, cancel, observe, prepare
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.comparison import (
    ActiveIntentExists,
    ActiveIntentRace,
    ComparisonNotFound,
    ProcessNotLookedAt,
    already_terminal,
)
from evenhand.core.errors.publication import IdempotencyConflict, IdempotencyRace
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.retrieval.suite import SuiteContent
from evenhand.usecases.intents.targets import find_binding, find_targets
from evenhand.usecases.intents.telling import OBJECT_KIND, interrupt, interrupt_expired, tell
from evenhand.usecases.ports import Ids, Refused, UnitOfWork, UnitOfWorkRunner

T = TypeVar("T")

#: How many comparisons that nobody claimed are passed over to find the last that was.
_LOOKED_BACK: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What came of preparing.

    Attributes:
        intent: what is stored.
        is_new: whether this call stored it.
    """

    intent: Intent
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """What an operator says of the program of a binding's last comparison.

    Attributes:
        intent_id: of the interrupted comparison whose program was looked at; None where the
            operator says nothing.
    """

    intent_id: str | None


def prepare_intent(
    uow: UnitOfWork,
    request: IntentRequest,
    *,
    key: str,
    actor: Actor,
    ids: Ids,
    looked_at: LookedAt | None = None,
) -> Prepared | Refused:
    """A comparison that waits for its consumer, or the one that was prepared under this key.

    The key is looked up before any rule is applied, so that a retry gets its record whatever has
    become of it and of what it names (G-44). Claims of the binding that ran out are ended first,
    and stay so where the preparation is refused.

    Args:
        uow: the open transaction.
        request: what is wanted.
        key: of this attempt and its retries, within the project.
        actor: who asks.
        ids: of the rows.
        looked_at: what was said of an interrupted comparison's program, where that was asked;
            it gets an entry of the audit. None where it was not asked.

    Raises:
        ReferenceRefused: the binding is unknown.
        IdempotencyConflict: the key was used for something else.
        IdempotencyRace, ActiveIntentRace: another call was quicker at this very moment; see
            `once`.

    Source: statements C-02, C-21, C-23, C-29 to C-31, C-117, G-44, G-45, G-47.
    """
    binding = find_binding(uow, request.binding_id)
    before = uow.intents.find_by_key(binding.project_id, key)
    if before is not None:
        if before.body_digest != request.digest:
            raise IdempotencyConflict
        return Prepared(intent=before, is_new=False)
    interrupt_expired(uow, ids=ids, binding_id=binding.id)
    try:
        targets = find_targets(uow, request)
        pins = admit(request, targets)
        _require_frozen(uow, request)
        if uow.intents.has_active(binding.id):
            raise ActiveIntentExists
        confirmed = None if looked_at is None else _confirmed(uow, binding.id, looked_at)
    except EvenhandError as refusal:
        return Refused(refusal)
    now = uow.now()
    made = prepare(pins, id=ids.new(), idempotency_key=key, body_digest=request.digest, now=now)
    uow.intents.add(made)
    tell(uow, None, made, action="create", at=now, actor=actor, ids=ids)
    if confirmed is not None:
        _tell_confirmed(uow, confirmed, made, actor=actor, ids=ids)
    return Prepared(intent=made, is_new=True)


def once(database: UnitOfWorkRunner, work: Callable[[UnitOfWork], T | Refused]) -> T:
    """Run a preparation that another call may be quicker than, and once more then.

    Of two calls with one key, or for one binding, the database lets one in; the other finds what
    it stored when it looks again.

    Raises:
        IdempotencyRace, ActiveIntentRace: it was lost again.
    """
    try:
        return database.run(work)
    except (IdempotencyRace, ActiveIntentRace):
        pass
    return database.run(work)


def cancel_intent(
    uow: UnitOfWork, intent_id: str, *, expected_version: int, actor: Actor, ids: Ids
) -> Intent | Refused:
    """Cancel a comparison at once, or ask its consumer to stop.

    That the state has changed shows of no program that it stopped.

    Args:
        uow: the open transaction.
        intent_id: which one.
        expected_version: what the operator saw.
        actor: who asks.
        ids: of the rows.

    Raises:
        ComparisonNotFound: there is none.
        Fenced: it has ended.
        VersionConflict: its state has changed since the operator looked.

    Source: statements C-35, C-99, C-100, G-39.
    """
    intent = uow.intents.find_locked(intent_id)
    if intent is None:
        raise ComparisonNotFound
    now = uow.now()
    if observe(intent, now) is not intent:
        interrupt(uow, [intent], now=now, ids=ids)
        return Refused(already_terminal())
    made = cancel(intent, expected_version=expected_version, now=now)
    if made is intent:
        return intent
    uow.intents.save(intent, made)
    is_over = made.state is IntentState.CANCELLED
    action = "cancel" if is_over else "request_cancellation"
    tell(uow, intent, made, action=action, at=now, actor=actor, ids=ids)
    return made


def last_interrupted(uow: UnitOfWork, binding_id: str) -> Intent | None:
    """The interrupted comparison of a binding whose program may still run; None without one.

    It is the last that a program can have taken up: one that was cancelled before anybody claimed
    it says nothing of the one before. After a restore nobody knows who had claimed what.

    Source: statement C-117.
    """
    for one in uow.intents.list_latest(binding_id=binding_id, limit=_LOOKED_BACK, offset=0):
        if one.state is IntentState.INTERRUPTED:
            return one
        if one.claimed_at is not None:
            return None
    return None


def _confirmed(uow: UnitOfWork, binding_id: str, looked_at: LookedAt) -> Intent | None:
    interrupted = last_interrupted(uow, binding_id)
    if interrupted is not None and interrupted.id != looked_at.intent_id:
        raise ProcessNotLookedAt(interrupted.id)
    return interrupted


def _tell_confirmed(
    uow: UnitOfWork, interrupted: Intent, made: Intent, *, actor: Actor, ids: Ids
) -> None:
    """Write that the operator says to have looked; it shows nothing of the program itself."""
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=made.created_at,
            actor=actor,
            action="confirm",
            object_kind=OBJECT_KIND,
            object_id=interrupted.id,
            from_state=interrupted.state.value,
            to_state=interrupted.state.value,
            code="process_looked_at",
            version=interrupted.version,
            related_id=made.id,
        )
    )


def _require_frozen(uow: UnitOfWork, request: IntentRequest) -> None:
    """Ask of the cases themselves what their suite revision promises (C-17 to C-20)."""
    found = uow.suites.find_revision(request.suite_revision_id)
    if found is None:
        raise ReferenceRefused("suite_revision")
    SuiteContent(golden_set=found.golden_set, corpus_sha256=request.corpus_sha256)
