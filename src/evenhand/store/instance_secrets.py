"""Secrets of this installation: made once, named by version, in no archive."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from evenhand.store.tables import instance_secret
from evenhand.store.times import time_to_text


class SqlInstanceSecrets:
    """The secrets of one open transaction; implements `ports.InstanceSecretRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find_latest(self, name: str) -> tuple[int, bytes] | None:
        """Version and value of the newest secret of a name."""
        row = self._connection.execute(
            sa.select(instance_secret.c.version, instance_secret.c.value)
            .where(instance_secret.c.name == name)
            .order_by(instance_secret.c.version.desc())
            .limit(1)
        ).first()
        return None if row is None else (row.version, bytes(row.value))

    def add(self, name: str, version: int, value: bytes, *, at: datetime) -> None:
        """Keep one, unless another transaction has kept one of this version already."""
        on_server = self._connection.dialect.name == "postgresql"
        insert = postgresql_insert if on_server else sqlite_insert
        self._connection.execute(
            insert(instance_secret)
            .values(name=name, version=version, value=value, created_at=time_to_text(at))
            .on_conflict_do_nothing()
        )
