"""May a database be used as it is? Where it stands, and what is wrong with its schema.

A revision string does not prove a compatible database (C-126), so the lineage is compared, and
then the schema as it really is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.database import DatabaseNotReady
from evenhand.store.lineage import Status, compare_lineage, head, load_lineage
from evenhand.store.restores import require_finished
from evenhand.store.schema import Drift, find_drift, known_tables, table_names
from evenhand.store.tables import schema_lineage

#: Alembic's own note; it stands on no metadata, since it makes the table itself.
VERSION_TABLE: Final = "alembic_version"
_VERSION: Final = sa.column("version_num", sa.Text)


@dataclass(frozen=True, slots=True)
class State:
    """Where a database stands, and at which revision; None before the first."""

    status: Status
    revision: str | None


def read_state(connection: Connection) -> State:
    """Where a database stands; changes nothing."""
    names = table_names(connection)
    version: str | None = None
    if VERSION_TABLE in names:
        versions = connection.scalars(
            sa.select(_VERSION).select_from(sa.table(VERSION_TABLE))
        ).all()
        if len(versions) > 1:
            return State(Status.FOREIGN, None)
        version = versions[0] if versions else None
    applied: list[tuple[str, str]] = []
    if schema_lineage.name in names:
        rows = connection.execute(sa.select(schema_lineage).order_by(schema_lineage.c.revision))
        applied = [(row.revision, row.chain_digest) for row in rows]
    where = compare_lineage(applied, load_lineage(), version)
    if where is Status.ABSENT and _is_taken(connection, names - {VERSION_TABLE}):
        where = Status.FOREIGN
    return State(where, version)


def _is_taken(connection: Connection, names: frozenset[str]) -> bool:
    # A file with somebody else's tables is somebody else's file. A schema of a server is often
    # shared; there only tables with our names are in the way.
    return bool(names if connection.dialect.name == "sqlite" else names & known_tables())


def require_status(state: State) -> None:
    """Refuse a database that is not at the newest revision of this release's chain.

    Raises:
        DatabaseNotReady: absent, behind, ahead or foreign; the message says what helps.
    """
    match state.status:
        case Status.ABSENT:
            why = "there is no database yet: evenhand db upgrade makes it"
            raise DatabaseNotReady(why, code="database_absent")
        case Status.BEHIND:
            raise DatabaseNotReady(_behind(state.revision))
        case Status.AHEAD:
            raise DatabaseNotReady(_ahead(state.revision), code="database_ahead")
        case Status.FOREIGN:
            raise DatabaseNotReady(_FOREIGN, code="foreign_lineage")
        case Status.CURRENT:
            return


def require_current(connection: Connection) -> Status:
    """``current``, of a database whose schema is right, too; or ``absent``.

    Raises:
        DatabaseNotReady: anything else.
    """
    state = read_state(connection)
    if state.status is not Status.ABSENT:
        require_status(state)
        require_no_drift(connection, head().revision)
        require_finished(connection)
    return state.status


def require_sound(connection: Connection) -> State:
    """Where a database stands that migrations may touch: none yet, behind or current.

    Raises:
        DatabaseNotReady: ahead, foreign, with a schema that its revision does not make, or in
            the middle of a restore.
    """
    state = read_state(connection)
    if state.status in (Status.AHEAD, Status.FOREIGN):
        require_status(state)
    if state.revision is not None:
        require_no_drift(connection, state.revision)
        require_finished(connection)
    return state


def require_no_drift(connection: Connection, revision: str) -> None:
    """Refuse a database whose schema is not what a revision makes; the objects are named.

    Raises:
        DatabaseNotReady: code ``schema_drift``.
    """
    drift = find_drift(connection, revision)
    if drift:
        raise DatabaseNotReady(_drifted(revision, drift), code="schema_drift")


_FOREIGN: Final = (
    "the database has another schema lineage than this release of Evenhand: give it a database of"
    " its own, or use the release that made this one"
)


def _behind(revision: str | None) -> str:
    return (
        f"the database is at {revision}, this release needs {head().revision}:"
        " run evenhand db upgrade"
    )


def _ahead(revision: str | None) -> str:
    return (
        f"the database is at {revision}, newer than this release of Evenhand ({head().revision})"
    )


def _drifted(revision: str, drift: Drift) -> str:
    return f"the schema is not what {revision} makes: {'; '.join(drift.lines())}"
