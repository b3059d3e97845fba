"""What does a reader find where there is no store yet? Every table, and no row in any.

To look must make nothing: no file, no folder, no table on a server.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from evenhand.store.tables.base import metadata
from evenhand.store.uow import Database
from evenhand.usecases.ports import Clock, Ids


def open_nothing(*, clock: Clock, ids: Ids) -> Database:
    """The runner of a store that holds nothing, in memory; for `Database.read` only."""
    # One connection: with it the database would be gone.
    engine = sa.create_engine("sqlite://", hide_parameters=True, poolclass=StaticPool)
    metadata.create_all(engine)
    return Database(engine, clock=clock, ids=ids)
