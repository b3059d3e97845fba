"""Which thread does the blocking work of a request? Reading and writing have threads of their own.

A write waits for its commit, and where somebody else holds the database it waits for as long as a
lock is waited for. In the threads of the readers it would keep everybody from being known, from
reading, and from being told whether the hub is ready.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
from starlette.requests import HTTPConnection

from evenhand.core.errors.database import DatabaseUnavailable

T = TypeVar("T")

#: How many requests read at a time: as many as the database has connections for. They have the
#: threads that the framework runs plain functions in.
READERS: Final = 15
#: How many requests write, or wait for it, at a time. They need no connection: the writer has one.
WRITERS: Final = 256
_FULL: Final = "too many writes wait for the database; try again"


class WriterThreads:
    """The threads that writes wait in; for one event loop.

    Args:
        most: how many, at least 1.
    """

    def __init__(self, most: int = WRITERS) -> None:
        self._most = most
        self._taken = 0
        self._limiter = anyio.CapacityLimiter(most)

    async def run(self, work: Callable[[], T]) -> T:
        """Result of ``work``, which was run in one of the threads.

        Raises:
            DatabaseUnavailable: every thread is taken (``writer_full``); nothing was begun.
        """
        # Whoever waited here would wait for a lock a second time, after those in the threads.
        if self._taken >= self._most:
            raise DatabaseUnavailable(_FULL, code="writer_full")
        self._taken += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._taken -= 1


def let_readers_in() -> None:
    """Give the framework as many threads as there are readers; in the event loop."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = READERS


def writer_threads_of(request: HTTPConnection) -> WriterThreads:
    """The threads that the writes of the hub wait in that a request came to."""
    threads: WriterThreads = request.app.state.writer_threads
    return threads


def in_writer_thread(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """An endpoint of the same signature that is run in a thread of the hub that a request came to.

    Args:
        endpoint: a plain function; it takes the request by the name ``request``.
    """

    @functools.wraps(endpoint)
    async def _wrapped(*, request: HTTPConnection, **named: Any) -> Any:
        work = functools.partial(endpoint, request=request, **named)
        return await writer_threads_of(request).run(work)

    return _wrapped
