"""May a client that has a limit send this now? Decided and noted before anybody is called."""

from __future__ import annotations

from evenhand.core.errors.gateway import RateLimited
from evenhand.core.gateway.allowance import Wait, spend
from evenhand.usecases.ports import UnitOfWork


def admit(uow: UnitOfWork, *, client_id: str, count: int, per_minute: int) -> None:
    """Take inputs off what a client may still ask.

    Every process of a hub asks the same row, so that they have one limit together.

    Args:
        uow: an open transaction.
        client_id: who asks.
        count: of inputs, at least 1.
        per_minute: the client's limit.

    Raises:
        RateLimited: too much for now; nothing is taken off.
        InvalidInput: too much for ever.
    """
    full_at = uow.gateway_allowances.hold(client_id)
    # The time is asked after the row is held: it may have been waited for.
    left = spend(full_at, count=count, per_minute=per_minute, now=uow.now())
    if isinstance(left, Wait):
        raise RateLimited(per_minute, retry_after=left.seconds)
    uow.gateway_allowances.save(client_id, left)
