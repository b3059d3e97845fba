"""How are rows added that many requests wait for? On SQLite, by the driver itself.

As `batches` does it, with less between: a transaction with a few rows costs SQLite less than
SQLAlchemy takes to make it ready. Whatever goes wrong is taken back and done the long way, where
it is told what was wrong, and of which function.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress

from sqlalchemy.engine import Connection, Engine

from evenhand.store.direct import Direct, has_file
from evenhand.store.jobs import Job
from evenhand.usecases.ports import UnitOfWork


class Additions:
    """Runs functions that add rows, and nothing else, in one transaction; in one thread.

    Args:
        engine: of the database.
        unit_of_work: the repositories over a connection.
    """

    def __init__(self, engine: Engine, unit_of_work: Callable[[Connection], UnitOfWork]) -> None:
        self._engine = engine
        self._unit_of_work = unit_of_work
        self._opened: tuple[Direct, UnitOfWork] | None = None

    def run(self, batch: Sequence[Job]) -> bool:
        """Give each function its answer once it is committed; whether that was done.

        Otherwise nothing was stored, and it is for somebody who waits for locks.
        """
        if not has_file(self._engine):
            return False
        try:
            results = self._committed(batch)
        except Exception:  # noqa: BLE001 -- raised anew by whoever does it the long way
            # That also rolls back.
            self.close()
            return False
        if results is None:
            return False
        for job, result in zip(batch, results, strict=True):
            job.succeed(result)
        return True

    def close(self) -> None:
        """Close the connection; the next batch opens another."""
        if self._opened is not None:
            self._opened[0].close()
        self._opened = None

    def _committed(self, batch: Sequence[Job]) -> list[object] | None:
        """What each gave; None where somebody else writes at this moment."""
        direct, uow = self._opened or self._open()
        with suppress(sqlite3.OperationalError):
            direct.driver.execute("BEGIN IMMEDIATE")
        if not direct.driver.in_transaction:
            return None
        results = [job(uow) for job in batch]
        direct.driver.execute("COMMIT")
        return results

    def _open(self) -> tuple[Direct, UnitOfWork]:
        direct = Direct(self._engine)
        self._opened = direct, self._unit_of_work(direct.as_connection)
        if direct.driver.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # The long way makes it so, with the first thing that is written.
            raise sqlite3.NotSupportedError
        return self._opened
