"""How do many small writes share one commit? The hub's writer: one thread, one transaction a batch.

A commit waits for the disk, and a database makes its writers wait for each other. So whoever wants
to write hands its function over and waits; one thread runs the functions that wait, commits once,
and only then tells their callers (settled 10). No timer: a batch is what came while the one before
was being committed. What becomes of the others where one fails is for `batches`.
"""

from __future__ import annotations

import threading
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable
from typing import Final, TypeVar

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.batches import Batches
from evenhand.store.jobs import Job, fail, release
from evenhand.store.uow import Database
from evenhand.usecases.ports import Refused, UnitOfWork

T = TypeVar("T")

#: How many functions one commit holds at most: of a transaction with more than 64 savepoints
#: PostgreSQL keeps the rest on disk, and every other transaction becomes slower.
MOST_TOGETHER: Final = 64
#: How many may wait; more are refused at once, so that memory is bounded.
MOST_WAITING: Final = 1024
_FULL: Final = "too many writes wait for the database; try again"
_CLOSED: Final = "the hub is stopping and takes no more writes"


class Writer:
    """Runs write functions together, first come, first served; implements `SharedRunner`.

    Its thread begins with the first write. Should the thread itself fail, every later call says
    so, and so does :meth:`require_running`.

    Args:
        database: what is written to; it is closed with the writer.
        most_waiting: how many functions may wait, at least 1.
        most_together: how many one commit holds, at least 1.
    """

    def __init__(
        self,
        database: Database,
        *,
        most_waiting: int = MOST_WAITING,
        most_together: int = MOST_TOGETHER,
    ) -> None:
        self._database = database
        self._batches = Batches(database)
        self._most_waiting = most_waiting
        self._most_together = most_together
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition(threading.Lock())
        self._thread: threading.Thread | None = None
        #: Why nothing is taken any more; None while it is.
        self._ended: str | None = None

    def run(self, work: Callable[[UnitOfWork], T | Refused]) -> T:
        """Result of ``work`` once it is committed, perhaps together with others'.

        What it raises takes back what it did and nothing of the others'. What it refuses is
        committed, then raised. It may be run more than once, so it must not keep what it read.

        Raises:
            ConstraintRefused: a constraint or a guard refused a write.
            DatabaseUnavailable: the database is locked, gone or damaged; too many wait
                (``writer_full``), or the writer has ended (``writer_stopped``), and nothing was
                begun; or nobody knows whether it is stored (``outcome_unknown``).
        """
        job = Job(work)
        self._hand_over(job)
        result: T = job.wait()
        return result

    async def run_async(
        self, work: Callable[[UnitOfWork], T | Refused], *, only_adds: bool = False
    ) -> T:
        """The same from an event loop, which goes on meanwhile; no thread waits.

        ``work`` is run in the writer's thread. Where the caller is cancelled it may be run and
        committed all the same, and nobody is told.

        Args:
            work: as in :meth:`run`.
            only_adds: whether it does nothing but add rows of tables that are added to by
                `bulk.insert_some`, which has a shorter way.

        Raises:
            ConstraintRefused, DatabaseUnavailable: as :meth:`run`.
        """
        job = Job(work, get_running_loop(), only_adds=only_adds)
        self._hand_over(job)
        result: T = await job.wait_in_loop()
        return result

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, in this thread and beside the writer; it can change nothing.

        Raises:
            DatabaseUnavailable: the database is locked, gone or damaged.
        """
        return self._database.read(work)

    def glance(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which looks up a few rows, in this thread and without a wait.

        Raises:
            NotAtHand: it would have to be waited for, or the database is on a server.
        """
        return self._database.glance(work)

    def require_running(self) -> None:
        """Refuse where nothing can be written any more.

        Raises:
            DatabaseUnavailable: code ``writer_stopped``.
        """
        with self._changed:
            self._require_open()

    def close(self) -> None:
        """Take no more writes, finish those that wait, then close every connection."""
        with self._changed:
            self._ended = self._ended or _CLOSED
            thread = self._thread
            self._changed.notify()
        if thread is not None:
            thread.join()
        self._batches.close()
        self._database.close()

    def _hand_over(self, job: Job) -> None:
        with self._changed:
            self._require_open()
            if len(self._waiting) >= self._most_waiting:
                raise DatabaseUnavailable(_FULL, code="writer_full")
            self._waiting.append(job)
            if self._thread is None:
                # A daemon: a program that forgot to close it shall end all the same. What was
                # not committed by then is not there, and nobody was told that it is.
                self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _require_open(self) -> None:
        if self._ended is not None:
            raise DatabaseUnavailable(self._ended, code="writer_stopped")

    def _work(self) -> None:
        """The thread: one batch after the other, until it is closed and nothing waits."""
        batch: list[Job] = []
        try:
            while batch := self._next_batch():
                self._batches.run(batch)
                if not batch[0].has_begun and batch[0].fault is not None:
                    # The database is locked or gone, and nobody shall wait for it twice.
                    rest = self._take(len(self._waiting))
                    fail(rest, batch[0].fault)
                    batch += rest
                release(batch)
                batch.clear()
        except BaseException as fault:  # noqa: BLE001 -- told to all who wait and all who come
            # Its class only: the message could hold anything.
            why = f"the hub's writer has stopped ({type(fault).__name__}): start the hub again"
            with self._changed:
                self._ended = why
                batch += self._take(len(self._waiting))
            fail(batch, DatabaseUnavailable(why, code="writer_stopped"))
            release(batch)

    def _next_batch(self) -> list[Job]:
        with self._changed:
            while not self._waiting and self._ended is None:
                self._changed.wait()
            return self._take(min(len(self._waiting), self._most_together))

    def _take(self, number: int) -> list[Job]:
        return [self._waiting.popleft() for _ in range(number)]
