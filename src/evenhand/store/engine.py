"""How is a database reached? One engine per URL, with the rules that hold on every connection.

What differs between SQLite and PostgreSQL about connections and transactions is here and nowhere
else. No statement's parameters and no rows are ever logged or put into an error.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from evenhand.core.errors import MissingExtra
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.address import SQLITE, parsed_url
from evenhand.store.server import Waits, configure_server, server_arguments

#: How long a statement waits for somebody else's lock before it gives up.
LOCK_SECONDS: Final = 10
#: How long one statement of a hub or a command may take on a server; a migration, a restore, a
#: backup or a check of the whole may take longer.
STATEMENT_SECONDS: Final = 300
#: The same as the first for a migration, which may have to wait for another one to end.
MIGRATION_LOCK_SECONDS: Final = 60

_LOGGING_NAME: Final = "evenhand"
_READS_ONLY: Final = "evenhand_reads_only"
#: Where a connection keeps that it takes no writes; of `store.readers`.
ONLY_READS: Final = "evenhand_only_reads"
_UNKNOWN: Final = (
    "the connection to the database was lost while a commit was on its way: what was asked for may"
    " be stored or not; look before it is asked for again"
)
_WENT_ON: Final = "the database took back what was asked for after an error; nothing is stored"
#: As libpq counts; the driver, which has a name for it, is an optional part.
_IN_FAILED_TRANSACTION: Final = 3
_NOT_WIPED: Final = (
    "what was deleted is gone from the store, but the log beside its file could not be emptied"
)


def create_engine(url: str, *, statement_seconds: int | None = None) -> Engine:
    """The engine of a database, with foreign keys on. Nothing is connected yet.

    Args:
        url: ``sqlite:///FILE`` or ``postgresql://…``.
        statement_seconds: how long a statement of a server may take, where neither URL, role nor
            database says so; None for as long as it takes.

    Raises:
        InvalidSetting: another kind of URL; the URL, which may hold a password, is not repeated.
        MissingExtra: the driver is not installed.
    """
    return _engine(
        url,
        foreign_keys=True,
        waits=Waits(lock_seconds=LOCK_SECONDS, statement_seconds=statement_seconds),
    )


def create_migration_engine(url: str) -> Engine:
    """The engine that migrations run on: no pool, longer waits, on SQLite foreign keys off.

    A table that is rebuilt would otherwise delete its children; the keys are checked afterwards.

    Raises:
        InvalidSetting, MissingExtra: as :func:`create_engine`.
    """
    return _engine(
        url,
        foreign_keys=False,
        waits=Waits(lock_seconds=MIGRATION_LOCK_SECONDS, statement_seconds=None),
        poolclass=NullPool,
    )


def database_file(url: str) -> Path | None:
    """The file of a SQLite database, None for a server.

    Raises:
        InvalidSetting: not a URL of a database that Evenhand knows.
    """
    parsed = parsed_url(url)
    return Path(str(parsed.database)) if parsed.get_backend_name() == SQLITE else None


def prepare_folder(path: Path) -> None:
    """Make the folder of the embedded store: for its owner only, and out of version control.

    A folder that is there keeps its contents; its mode is narrowed, and ``.gitignore`` is written
    only where there is none.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    ignore = path / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def prepare_file(path: Path) -> None:
    """Make the empty file of a SQLite database, for its owner only, in the mode that stays.

    The write-ahead log takes the mode of the file, so it has to be right before the first
    connection. A folder that is missing is made as :func:`prepare_folder` makes it; a folder that
    is there may be somebody's own and is left alone.

    Raises:
        DatabaseUnavailable: the folder or the file cannot be made.
    """
    try:
        if not path.parent.exists():
            prepare_folder(path.parent)
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as error:
        raise DatabaseUnavailable(_cannot_be_made(error)) from None


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that sees one state of the database and can change nothing."""
    options: dict[str, Any] = {_READS_ONLY: True}
    if engine.dialect.name != SQLITE:
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        if engine.dialect.name != SQLITE or ONLY_READS in connection.info:
            yield connection
            return
        connection.exec_driver_sql("PRAGMA query_only = ON")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("PRAGMA query_only = OFF")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction: committed where the block ends, else rolled back.

    Raises:
        DatabaseUnavailable: code ``outcome_unknown``, where the connection was lost while the
            commit was on its way: nobody here can tell whether it took place.
    """
    with engine.connect() as connection, connection.begin() as transaction:
        yield connection
        if not is_usable(connection):
            raise DatabaseUnavailable(_WENT_ON)
        try:
            transaction.commit()
        except DBAPIError as error:
            if not error.connection_invalidated:
                # SQLite leaves a transaction open that could not be committed.
                transaction.rollback()
                raise
        else:
            return
    # Outside the block: an error of ours must not carry the driver's as its context.
    raise DatabaseUnavailable(_UNKNOWN, code="outcome_unknown")


@contextmanager
def waiting_less(connection: Connection) -> Iterator[None]:
    """Do not wait, in this block, for the rows that are added to a database on a server.

    Raises:
        DBAPIError: a statement failed, which need not be the one that it is raised at.
    """
    if connection.dialect.name == SQLITE:
        yield
        return
    from evenhand.store.pipelines import pipelined  # an optional part

    with pipelined(connection):
        yield


def is_usable(connection: Connection) -> bool:
    """Whether what is done in a transaction can still be committed; asks nobody.

    PostgreSQL rolls back without a word what is committed after an error that somebody swallowed;
    and where SQLite has ended the transaction, there is nothing to commit.
    """
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == SQLITE:
        return bool(driver.in_transaction)
    return bool(driver.info.transaction_status != _IN_FAILED_TRANSACTION)


def wipe_log(engine: Engine) -> None:
    """Move SQLite's write-ahead log into the file and empty it, so that what was deleted is gone.

    Does what it can while others read; on PostgreSQL this is the server's business.

    Raises:
        DatabaseUnavailable: the disk failed.
    """
    if engine.dialect.name != SQLITE:
        return
    try:
        # A raw connection: a checkpoint cannot run inside a transaction.
        with closing(engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error:
        failure = DatabaseUnavailable(_NOT_WIPED)
    else:
        return
    raise failure


def configure_connection(connection: sqlite3.Connection, *, foreign_keys: bool) -> None:
    """Let the rules hold on a connection to SQLite that was just opened."""
    # The driver would begin transactions by itself, late and never for DDL.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
    # REPLACE would otherwise delete without the triggers that make a table append-only.
    cursor.execute("PRAGMA recursive_triggers = ON")
    # What is deleted is overwritten, not only unlinked.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _engine(
    url: str, *, foreign_keys: bool, waits: Waits, poolclass: type[NullPool] | None = None
) -> Engine:
    parsed = parsed_url(url)
    on_sqlite = parsed.drivername == SQLITE
    # A server may have been restarted since a connection was last used; a file never is. The
    # connection that was used last knows the statements that come again.
    options: dict[str, Any] = {} if on_sqlite else {"pool_pre_ping": True, "pool_use_lifo": True}
    if poolclass is not None:
        options = {"poolclass": poolclass}
    arguments: dict[str, Any] = (
        {"timeout": waits.lock_seconds} if on_sqlite else server_arguments(parsed)
    )
    # At DEBUG SQLAlchemy logs the rows that a query gave, whatever hide_parameters says; at INFO
    # it makes a line of each statement even where nobody reads it.
    logging.getLogger(f"sqlalchemy.engine.Engine.{_LOGGING_NAME}").setLevel(logging.WARNING)
    try:
        engine = sa.create_engine(
            parsed,
            hide_parameters=True,
            logging_name=_LOGGING_NAME,
            connect_args=arguments,
            **options,
        )
    except ModuleNotFoundError as error:
        raise MissingExtra("PostgreSQL", "postgres") from error
    if on_sqlite:
        _configure_sqlite(engine, foreign_keys=foreign_keys)
    else:
        configure_server(engine, waits)
    return engine


def _configure_sqlite(engine: Engine, *, foreign_keys: bool) -> None:
    @event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
        configure_connection(connection, foreign_keys=foreign_keys)

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        if connection.get_execution_options().get(_READS_ONLY, False):
            connection.exec_driver_sql("BEGIN")
            return
        # The mode is a property of the file. Only a writer sets it, so that a look at a file,
        # which may be somebody else's, changes nothing; and it asks first, because setting it
        # takes a lock even where it is set.
        if connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        # A transaction that writes begins as a writer: one that upgrades later can fail at once
        # with "database is locked", whatever the timeout.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _cannot_be_made(error: OSError) -> str:
    return f"the database cannot be made: {error.strerror or type(error).__name__}"
