"""How does work on a whole database run: a look at it, or a change under the migrations' lock?

For whoever comes before there is a `uow.Database`: migrations, checks, backup and restore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from evenhand.core.errors import DatabaseNotReady
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
    engine = create_migration_engine(url)
    try:
        with _locked(engine) as connection:
            return work(connection)
    except DBAPIError as error:
        failure = translate(error, engine.url)
    finally:
        engine.dispose()
    raise failure


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
