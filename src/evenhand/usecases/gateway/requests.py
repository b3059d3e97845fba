"""Keep what happened at the gateway, before the client hears of it."""

from __future__ import annotations

from evenhand.core.gateway.request import Facts, GatewayRequest, complete
from evenhand.usecases.ports import Clock, Ids, UnitOfWork


def keep_request(
    uow: UnitOfWork, facts: Facts, *, ids: Ids, clock: Clock, began: float
) -> GatewayRequest:
    """The row of a request that has ended.

    Args:
        uow: an open transaction.
        facts: what is known of it.
        ids: of rows.
        clock: of durations.
        began: when the request came in, by that clock.

    Source: settled 11; statements G-53, G-57.
    """
    # Both clocks are asked here, at the very end: what waited for the database is in the time.
    kept = complete(facts, row_id=ids.new(), now=uow.now(), elapsed=clock.monotonic() - began)
    uow.gateway_requests.add(kept)
    return kept
