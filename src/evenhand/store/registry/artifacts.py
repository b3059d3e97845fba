"""Artifacts in rows."""

from __future__ import annotations

from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.registered import Noun
from evenhand.store.registry.registered import Row, SqlRegistered, registered_row
from evenhand.store.tables import artifact
from evenhand.store.times import text_to_time


def artifacts_in(connection: Connection) -> SqlRegistered[Artifact]:
    """The artifacts of one open transaction."""
    return SqlRegistered(
        connection,
        noun=Noun.ARTIFACT,
        table=artifact,
        to_row=_to_row,
        to_value=row_to_artifact,
    )


def row_to_artifact(row: RowMapping) -> Artifact:
    """The artifact of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Artifact(
        id=row["id"],
        created_at=text_to_time(row["created_at"]),
        name=row["name"],
        digest=row["digest"],
        model=row["model"],
    )


def _to_row(one: Artifact) -> Row:
    return {**registered_row(one), "digest": one.digest, "model": one.model}
