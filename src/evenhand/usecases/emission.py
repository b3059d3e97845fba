"""Bring what was emitted to sinks, at least once and nothing twice."""

from __future__ import annotations

from functools import partial
from typing import Final

from evenhand.contracts.delivery import Batch
from evenhand.usecases.ports import (
    EventSink,
    Ids,
    Progress,
    UnitOfWork,
    UnitOfWorkRunner,
)

#: How many events a sink is sent together.
BATCH: Final = 10_000


def next_batch(uow: UnitOfWork, sink: str, *, ids: Ids, limit: int = BATCH) -> Batch | None:
    """What a sink has to be sent next: first what may not have arrived, then what is new."""
    found = uow.event_outbox.find_open_batch(sink)
    if found is None and uow.event_outbox.open_batch(
        sink, row_id=ids.new(), at=uow.now(), limit=limit
    ):
        found = uow.event_outbox.find_open_batch(sink)
    return found


def drain(
    database: UnitOfWorkRunner,
    sink: EventSink,
    *,
    ids: Ids,
    progress: Progress,
    limit: int = BATCH,
) -> int:
    """Bring everything that was emitted to a sink; give how many events were sent.

    A batch is kept as it is until the sink has it, so that what is sent again after a fault is
    the same batch, and a sink that has it already changes nothing.

    Args:
        database: runs the transactions.
        sink: takes batches durably.
        ids: of new batches.
        progress: hears of events.
        limit: how many events go together, at least 1.
    """
    sent = 0
    while True:
        batch = database.run(lambda uow: next_batch(uow, sink.name, ids=ids, limit=limit))
        if batch is None:
            return sent
        sink.write(batch)
        database.run(partial(_close, batch))
        sent += len(batch.events)
        progress.advance(len(batch.events))


def _close(batch: Batch, uow: UnitOfWork) -> None:
    uow.event_outbox.close_batch(batch.id, at=uow.now())
