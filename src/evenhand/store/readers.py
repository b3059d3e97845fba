"""Which connections do those have that only read? On SQLite connections of their own."""

from __future__ import annotations

import sqlite3

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import ConnectionPoolEntry

from evenhand.store.address import SQLITE
from evenhand.store.engine import ONLY_READS, create_engine


def readers_of(engine: Engine) -> Engine:
    """An engine of the same database whose connections can change nothing.

    SQLite prepares every statement of a connection anew once it was told to refuse writes, or to
    take them again, and to prepare one takes several times as long as to run it. So a connection
    is told once. A server is told with each transaction, at no cost: there it is the same engine.
    """
    if engine.dialect.name != SQLITE or engine.url.database is None:
        # Nor can another connection see what is in memory.
        return engine
    readers = create_engine(engine.url.render_as_string(hide_password=False))

    @event.listens_for(readers, "connect")
    def _on_connect(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        connection.execute("PRAGMA query_only = ON")
        entry.info[ONLY_READS] = True

    return readers
