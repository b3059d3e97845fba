"""Keep what happened at the gateway, before the client hears of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.gateway.request import Facts, GatewayRequest, complete
from evenhand.usecases.ports import Clock, Ids, UnitOfWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A request that has ended and has no row yet.

    Attributes:
        facts: what is known of it.
        began: when it came in, by the clock of durations.
    """

    facts: Facts
    began: float


def keep_requests(
    uow: UnitOfWork, ended: Sequence[Ended], *, ids: Ids, clock: Clock
) -> tuple[GatewayRequest, ...]:
    """The rows of requests that have ended, all of them or none.

    Args:
        uow: an open transaction.
        ended: in any order.
        ids: of rows.
        clock: of durations.

    Source: settled 11; statements G-53, G-57.
    """
    # Both clocks are asked here, at the very end: what waited for the database is in the time.
    now, seconds = uow.now(), clock.monotonic()
    kept = tuple(
        complete(one.facts, row_id=ids.new(), now=now, elapsed=seconds - one.began)
        for one in ended
    )
    uow.gateway_requests.add_all(kept)
    return kept
