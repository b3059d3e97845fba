"""Take events away: when they are older than they are kept, or an account's on request."""

from __future__ import annotations

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue
from evenhand.core.privacy import kept_since
from evenhand.usecases.ports import Ids, UnitOfWork


def purge(uow: UnitOfWork, *, days: int, actor: str, ids: Ids) -> int:
    """Delete events, and traces of refusals, that came more than so many days ago.

    Args:
        uow: the open transaction.
        days: at least 1 (BP-30).
        actor: who asks.
        ids: of the trace.

    Returns:
        How many events there were.

    Raises:
        InvalidValue: fewer than one day.
    """
    if days < 1:
        raise InvalidValue("days", "must be at least 1")
    now = uow.now()
    return uow.event_retention.delete_older(
        kept_since(now, days=days), row_id=ids.new(), at=now, actor=actor
    )


def delete_account(
    uow: UnitOfWork, account_id: str, *, project_id: str | None, actor: Actor, ids: Ids
) -> int:
    """Delete every event of an account; the audit tells that it was done, and not of whom.

    Args:
        uow: the open transaction.
        account_id: the pseudonym.
        project_id: in this project; None: in all.
        actor: who asks.
        ids: of the trace and of the entry.
    """
    now, trace = uow.now(), ids.new()
    deleted = uow.event_retention.delete_account(
        account_id, project_id=project_id, row_id=trace, at=now, actor=actor.kind.value
    )
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=now,
            actor=actor,
            action="delete",
            object_kind="event_account",
            # The trace of how many; the pseudonym itself would outlive its events here.
            object_id=trace,
            related_id=project_id,
        )
    )
    return deleted
