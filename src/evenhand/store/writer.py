"""How do many small writes share one commit? The hub's writer: one thread, one transaction a batch.

A commit waits for the disk, and a database makes its writers wait for each other. So whoever wants
to write hands its function over and waits; one thread runs the functions that wait, each in a
savepoint, commits once, and only then tells their callers (settled 10). No timer: a batch is what
came while the one before was being committed.
"""

from __future__ import annotations

import threading
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.engine import wipe_log, writing
from evenhand.store.errors import broken_constraint, is_transient, translate
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

    async def run_async(self, work: Callable[[UnitOfWork], T | Refused]) -> T:
        """The same from an event loop, which goes on meanwhile; no thread waits.

        ``work`` is run in the writer's thread. Where the caller is cancelled it may be run and
        committed all the same, and nobody is told.

        Raises:
            ConstraintRefused, DatabaseUnavailable: as :meth:`run`.
        """
        job = Job(work, get_running_loop())
        self._hand_over(job)
        result: T = await job.wait_in_loop()
        return result

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, in this thread and beside the writer; it can change nothing.

        Raises:
            DatabaseUnavailable: the database is locked, gone or damaged.
        """
        return self._database.read(work)

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
                self._run_batch(batch)
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

    def _run_batch(self, batch: Sequence[Job]) -> None:
        # One function has no savepoint: where nobody else waits it is two round trips for nothing.
        if len(batch) == 1 or not self._run_together(batch):
            for job in batch:
                self._run_alone(job)

    def _run_alone(self, job: Job) -> None:
        """Run one function in a transaction of its own, a bounded number of times."""
        try:
            job.succeed(self._database.run(job))
        except BaseException as fault:  # noqa: BLE001 -- raised where its caller waits
            job.fail(fault)

    def _run_together(self, batch: Sequence[Job]) -> bool:
        """Run functions in one transaction; whether that gave each its answer.

        It does not where nothing was committed by the fault of one function at most: a deadlock
        with another process, or a constraint that is looked at in the end.
        """
        engine = self._database.engine
        failure: EvenhandError
        try:
            with writing(engine) as connection:
                connection.exec_driver_sql("SAVEPOINT one")
                deleted = [job for job in batch if self._run_in_savepoint(connection, job)]
        except DBAPIError as error:
            if is_transient(error) or broken_constraint(error) is not None:
                return False
            failure = translate(error, engine.url)
        except DatabaseUnavailable as error:
            failure = error
        except SQLAlchemyError as error:
            failure = DatabaseUnavailable(f"the database is out of use ({type(error).__name__})")
        else:
            self._wipe_log_of(deleted)
            return True
        fail(batch, failure)
        return True

    def _wipe_log_of(self, deleted: Sequence[Job]) -> None:
        try:
            if deleted:
                wipe_log(self._database.engine)
        except DatabaseUnavailable as error:
            fail(deleted, error)

    def _run_in_savepoint(self, connection: Connection, job: Job) -> bool:
        """Run one function after a savepoint and set the next; whether it deleted rows.

        Whatever it raises takes back what it did.

        Raises:
            DBAPIError: the transaction as a whole is lost.
        """
        uow = self._database.unit_of_work(connection)
        try:
            result = job(uow)
            # On PostgreSQL it is refused where the function went on after an error.
            _renew_savepoint(connection)
        except DBAPIError as error:
            if is_transient(error) or _is_over(connection, error):
                raise
            # The savepoint stays, and serves the next function.
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT one")
            job.fail(translate(error, connection.engine.url))
            return False
        except BaseException as fault:  # noqa: BLE001 -- raised where its caller waits
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT one")
            job.fail(fault)
            return False
        job.succeed(result)
        return uow.has_deleted


def _renew_savepoint(connection: Connection) -> None:
    # Without a release the next one would stand inside it, and the one after that inside both.
    if connection.dialect.name == "postgresql":
        # Both in one round trip.
        connection.exec_driver_sql("RELEASE SAVEPOINT one; SAVEPOINT one")
        return
    connection.exec_driver_sql("RELEASE SAVEPOINT one")
    connection.exec_driver_sql("SAVEPOINT one")


def _is_over(connection: Connection, error: DBAPIError) -> bool:
    """Whether an error ended the transaction and not only a statement of it."""
    if error.connection_invalidated:
        return True
    # A full or broken disk makes SQLite roll back everything; what follows would be committed
    # statement by statement.
    driver = connection.connection.driver_connection
    return connection.dialect.name == "sqlite" and driver is not None and not driver.in_transaction
