"""Which database does a URL name? Nothing of a URL, which may hold a password, is ever repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from evenhand.core.errors import InvalidSetting
from evenhand.store.unreachable import shown_name

SQLITE: Final = "sqlite"
_MEMORY: Final = ("", ":memory:", None)


def parsed_url(url: str) -> URL:
    """A URL in its parts.

    Raises:
        InvalidSetting: not a URL of a database that Evenhand knows.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # ValueError: a port that is no number. Neither is passed on, since it repeats the URL.
        raise InvalidSetting("database_url", "is not a database URL") from None
    if parsed.drivername not in (SQLITE, "postgresql", "postgresql+psycopg"):
        raise InvalidSetting("database_url", "must start with sqlite:/// or postgresql://")
    if parsed.drivername == SQLITE and not _names_a_file(parsed):
        raise InvalidSetting("database_url", "must name a file, without options")
    if "@" in (parsed.host or ""):
        # Part of a password would pass as the server's name.
        raise InvalidSetting("database_url", "must have %40 for an @ in user or password")
    if parsed.drivername != SQLITE:
        _require_known_options(parsed)
    return parsed


def _require_known_options(url: URL) -> None:
    try:
        from psycopg import pq  # the driver is an optional part
    except ImportError:
        return
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    unknown = sorted(set(url.query) - known)
    if unknown:
        raise InvalidSetting("database_url", _unknown_option(unknown))


def _unknown_option(names: Sequence[str]) -> str:
    return f"has an option that PostgreSQL does not know:{','.join(map(shown_name, names))}"


def _names_a_file(url: URL) -> bool:
    # Options could make it read-only, or another file than the one that is looked for here.
    return not (url.database in _MEMORY or url.query or str(url.database).startswith("file:"))
