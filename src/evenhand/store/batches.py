"""How do several functions share one commit, and what becomes of the others where one fails?

While everything goes well they run one after the other in one transaction, and nothing is spent on
what might go wrong. Where one fails, all is rolled back and they are run again, each in a
savepoint, so that one takes back what it did and nothing of the others' (ADR 26).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.additions import Additions
from evenhand.store.engine import is_usable, waiting_less, wipe_log, writing
from evenhand.store.errors import broken_constraint, is_transient, translate
from evenhand.store.jobs import Job, fail
from evenhand.store.times import SharedTime
from evenhand.store.uow import Database

#: For how many batches after one in which a function failed each function has a savepoint from the
#: start: where failures are common, running everything twice would cost more than savepoints do.
CAREFUL_BATCHES: Final = 16
_Way: TypeAlias = Callable[[Connection, Sequence[Job]], list[Job]]


class Batches:
    """Runs functions together; in one thread.

    Args:
        database: what is written to.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        #: For how many batches more each function has a savepoint.
        self._careful = 0
        self._additions = Additions(database.engine, database.unit_of_work)

    def run(self, batch: Sequence[Job]) -> None:
        """Give each function its answer: what it gave once that is committed, or its failure."""
        waiting = list(batch)
        if all(job.only_adds for job in waiting) and self._additions.run(waiting):
            return
        if len(waiting) > 1 and not self._careful:
            try:
                if self._together(waiting, self._all_in_turn):
                    return
            except _Failed:
                self._careful = CAREFUL_BATCHES
        if len(waiting) > 1 and self._careful:
            self._careful -= 1
            if self._together(waiting, self._each_in_savepoint):
                return
        # One function needs nothing that keeps it apart from others.
        for job in waiting:
            self._alone(job)

    def close(self) -> None:
        """Close the connection that is these functions' own."""
        self._additions.close()

    def _alone(self, job: Job) -> None:
        """Run one function in a transaction of its own, a bounded number of times."""
        try:
            job.succeed(self._database.run(job))
        except BaseException as fault:  # noqa: BLE001 -- raised where its caller waits
            job.fail(fault)

    def _together(self, batch: Sequence[Job], run: _Way) -> bool:
        """Run functions in one transaction; whether that gave each its answer.

        It does not where nothing was committed by the fault of one function at most: a deadlock
        with another process, or a constraint that is looked at in the end.

        Raises:
            _Failed: ``run`` did; nothing was committed.
        """
        engine = self._database.engine
        failure: EvenhandError
        try:
            with writing(engine) as connection:
                deleted = run(connection, batch)
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

    def _all_in_turn(self, connection: Connection, batch: Sequence[Job]) -> list[Job]:
        """Run functions with nothing around each; those that deleted rows.

        Raises:
            _Failed: one did not succeed, and what it did is still in the transaction.
            DBAPIError: the transaction as a whole is lost.
        """
        time = self._database.shared_time(connection)
        try:
            with waiting_less(connection):
                return [job for job in batch if self._in_turn(connection, time, job)]
        except DBAPIError as error:
            if is_transient(error) or error.connection_invalidated:
                raise
            # Of which function it is cannot be told.
            raise _Failed from None

    def _in_turn(self, connection: Connection, time: SharedTime, job: Job) -> bool:
        uow = self._database.unit_of_work(connection, time)
        try:
            result = job(uow)
        except DBAPIError:
            raise
        except BaseException:  # noqa: BLE001 -- it may be another one when it is run again
            raise _Failed from None
        if not is_usable(connection):
            raise _Failed
        job.succeed(result)
        return uow.has_deleted

    def _each_in_savepoint(self, connection: Connection, batch: Sequence[Job]) -> list[Job]:
        """Run functions each in a savepoint; those that deleted rows.

        Raises:
            DBAPIError: the transaction as a whole is lost.
        """
        return [job for job in batch if self._in_savepoint(connection, job)]

    def _in_savepoint(self, connection: Connection, job: Job) -> bool:
        """Run one function in a savepoint; whether it deleted rows.

        Whatever it raises takes back what it did.

        Raises:
            DBAPIError: the transaction as a whole is lost.
        """
        uow = self._database.unit_of_work(connection)
        connection.exec_driver_sql("SAVEPOINT one")
        try:
            result = job(uow)
            # On PostgreSQL it is refused where the function went on after an error. Without it
            # the next would stand inside this one.
            connection.exec_driver_sql("RELEASE SAVEPOINT one")
        except DBAPIError as error:
            if is_transient(error) or error.connection_invalidated or _is_over(connection):
                raise
            self._take_back(connection)
            job.fail(translate(error, connection.engine.url))
            return False
        except BaseException as fault:  # noqa: BLE001 -- raised where its caller waits
            self._take_back(connection)
            job.fail(fault)
            return False
        job.succeed(result)
        return uow.has_deleted

    def _take_back(self, connection: Connection) -> None:
        self._careful = CAREFUL_BATCHES
        connection.exec_driver_sql("ROLLBACK TO SAVEPOINT one")
        connection.exec_driver_sql("RELEASE SAVEPOINT one")


class _Failed(Exception):
    """A function of a batch did not succeed, and has to be taken back with all the others."""


def _is_over(connection: Connection) -> bool:
    """Whether SQLite ended the transaction, as it does where the disk is full or broken.

    What follows would be committed statement by statement.
    """
    return connection.dialect.name == "sqlite" and not is_usable(connection)
