"""How does work on a whole database run: a look at it, or a change under the migrations' lock?

For whoever comes before there is a `uow.Database`: migrations, checks, backup and restore.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable
from evenhand.store.engine import (
    create_engine,
    create_migration_engine,
    database_file,
    reading,
)
from evenhand.store.errors import translate

T = TypeVar("T")

#: Any number that is the same in every process: the key of the lock that migrations hold.
_LOCK_KEY: Final = 0x45_76_65_6E
_GONE: Final = "the file of the database was taken away meanwhile; nothing was changed, try again"


def look(url: str, work: Callable[[Connection], T], *, absent: T) -> T:
    """Result of work that sees one state of a database; ``absent`` where there is no file.

    Raises:
        InvalidSetting, MissingExtra: the URL, or its driver, cannot be used.
        DatabaseUnavailable: the database cannot be reached or read.
    """
    file = database_file(url)
    if file is not None and not file.exists():
        return absent
    engine = create_engine(url)
    try:
        with reading(engine) as connection:
            return work(connection)
    except DBAPIError as error:
        failure = translate(error, engine.url)
    finally:
        engine.dispose()
    raise failure


def change(url: str, work: Callable[[Connection], T]) -> T:
    """Result of work in one transaction, one such work at a time; the file has to be there.

    On SQLite no foreign key is enforced meanwhile: all are checked at the end.

    Raises:
        DatabaseNotReady: rows without their parent would remain; code ``unclean_database``.
        ConstraintRefused, DatabaseUnavailable, InvalidSetting, MissingExtra: as they say.
    """
    file = database_file(url)
    engine = create_migration_engine(url)
    try:
        with _locked(engine) as connection:
            if file is not None and not file.exists():
                # Taken away by `remove_empty` while this waited for its lock.
                raise DatabaseUnavailable(_GONE)
            return work(connection)
    except DBAPIError as error:
        failure = translate(error, engine.url)
    finally:
        engine.dispose()
    raise failure


def remove_empty(file: Path) -> None:
    """Take away a SQLite file that holds nothing, for whoever made it and put nothing in.

    Left where it is if somebody else put something in, or holds it open. Who waits for it to
    change it finds it gone, see :func:`change`.
    """
    # Whatever is in the way of this, the file stays, and what went wrong before is what is told.
    with suppress(sqlite3.Error, OSError), closing(_sole_connection(file)) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            file.unlink()


def _sole_connection(file: Path) -> sqlite3.Connection:
    """A connection that holds the writers' lock, to a file that nobody else has open."""
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=0)
    try:
        connection.isolation_level = None
        # Without its log, which nobody can end while others have the file open.
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection


def orphaned_tables(connection: Connection) -> tuple[str, ...]:
    """Tables that hold a row without its parent; PostgreSQL lets none come to be."""
    if connection.dialect.name != "sqlite":
        return ()
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return tuple(sorted({str(row[0]) for row in broken}))


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    # On SQLite the transaction itself, begun as a writer, is the lock.
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_KEY)))
        yield connection
        orphaned = orphaned_tables(connection)
        if orphaned:
            raise DatabaseNotReady(_orphans(orphaned), code="unclean_database")


def _orphans(tables: Sequence[str]) -> str:
    named = ", ".join(tables)
    return f"rows without their parent would remain in: {named}; nothing was changed"
