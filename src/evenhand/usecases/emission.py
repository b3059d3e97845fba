"""Emit final results, and bring what was emitted to sinks, at least once and nothing twice."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Final

from evenhand.contracts.delivery import Batch
from evenhand.contracts.emission import PseudonymKey
from evenhand.usecases.ports import (
    EventSink,
    Ids,
    Progress,
    Secrets,
    UnitOfWork,
    UnitOfWorkRunner,
)

#: How many events a sink is sent together.
BATCH: Final = 10_000
_NAME: Final = "pseudonym"
_FROM_OUTSIDE: Final = "env-"


def pseudonym_key(uow: UnitOfWork, secrets: Secrets, given: str | None) -> PseudonymKey:
    """The key of pseudonyms: derived from the operator's secret, else this installation's own.

    Args:
        uow: the open transaction; the first call of an installation makes its secret.
        secrets: where that comes from.
        given: the operator's secret, None without one.
    """
    if given is not None:
        value = hashlib.sha256(f"{_NAME}\x1f{given}".encode()).digest()
        return PseudonymKey(
            version=_FROM_OUTSIDE + hashlib.sha256(value).hexdigest()[:8], value=value
        )
    found = uow.instance_secrets.find_latest(_NAME)
    if found is None:
        uow.instance_secrets.add(_NAME, 1, secrets.new(), at=uow.now())
        # Of two transactions that made one at once, one is kept.
        found = uow.instance_secrets.find_latest(_NAME)
    assert found is not None  # noqa: S101 -- it was added just above
    version, value = found
    return PseudonymKey(version=str(version), value=value)


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
