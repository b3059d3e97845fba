"""A database whose clock a test sets: of PostgreSQL the server's own, of SQLite the process's.

On PostgreSQL only the server's clock counts, so the test puts a function of the same name before
the server's, for this one database: every process that is connected to it has that time.
"""

from datetime import datetime

import psycopg
from psycopg import sql
from sqlalchemy.engine import make_url

from tests.builders import START

_CLOCK = """
    CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.instant (at timestamptz NOT NULL);
    INSERT INTO test_clock.instant VALUES ('2026-09-09T12:00:00Z');
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql VOLATILE AS 'SELECT at FROM test_clock.instant';
"""


class DatabaseClock:
    """The time of one database; also a `Clock` for whoever is wired with it.

    Args:
        url: of the database, which nobody is connected to yet.
    """

    def __init__(self, url: str) -> None:
        self._at = START
        self._server: psycopg.Connection[tuple[object, ...]] | None = None
        address = make_url(url)
        if address.get_backend_name() == "postgresql":
            plain = address.set(drivername="postgresql")
            connection = psycopg.connect(
                plain.render_as_string(hide_password=False), autocommit=True
            )
            connection.execute(_CLOCK)
            name = sql.Identifier(str(address.database))
            connection.execute(
                sql.SQL(
                    "ALTER DATABASE {} SET search_path TO public, test_clock, pg_catalog"
                ).format(name)
            )
            self._server = connection

    def now(self) -> datetime:
        """The time that it was set to."""
        return self._at

    def monotonic(self) -> float:
        """As many seconds as have been set since the start."""
        return (self._at - START).total_seconds()

    def set(self, at: datetime) -> None:
        """It is this time from now on, for everybody."""
        self._at = at
        if self._server is not None:
            self._server.execute("UPDATE test_clock.instant SET at = %s", [at])

    def close(self) -> None:
        """Let go of the server."""
        if self._server is not None:
            self._server.close()
