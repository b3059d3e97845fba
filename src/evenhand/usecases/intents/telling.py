"""How is a step of a comparison kept and told of? What the verbs of all callers share.

Every change of state has its entry of the audit in the same transaction: who, from where to where,
which version. Never a token or its digest, a query, a ranking or a gateway request (G-60).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.comparison.intent import Intent, observe
from evenhand.usecases.ports import Ids, UnitOfWork

#: What the audit calls a comparison.
OBJECT_KIND: Final = "comparison"
#: Who ends a claim that ran out, since nobody asked for it.
HUB: Final = Actor(kind=ActorKind.HUB)
#: How many claims that ran out a call ends at most (G-46).
MOST_INTERRUPTED: Final = 100


def tell(  # noqa: PLR0913 -- what one entry is made of
    uow: UnitOfWork,
    made: Intent,
    *,
    action: str,
    before: str | None,
    at: datetime,
    actor: Actor,
    ids: Ids,
    code: str | None = None,
) -> None:
    """Write the entry of a step.

    Args:
        uow: the open transaction.
        made: the intent as it is from now on.
        action: what was done, in one word.
        before: the state before; None where there was none.
        at: when.
        actor: who did it.
        ids: of the entry.
        code: what else is to be known; an error code is told in lowercase.
    """
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=at,
            actor=actor,
            action=action,
            object_kind=OBJECT_KIND,
            object_id=made.id,
            from_state=before,
            to_state=made.state.value,
            code=None if code is None else code.lower(),
            version=made.version,
            related_id=made.pins.binding_id,
        )
    )


def interrupt(uow: UnitOfWork, intents: Iterable[Intent], *, now: datetime, ids: Ids) -> int:
    """End those of some intents whose claim is over; how many that were.

    Args:
        uow: the open transaction, which holds them.
        intents: as they are stored.
        now: of the database.
        ids: of the entries.
    """
    ended = 0
    for intent in intents:
        seen = observe(intent, now)
        if seen is intent:
            continue
        uow.intents.save(intent, seen)
        tell(
            uow,
            seen,
            action="interrupt",
            before=intent.state.value,
            at=now,
            actor=HUB,
            ids=ids,
            code=seen.error_code,
        )
        ended += 1
    return ended


def interrupt_expired(uow: UnitOfWork, *, ids: Ids, binding_id: str | None = None) -> int:
    """End claims that ran out, the oldest first, at most `MOST_INTERRUPTED`; how many that were.

    Args:
        uow: the open transaction.
        ids: of the entries.
        binding_id: only those of this binding; None for all.

    Source: statements C-104, C-107, G-46.
    """
    now = uow.now()
    found = uow.intents.lock_expired(now, limit=MOST_INTERRUPTED, binding_id=binding_id)
    return interrupt(uow, found, now=now, ids=ids)
