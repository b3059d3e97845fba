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
    former: Intent | None,
    made: Intent,
    *,
    action: str,
    at: datetime,
    actor: Actor,
    ids: Ids,
) -> None:
    """Write the entry of a step; an error code is told in lowercase.

    Args:
        uow: the open transaction.
        former: the intent as it was; None where there was none.
        made: as it is from now on.
        action: what was done, in one word.
        at: when.
        actor: who did it.
        ids: of the entry.
    """
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=at,
            actor=actor,
            action=action,
            object_kind=OBJECT_KIND,
            object_id=made.id,
            from_state=None if former is None else former.state.value,
            to_state=made.state.value,
            code=None if made.error_code is None else made.error_code.lower(),
            version=made.version,
            related_id=made.pins.binding_id,
        )
    )


def save_interrupted(
    uow: UnitOfWork, former: Intent, made: Intent, *, now: datetime, ids: Ids
) -> None:
    """Write that the hub itself ended an intent.

    Raises:
        VersionConflict: it is not as it was read.
    """
    uow.intents.save(former, made)
    tell(uow, former, made, action="interrupt", at=now, actor=HUB, ids=ids)


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
        save_interrupted(uow, intent, seen, now=now, ids=ids)
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
