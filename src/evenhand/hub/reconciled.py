"""How does a reader never hear of a claim as running that is over? What is over is ended first.

A look at the index says whether there is anything to end; mostly there is not, and then a read
stays a read. Only otherwise does it wait for the writer, in a thread of the writers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from evenhand.hub.parts import parts_of
from evenhand.hub.threads import writer_threads_of
from evenhand.usecases.intents.reading import unless_expired
from evenhand.usecases.intents.telling import interrupt_expired
from evenhand.usecases.ports import UnitOfWork

T = TypeVar("T")


async def read_reconciled(request: Request, read: Callable[[UnitOfWork], T]) -> T:
    """Result of a read behind the end of every claim that ran out (C-107).

    Args:
        request: whose hub it is.
        read: changes nothing.
    """
    parts = parts_of(request)
    found = await run_in_threadpool(parts.database.read, lambda uow: unless_expired(uow, read))
    if found is not None:
        return found[0]
    await writer_threads_of(request).run(
        lambda: parts.database.run(lambda uow: interrupt_expired(uow, ids=parts.ids))
    )
    return await run_in_threadpool(parts.database.read, read)
