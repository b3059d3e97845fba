"""What does an error of the driver mean here? Driver errors become errors of ours, by name.

An error of the driver is never passed on or chained: PostgreSQL puts the refused row, text and
all, into its message.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import ConstraintRefused, DatabaseUnavailable
from evenhand.store.tables import metadata
from evenhand.store.unreachable import why_file, why_server

#: Deadlock and serialisation failure: the same work may succeed when it is run again.
_TRANSIENT: Final = ("40P01", "40001")
_LOCK_NOT_AVAILABLE: Final = "55P03"
_CANCELED: Final = "57014"
_INTEGRITY_CLASS: Final = "23"
_DATA_CLASS: Final = "22"
_DAMAGED_NAMES: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_TOO_LONG: Final = "a statement was cancelled: it took longer than statement_timeout lets it"
#: The code of a file that cannot be read as a database, or not in every part.
DAMAGED: Final = "database_damaged"


def is_transient(error: DBAPIError) -> bool:
    """Whether the database ended the transaction only because of what others did at that time."""
    return _sqlstate(error) in _TRANSIENT


def translate(error: DBAPIError, url: URL | None = None) -> EvenhandError:
    """The domain's error for an error of the driver; its message holds no value of any row.

    Args:
        error: of the driver.
        url: of the database, where the error may be that it cannot be used; its user, password
            and options are never shown.
    """
    # Of a value that it cannot hold the database is well, too; to try again would not help.
    constraint = broken_constraint(error) or _unstorable(error)
    if constraint is not None:
        return ConstraintRefused(constraint)
    state, name = _sqlstate(error), _sqlite_name(error)
    if state in (*_TRANSIENT, _LOCK_NOT_AVAILABLE) or name.startswith(
        ("SQLITE_BUSY", "SQLITE_LOCKED")
    ):
        why = "the database is locked by another writer; try again"
        return DatabaseUnavailable(why, code="database_busy")
    if state == _CANCELED:
        return DatabaseUnavailable(_TOO_LONG)
    if name.startswith(_DAMAGED_NAMES):
        why = "the database file is damaged, or is no SQLite database"
        return DatabaseUnavailable(why, code=DAMAGED)
    told = None
    if url is not None and state is None:
        told = why_file(name, url) if name else why_server(error, url)
    if told is not None:
        return DatabaseUnavailable(told)
    return DatabaseUnavailable(_unavailable(state or name or type(error.orig).__name__))


def _unstorable(error: DBAPIError) -> str | None:
    state = _sqlstate(error)
    is_data = state is not None and state.startswith(_DATA_CLASS)
    return f"a value that cannot be stored ({state})" if is_data else None


def broken_constraint(error: DBAPIError) -> str | None:
    """The name of the constraint or guard that refused a write, None for other errors."""
    state = _sqlstate(error)
    if state is not None:
        if not state.startswith(_INTEGRITY_CLASS):
            return None
        diagnosis = getattr(error.orig, "diag", None)
        column = getattr(diagnosis, "column_name", None)
        name = getattr(diagnosis, "constraint_name", None)
        return name or (f"not null {column}" if column else "unnamed constraint")
    if not _sqlite_name(error).startswith("SQLITE_CONSTRAINT"):
        return None
    return _sqlite_constraint(str(error.orig))


def _sqlite_constraint(message: str) -> str:
    """The name behind a message of SQLite, which names columns where a key is broken."""
    kind, _, named = message.partition(" constraint failed: ")
    if not named:
        # Either one of our triggers, whose message is the guard's name, or a foreign key, of
        # which SQLite never tells which one it is.
        return message if message.startswith("append_only_") else "foreign key"
    if kind == "UNIQUE":
        return _key_over(named) or named
    return f"not null {named}" if kind == "NOT NULL" else named


def _key_over(columns: str) -> str | None:
    wanted = [part.strip() for part in columns.split(",")]
    for table in metadata.tables.values():
        keys = [
            *(
                one
                for one in table.constraints
                if isinstance(one, sa.PrimaryKeyConstraint | sa.UniqueConstraint)
            ),
            *(index for index in table.indexes if index.unique),
        ]
        for key in keys:
            if wanted == [f"{table.name}.{column.name}" for column in key.columns]:
                return str(key.name)
    return None


def _sqlstate(error: DBAPIError) -> str | None:
    state: str | None = getattr(error.orig, "sqlstate", None)
    return state


def _sqlite_name(error: DBAPIError) -> str:
    name: str = getattr(error.orig, "sqlite_errorname", "")
    return name


def _unavailable(what: str) -> str:
    return f"the database did not answer as it should ({what})"
