"""How do the gateway's requests get their rows? Many in one transaction, and no answer before it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import HTTPConnection

from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable
from evenhand.core.gateway.request import Facts
from evenhand.hub.together import Together
from evenhand.usecases.gateway.requests import Ended, keep_requests
from evenhand.usecases.ports import Clock, Ids, SharedRunner


class Keeper:
    """Keeps what happened at the gateway; of one event loop.

    Args:
        database: what is written to.
        ids: of rows.
        clock: of durations.
    """

    def __init__(self, database: SharedRunner, *, ids: Ids, clock: Clock) -> None:
        self._database = database
        self._ids = ids
        self._clock = clock
        self._rows: Together[Ended, None] = Together(self._keep)

    async def keep(self, facts: Facts, *, began: float) -> None:
        """Keep one request; it is committed when this returns.

        Args:
            facts: what is known of it.
            began: when it came in, by the clock of durations.

        Raises:
            ConstraintRefused: the database refuses this one.
            Exception: whatever else its own row is the fault of.
            DatabaseUnavailable: it is locked, gone or damaged, or too many wait.
        """
        await self._rows.ask(Ended(facts=facts, began=began))

    async def _keep(self, ended: Sequence[Ended]) -> list[Exception | None]:
        try:
            await self._commit(ended)
        except (DatabaseUnavailable, DatabaseNotReady):
            # That is nobody's row's fault: each would wait for the same once more.
            raise
        except Exception as refused:  # noqa: BLE001 -- raised where the row of it was to be kept
            if len(ended) == 1:
                return [refused]
            # Nothing was kept by the fault of one, which the others do not share.
            return [await self._alone(one) for one in ended]
        return [None] * len(ended)

    async def _alone(self, one: Ended) -> Exception | None:
        try:
            await self._commit([one])
        except Exception as refused:  # noqa: BLE001 -- raised where the row of it was to be kept
            return refused
        return None

    async def _commit(self, ended: Sequence[Ended]) -> None:
        await self._database.run_async(
            lambda uow: keep_requests(uow, ended, ids=self._ids, clock=self._clock),
            only_adds=True,
        )


def keeper_of(request: HTTPConnection) -> Keeper:
    """The one of the hub that a request came to."""
    keeper: Keeper = request.app.state.keeper
    return keeper
