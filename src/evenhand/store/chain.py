"""The migrations as Alembic runs them. Imported only when one has to run: it is slow to load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from evenhand.store.lineage import MIGRATIONS

#: In each migration: the tables that have to be empty before it may be undone.
GUARD_ATTRIBUTE: Final = "MUST_BE_EMPTY"


def upgrade(connection: Connection, revision: str) -> None:
    """Run the migrations up to a revision, inside the connection's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Undo the migrations after a revision, inside the connection's transaction."""
    command.downgrade(_config(connection), revision)


def must_be_empty(revisions: Sequence[str]) -> tuple[str, ...]:
    """The tables that have to be empty before these revisions may be undone."""
    listed = scripts()
    named = (
        table
        for revision in revisions
        for table in getattr(listed.get_revision(revision).module, GUARD_ATTRIBUTE)
    )
    return tuple(dict.fromkeys(named))


def scripts() -> ScriptDirectory:
    """The migrations on disk."""
    return ScriptDirectory.from_config(_config(None))


def _config(connection: Connection | None) -> Config:
    config = Config()
    # The option is interpolated, and a path may hold a percent sign.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
