"""Why can a database not be used, and what helps? The words for an error of the driver.

The driver's own message is looked at and never shown: it repeats what it was given. Of the URL
only the names of server and database are shown, and only where they read as names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, ProgrammingError

_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,253}")
#: What the driver's message holds → what is said. The first that fits.
_SERVER: Final = (
    (re.compile("database .* does not exist", re.S), "there is no such database on the server"),
    (
        re.compile("password|authentication|role .* does not exist|no pg_hba", re.I | re.S),
        "the server refused the user or the password",
    ),
    (re.compile("resolve host|translate host", re.I), "the server's name is not known"),
    (re.compile("refused"), "nothing answers at that address"),
    (re.compile("timeout|timed out", re.I), "the server did not answer in time"),
    (re.compile("No such file"), "there is no server at that socket"),
    (re.compile("too many", re.I), "the server takes no more connections"),
)
_NEEDS_FOLDER: Final = (
    "its folder may not be written to, which SQLite needs even to read, for the log beside the "
    "file; allow writing to the folder and the file, or read a copy in a folder of your own"
)
#: Name of an error of SQLite → what it means, beginning with the first that fits.
_FILE: Final = (
    (
        "SQLITE_READONLY_DIRECTORY",
        _NEEDS_FOLDER,
    ),
    ("SQLITE_READONLY", "the file may not be written to; allow it, or use a copy"),
    (
        "SQLITE_CANTOPEN",
        "the file cannot be opened; look at the permissions of the file and its folder",
    ),
    ("SQLITE_PERM", "the permissions of the file do not allow it"),
    ("SQLITE_FULL", "the disk is full"),
    ("SQLITE_IOERR", "the disk could not be read or written"),
)


def why_file(name: str, url: URL) -> str | None:
    """What is said of an error of SQLite, by the error's name; None where nothing is known."""
    for beginning, why in _FILE:
        if name.startswith(beginning):
            return f"the database file {Path(str(url.database)).name} cannot be used: {why}"
    return None


def why_server(error: DBAPIError, url: URL) -> str | None:
    """What is said where the driver failed without an answer of the server; None otherwise."""
    if isinstance(error, ProgrammingError) and error.statement is None:
        why = "an option of database_url has a value that PostgreSQL does not take"
        return f"{_named(url)} cannot be reached: {why}"
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    said = str(error.orig)
    for pattern, why in _SERVER:
        if pattern.search(said):
            return f"{_named(url)} cannot be reached: {why}"
    return f"{_named(url)} cannot be reached, or the connection was lost"


def shown_name(name: str | None) -> str:
    """A name with a blank before it; nothing where it does not read as one."""
    return f" {name}" if name is not None and _NAME.fullmatch(name) else ""


def _named(url: URL) -> str:
    host = shown_name(url.host)
    port = f":{url.port}" if host and url.port is not None else ""
    where = f" on{host}{port}" if host else ""
    return f"the database{shown_name(url.database)}{where}"
