"""How is PostgreSQL told several things at once? Rows that are added wait for no answer.

What is added gives nothing back, so the next statement may go out behind it, and one round trip
carries both. An error then comes with a later statement, or at the end: good enough for whoever
rolls everything back and runs it again where it can be told which function it was.

Imported on PostgreSQL only: the driver is an optional part.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, Self
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

_ADDS: Final = "INSERT INTO "
#: What makes an INSERT give something back that somebody may look at.
_GIVES: Final = (" RETURNING ", " ON CONFLICT ")


class PipelineCursor(psycopg.Cursor[Any]):
    """A cursor that waits for each statement's end, but not for rows added while `pipelined`."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Send a statement; what it gives is there when this returns, if it gives anything."""
        super().execute(query, params, **options)
        opened = _OPENED.get(self.connection)
        if opened is not None and not _only_adds(str(query)):
            opened.pipeline.sync()
        return self


class _Opened:
    """A pipeline that is open, and the way to end it."""

    def __init__(self, driver: psycopg.Connection[Any]) -> None:
        self._stack = ExitStack()
        self.pipeline = self._stack.enter_context(driver.pipeline())

    def close(self) -> None:
        """Wait for everything that was sent."""
        try:
            self.pipeline.sync()
        finally:
            self._stack.close()


_OPENED: Final[WeakKeyDictionary[psycopg.Connection[Any], _Opened]] = WeakKeyDictionary()
# At WARNING the driver logs errors that nobody else hears of, with the row that was refused.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


@contextmanager
def pipelined(connection: Connection) -> Iterator[None]:
    """Do not wait, in this block, for the rows that are added.

    Args:
        connection: in a transaction, of an engine whose cursors are `PipelineCursor`.

    Raises:
        DBAPIError: one of the statements failed.
    """
    driver = _driver(connection)
    _OPENED[driver] = _Opened(driver)
    try:
        yield
    except BaseException:
        # The first error is the one that counts.
        with suppress(psycopg.Error):
            _close(driver)
        raise
    try:
        _close(driver)
    except psycopg.Error as error:
        failure = error
    else:
        return
    raise DBAPIError.instance(
        None,
        None,
        failure,
        psycopg.Error,
        hide_parameters=True,
        connection_invalidated=driver.broken,
        dialect=connection.dialect,
    ) from None


def end_pipeline(connection: Connection) -> None:
    """Wait from here on for every statement, as what is no plain statement needs it."""
    _close(_driver(connection))


def _close(driver: psycopg.Connection[Any]) -> None:
    opened = _OPENED.pop(driver, None)
    if opened is not None:
        opened.close()


def _driver(connection: Connection) -> psycopg.Connection[Any]:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)  # noqa: S101 -- nothing else is configured
    return driver


def _only_adds(statement: str) -> bool:
    return statement.startswith(_ADDS) and not any(one in statement for one in _GIVES)
