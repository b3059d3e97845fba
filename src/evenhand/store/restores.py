"""Was this database filled from an archive, and did that come to its end?

A restore is one transaction, so a marker that is not finished is never committed by Evenhand
itself. Should there be one, what has to be done after a restore was skipped: intents could look
claimed whose holders are gone. Then nothing but the restore may use the database (G-61).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.database import DatabaseNotReady
from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.store.schema import table_names
from evenhand.store.tables import restore_marker
from evenhand.store.times import time_to_text

LOADED: Final = "loaded"
FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What a database says of the restore that filled it.

    Attributes:
        id: UUIDv7.
        at: when, as it is stored.
        archive_digest: of the archive.
        is_finished: whether all that follows the loading was done.
        content_digest: of what the database held at the end, None before.
    """

    id: str
    at: str
    archive_digest: str
    is_finished: bool
    content_digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFacts:
    """What a marker keeps of an archive.

    Attributes:
        digest: its own.
        revision: of its schema.
        release: that wrote it.
        created_at: when, as it says.
    """

    digest: str
    revision: str
    release: str
    created_at: str


def find_marker(connection: Connection) -> Marker | None:
    """The marker of a database, None where no archive filled it, or of a revision before markers."""
    if restore_marker.name not in table_names(connection):
        return None
    row = connection.execute(sa.select(restore_marker)).mappings().first()
    if row is None:
        return None
    return Marker(
        id=row["id"],
        at=row["at"],
        archive_digest=row["archive_digest"],
        is_finished=row["state"] == FINISHED,
        content_digest=row["content_digest"],
    )


def require_finished(connection: Connection) -> None:
    """Refuse a database in which a restore was begun and not finished.

    Raises:
        DatabaseNotReady: code ``restore_unfinished``; the message names the command.
    """
    marker = find_marker(connection)
    if marker is not None and not marker.is_finished:
        raise DatabaseNotReady(_UNFINISHED, code="restore_unfinished")


def add_loaded(
    connection: Connection,
    *,
    id: str,  # noqa: A002 -- the column's name
    at: datetime,
    actor: str,
    archive: ArchiveFacts,
) -> None:
    """Say that an archive was loaded, and that what follows is not done yet."""
    connection.execute(
        restore_marker.insert().values(
            id=id,
            at=time_to_text(at),
            actor=actor,
            archive_digest=archive.digest,
            archive_revision=archive.revision,
            archive_release=archive.release,
            archive_created_at=archive.created_at,
            state=LOADED,
            steps=json_ascii_v1([]),
            content_digest=None,
        )
    )


def set_finished(connection: Connection, *, steps: Sequence[str], content_digest: str) -> None:
    """Say that all steps were done, and what the database holds now."""
    connection.execute(
        restore_marker.update()
        .where(restore_marker.c.state == LOADED)
        .values(state=FINISHED, steps=json_ascii_v1(list(steps)), content_digest=content_digest)
    )


_UNFINISHED: Final = (
    "an archive was loaded into this database and what has to follow was not done: run"
    " evenhand db restore with the same archive"
)
