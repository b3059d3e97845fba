"""How does an empty database get its schema at once, without a walk through every migration?

``snapshot.json`` holds, per kind of database, statements that make what the migrations up to a
revision make; ``tools/lineage.py`` records them, and a test compares both ways. It counts for the
chain that it was recorded from and for no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy.engine import Connection

from evenhand.store.lineage import MIGRATIONS, Step

SNAPSHOT_FILE: Final = MIGRATIONS / "snapshot.json"


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A schema as statements.

    Attributes:
        revision: of the last migration that is in it.
        chain: digest of the chain up to that.
        sqlite: statements for an empty file.
        postgresql: statements for a schema without our tables.
    """

    revision: str
    chain: str
    sqlite: tuple[str, ...]
    postgresql: tuple[str, ...]


def load_snapshot() -> Snapshot:
    """What was recorded for this release."""
    return msgspec.json.decode(SNAPSHOT_FILE.read_bytes(), type=Snapshot)


def make_at_once(connection: Connection, wanted: Sequence[Step]) -> int:
    """Make the schema of the first of some steps in a database that holds nothing of ours.

    Args:
        connection: in a transaction.
        wanted: the chain from its beginning to the revision that the database shall reach.

    Returns:
        How many steps are made: up to the recorded revision, or none where that is not among
        them.
    """
    recorded = load_snapshot()
    reached = [(step.revision, step.chain) for step in wanted]
    if (recorded.revision, recorded.chain) not in reached:
        return 0
    statements: tuple[str, ...] = getattr(recorded, connection.dialect.name)
    for statement in statements:
        connection.exec_driver_sql(statement)
    return reached.index((recorded.revision, recorded.chain)) + 1
