"""What waits for the hub's writer, and how does whoever waits hear what became of it?

A caller waits in a thread of its own or in an event loop. Its answer is set by the writer's
thread, and is its caller's only once it is released.
"""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import copy
from typing import Any

from evenhand.store.uow import answered
from evenhand.usecases.ports import UnitOfWork


class Job:
    """One function that waits to be run, and what became of it.

    Args:
        work: the function.
        loop: the event loop that its caller waits in; None for one that waits in a thread.
        only_adds: whether the function does nothing but add rows.
    """

    __slots__ = ("_done", "_future", "_result", "_work", "fault", "has_begun", "loop", "only_adds")

    def __init__(
        self,
        work: Callable[[UnitOfWork], Any],
        loop: AbstractEventLoop | None = None,
        *,
        only_adds: bool = False,
    ) -> None:
        self._work = work
        self._result: Any = None
        self.loop = loop
        self.only_adds = only_adds
        #: What its caller will have raised.
        self.fault: BaseException | None = None
        #: Whether the database was there to run it at all.
        self.has_begun = False
        if loop is not None:
            self._future: Future[None] = loop.create_future()
            return
        # The cheapest thing that one thread waits for and another gives: a lock that is taken.
        self._done = threading.Lock()
        self._done.acquire()

    def __call__(self, uow: UnitOfWork) -> Any:
        """Run the function."""
        self.has_begun = True
        return self._work(uow)

    def succeed(self, result: Any) -> None:
        """Set what it gave."""
        self._result, self.fault = result, None

    def fail(self, fault: BaseException) -> None:
        """Set what its caller will have raised."""
        self._result, self.fault = None, fault

    def wait(self) -> Any:
        """What it gave; what it raised or refused is raised. In a thread, once only."""
        self._done.acquire()
        return self._answer()

    async def wait_in_loop(self) -> Any:
        """The same in the event loop, which goes on meanwhile."""
        await self._future
        return self._answer()

    def release(self) -> None:
        """Let a caller in a thread have the answer; in the event loop, one that waits there."""
        if self.loop is None:
            self._done.release()
        elif not self._future.done():
            # It is done where its caller was cancelled, and nobody waits any more.
            self._future.set_result(None)

    def _answer(self) -> Any:
        if self.fault is not None:
            raise self.fault
        return answered(self._result)


def release(jobs: Iterable[Job]) -> None:
    """Let each caller have its answer.

    Each loop is woken once: to wake it is a system call, and while it lasts the loop takes the
    interpreter away from the writer.
    """
    in_loops: dict[AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        if job.loop is None:
            job.release()
        else:
            in_loops.setdefault(job.loop, []).append(job)
    for loop, those in in_loops.items():
        # It is raised where the loop was closed, and nobody waits in one that is.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_release_in_loop, those)


def fail(jobs: Iterable[Job], failure: BaseException) -> None:
    """Set the same failure for each."""
    # A copy for each: several threads raise it, and each adds to it where.
    for job in jobs:
        job.fail(copy(failure))


def _release_in_loop(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.release()
