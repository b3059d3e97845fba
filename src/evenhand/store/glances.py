"""How is read what every request asks, without a thread and without a wait? On SQLite, at a glance.

To look up some rows of a file takes microseconds; to hand that over to a thread and back takes
many times as long. So it is done in the thread that asks, were it an event loop's.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.engine import Connection, Engine

from evenhand.store.direct import Direct, has_file
from evenhand.usecases.ports import NotAtHand, UnitOfWork

T = TypeVar("T")


class Glances:
    """Reads a SQLite database over one connection of its own, which never waits.

    Args:
        engine: of the database.
        unit_of_work: the repositories over a connection.
    """

    def __init__(self, engine: Engine, unit_of_work: Callable[[Connection], UnitOfWork]) -> None:
        self._engine = engine
        self._unit_of_work = unit_of_work
        self._opened: tuple[Direct, UnitOfWork] | None = None
        self._taken = threading.Lock()

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which sees one state of the database and can change nothing.

        Args:
            work: executes nothing but queries that were built once, with values by name.

        Raises:
            NotAtHand: it would have to be waited for, or the database is no file.
        """
        if not has_file(self._engine) or not self._taken.acquire(blocking=False):
            raise NotAtHand
        try:
            return self._read(work)
        except sqlite3.Error:
            self._forget()
        finally:
            self._taken.release()
        # Outside the clause: the driver's error may hold a value.
        raise NotAtHand

    def close(self) -> None:
        """Close the connection; the next read opens another."""
        with self._taken:
            self._forget()

    def _read(self, work: Callable[[UnitOfWork], T]) -> T:
        direct, uow = self._opened or self._open()
        direct.driver.execute("BEGIN")
        try:
            return work(uow)
        finally:
            direct.driver.execute("ROLLBACK")

    def _open(self) -> tuple[Direct, UnitOfWork]:
        direct = Direct(self._engine)
        self._opened = direct, self._unit_of_work(direct.as_connection)
        # Once: SQLite prepares every statement anew after it.
        direct.driver.execute("PRAGMA query_only = ON")
        return self._opened

    def _forget(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
        self._opened = None
