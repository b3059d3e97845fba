"""How is read what every request asks, without a thread and without a wait? On SQLite, at a glance.

To look up some rows of a file takes microseconds; to hand that over to a thread and back takes
many times as long, and so does what SQLAlchemy does for a statement. So what was built once is
compiled once and given to the driver in the thread that asks, were it an event loop's.
It waits for nobody: where the file is locked, or anything is wrong with it, whoever asks has to go
the long way, which waits and says what is wrong.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect, Engine

from evenhand.store.address import SQLITE
from evenhand.usecases.ports import NotAtHand, UnitOfWork

T = TypeVar("T")

_Make = Callable[[Connection], UnitOfWork]
_Statement = sa.Select[tuple[Any, ...]]


class Glances:
    """Reads a SQLite database over one connection of its own, which never waits.

    Args:
        engine: of the database.
        unit_of_work: the repositories over a connection.
    """

    def __init__(self, engine: Engine, unit_of_work: _Make) -> None:
        self._engine = engine
        self._unit_of_work = unit_of_work
        self._driver: sqlite3.Connection | None = None
        self._uow: UnitOfWork | None = None
        self._taken = threading.Lock()
        # Nor can another connection see what is in memory.
        self._has_file = engine.dialect.name == SQLITE and engine.url.database is not None

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which sees one state of the database.

        Args:
            work: executes nothing but queries that were built once, with values by name.

        Raises:
            NotAtHand: it would have to be waited for, or the database is no file.
        """
        if not self._has_file or not self._taken.acquire(blocking=False):
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
        driver, uow = self._driver, self._uow
        if driver is None or uow is None:
            driver, uow = self._open()
        driver.execute("BEGIN")
        try:
            return work(uow)
        finally:
            driver.execute("ROLLBACK")

    def _open(self) -> tuple[sqlite3.Connection, UnitOfWork]:
        dialect = self._engine.dialect
        places, named = dialect.create_connect_args(self._engine.url)
        options: dict[str, Any] = {**named, "timeout": 0, "check_same_thread": False}
        driver = sqlite3.connect(places[0], isolation_level=None, **options)
        try:
            driver.execute("PRAGMA query_only = ON")
        except sqlite3.Error:
            driver.close()
            raise
        self._driver = driver
        self._uow = self._unit_of_work(cast("Connection", _Direct(driver, dialect)))
        return driver, self._uow

    def _forget(self) -> None:
        driver, self._driver, self._uow = self._driver, None, None
        if driver is not None:
            with suppress(sqlite3.Error):
                driver.close()


class _Direct:
    """As much of SQLAlchemy's connection as queries need that were built once.

    Args:
        driver: what executes them.
        dialect: of SQLite.

    Attributes:
        dialect: as it was given.
    """

    def __init__(self, driver: sqlite3.Connection, dialect: Dialect) -> None:
        self._driver = driver
        self.dialect: Final = dialect
        self._compiled: dict[_Statement, _Compiled] = {}

    def execute(self, statement: _Statement, values: Mapping[str, object]) -> _Rows:
        """The rows of a query."""
        compiled = self._compiled.get(statement)
        if compiled is None:
            compiled = self._compiled[statement] = _compile(statement, self.dialect)
        cursor = self._driver.execute(compiled.text, compiled.values(values))
        return _Rows(compiled, cursor.fetchall())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    """A query as the driver takes it.

    Attributes:
        text: of it.
        names: of its values, in their order.
        stated: values that stand in the query itself.
        columns: what its rows hold, in their order.
        readers: place and reader of those columns whose values the driver gives otherwise.
    """

    text: str
    names: tuple[str, ...]
    stated: Mapping[str, object]
    columns: tuple[str, ...]
    readers: tuple[tuple[str, Callable[[Any], Any]], ...]

    def values(self, given: Mapping[str, object]) -> list[object]:
        """Values in the order of their marks."""
        stated = self.stated
        return [given[name] if name in given else stated[name] for name in self.names]

    def row(self, values: tuple[object, ...]) -> dict[str, Any]:
        """A row by the names of its columns."""
        found = dict(zip(self.columns, values, strict=True))
        for name, reader in self.readers:
            found[name] = reader(found[name])
        return found


class _Rows:
    """What a query gave."""

    def __init__(self, compiled: _Compiled, rows: list[tuple[object, ...]]) -> None:
        self._compiled = compiled
        self._rows = rows

    def mappings(self) -> _Rows:
        """The rows by the names of their columns."""
        return self

    def first(self) -> dict[str, Any] | None:
        """The first of them; None where there is none."""
        return self._compiled.row(self._rows[0]) if self._rows else None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._compiled.row, self._rows)


def _compile(statement: _Statement, dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    columns = [(str(one.key), one.type) for one in statement.selected_columns]
    readers = ((name, type_.result_processor(dialect, None)) for name, type_ in columns)
    return _Compiled(
        text=str(compiled),
        names=tuple(compiled.positiontup or ()),
        stated=compiled.params,
        columns=tuple(name for name, _ in columns),
        readers=tuple((name, reader) for name, reader in readers if reader is not None),
    )
