"""How is a statement given to SQLite's driver itself? Where each of many requests executes the same.

To make a statement of SQLAlchemy ready and to take a connection of its pool costs many times what
SQLite needs for some rows. So what the gateway does for every request has connections of its own,
as much of SQLAlchemy's connection as it needs, and queries that are compiled once. Such a connection
waits for nobody: where the file is locked, or anything is wrong, the same is done the long way, by
`store.uow`, which waits and says what is wrong.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect, Engine

from evenhand.store.address import SQLITE
from evenhand.store.engine import configure_connection

_Statement = sa.Select[tuple[Any, ...]]


def has_file(engine: Engine) -> bool:
    """Whether a database is a file: what is in memory no other connection can see."""
    return engine.dialect.name == SQLITE and engine.url.database is not None


class Direct:
    """A connection to a SQLite database; used by one thread at a time.

    Args:
        engine: of the database.

    Attributes:
        driver: the driver's own connection.
        dialect: of SQLite.

    Raises:
        sqlite3.Error: it cannot be opened.
    """

    def __init__(self, engine: Engine) -> None:
        self.dialect: Final = engine.dialect
        self.driver: Final = _connected(engine)
        self._compiled: dict[_Statement, _Compiled] = {}

    @property
    def as_connection(self) -> Connection:
        """As repositories take it; they may execute what is here and nothing else."""
        return cast("Connection", self)

    def execute(self, statement: _Statement, values: Mapping[str, object]) -> _Rows:
        """The rows of a query that was built once, with values by name."""
        compiled = self._compiled.get(statement)
        if compiled is None:
            compiled = self._compiled[statement] = _compile(statement, self.dialect)
        cursor = self.driver.execute(compiled.text, compiled.values(values))
        return _Rows(compiled, cursor.fetchall())

    def exec_driver_sql(self, statement: str, values: Sequence[object]) -> None:
        """Execute the text of a statement that gives nothing back."""
        self.driver.execute(statement, values)

    def close(self) -> None:
        """Close it; a transaction that is open is rolled back."""
        with suppress(sqlite3.Error):
            self.driver.close()


def _connected(engine: Engine) -> sqlite3.Connection:
    places, named = engine.dialect.create_connect_args(engine.url)
    options: dict[str, Any] = {**named, "timeout": 0, "check_same_thread": False}
    driver: sqlite3.Connection = sqlite3.connect(places[0], **options)
    try:
        configure_connection(driver, foreign_keys=True)
    except sqlite3.Error:
        driver.close()
        raise
    return driver


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    """A query as the driver takes it.

    Attributes:
        text: of it.
        names: of its values, in their order.
        stated: values that stand in the query itself.
        columns: what its rows hold, in their order.
        readers: name and reader of those columns whose values the driver gives otherwise.
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
    """What a query gave.

    Args:
        compiled: the query.
        rows: as the driver gave them.
    """

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
