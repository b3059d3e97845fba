"""How does a database come to the schema of this release, and may it be used as it is?

Everything is looked at before anything is touched: the lineage (a revision string does not prove
a compatible database), the schema as it really is, and on the way down whether rows would be
lost. A run is one transaction under a lock, on both databases: it ends where it should or leaves
everything as it was. There is no command that only notes a revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable, DowngradeBlocked
from evenhand.store.checks import INTEGRITY, Finding, find_problems
from evenhand.store.engine import database_file, prepare_file
from evenhand.store.errors import DAMAGED
from evenhand.store.lineage import Status, head, load_lineage
from evenhand.store.readiness import (
    VERSION_TABLE,
    State,
    read_state,
    require_current,
    require_no_drift,
    require_sound,
    require_status,
)
from evenhand.store.restores import require_finished
from evenhand.store.schema import find_drift, table_names
from evenhand.store.sessions import change, look
from evenhand.store.snapshot import make_at_once
from evenhand.store.tables import schema_lineage

BASE: Final = "base"


def status(url: str) -> Status:
    """Where a database stands against this release's chain; changes nothing, makes no file.

    Raises:
        InvalidSetting, MissingExtra: the URL, or its driver, cannot be used.
        DatabaseUnavailable: the database cannot be reached or read.
    """
    return look(url, lambda connection: read_state(connection).status, absent=Status.ABSENT)


def upgrade(url: str, revision: str | None = None) -> tuple[str, ...]:
    """Bring a database to a revision, by default the newest; make one that is absent.

    Args:
        url: the database.
        revision: a revision of this release, not before the one that the database is at.

    Returns:
        The revisions that were applied, oldest first; none when there was nothing to do.

    Raises:
        DatabaseNotReady: another lineage, a newer release's database, or a schema that is not
            what its revision makes. Nothing was changed.
        InvalidSetting: no such revision ahead.
        DatabaseUnavailable: the database cannot be reached, or is locked for too long.
    """
    target = revision or head().revision

    def work(connection: Connection) -> tuple[str, ...]:
        return go_up(connection, require_sound(connection).revision, target)

    refuse_foreign(url)
    file = database_file(url)
    if file is not None:
        prepare_file(file)
    return change(url, work)


def downgrade(url: str, revision: str) -> tuple[str, ...]:
    """Take a database back to an earlier revision, or to ``base``: before the first.

    Returns:
        The revisions that were undone, newest first.

    Raises:
        DowngradeBlocked: rows would be lost (C-118). Nothing was changed.
        DatabaseNotReady, InvalidSetting, DatabaseUnavailable: as :func:`upgrade`.
    """

    def work(connection: Connection) -> tuple[str, ...]:
        state = require_sound(connection)
        if state.revision is None:
            raise DatabaseNotReady("there is no database to downgrade", code="database_absent")
        return go_down(connection, state.revision, revision)

    _require_present(url)
    refuse_foreign(url)
    return change(url, work)


def go_up(connection: Connection, reached: str | None, target: str) -> tuple[str, ...]:
    """Apply the migrations behind a revision, None for before the first, up to another.

    Args:
        connection: of `sessions.change`, to a database that was found sound.
        reached: the revision that it is at.
        target: a revision of this release.

    Raises:
        InvalidSetting: the target is no such revision, or before the one that was reached.
        DatabaseNotReady: the schema is afterwards not what the target makes.
    """
    known = [step.revision for step in load_lineage()]
    wanted = _position(known, target)
    begun = _position(known, reached) if reached else 0
    if wanted < begun:
        raise InvalidSetting("revision", "is before the one that the database is at")
    made = begun
    # A database that was taken back to before the first has the note of the migrations' tool.
    if reached is None and VERSION_TABLE not in table_names(connection):
        made = make_at_once(connection, load_lineage()[:wanted])
    if made < wanted:
        from evenhand.store import chain  # Alembic is slow to load, and rarely needed

        chain.upgrade(connection, target)
    for step in load_lineage()[begun:wanted]:
        connection.execute(
            schema_lineage.insert().values(revision=step.revision, chain_digest=step.chain)
        )
    require_no_drift(connection, target)
    return tuple(known[begun:wanted])


def go_down(connection: Connection, reached: str, target: str) -> tuple[str, ...]:
    """Undo the migrations from a revision back to another, or to ``base``.

    Raises:
        DowngradeBlocked: rows would be lost.
        InvalidSetting, DatabaseNotReady: as :func:`go_up`.
    """
    from evenhand.store import chain

    known = [step.revision for step in load_lineage()]
    kept = 0 if target == BASE else _position(known, target)
    undone = tuple(reversed(known[kept : _position(known, reached)]))
    _require_empty(connection, chain.must_be_empty(undone))
    connection.execute(schema_lineage.delete().where(schema_lineage.c.revision.in_(undone)))
    chain.downgrade(connection, target)
    if kept:
        require_no_drift(connection, known[kept - 1])
    return undone


def is_ready(url: str) -> bool:
    """Whether there is a database, and one that can be used; makes none.

    Raises:
        DatabaseNotReady: behind (the message names the command), ahead, of another lineage, or
            with a schema that is not what its revision makes; then the objects are named.
        DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`status`.
    """
    return look(url, require_current, absent=Status.ABSENT) is not Status.ABSENT


def require_current_lineage(url: str) -> None:
    """Refuse a database that does not answer or is not at this release's newest revision.

    A quick look, for whoever asks again and again; the schema itself is not compared.

    Raises:
        DatabaseNotReady: absent, behind, ahead or of another lineage.
        DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`status`.
    """

    def work(connection: Connection) -> State:
        state = read_state(connection)
        if state.status is Status.CURRENT:
            require_finished(connection)
        return state

    require_status(look(url, work, absent=State(Status.ABSENT, None)))


def ensure_ready(url: str) -> None:
    """Make an absent database, and refuse one that cannot be used as it is.

    Raises:
        DatabaseNotReady, DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`is_ready`.
    """
    if not is_ready(url):
        upgrade(url)


def check(url: str) -> list[Finding]:
    """Everything that is wrong with a database of this release, as far as can be told.

    Returns:
        Damage, drift of the schema and broken invariants of what is stored; empty when clean.

    Raises:
        DatabaseNotReady: absent, behind, ahead or of another lineage: there is nothing to check
            it against.
        DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`status`.
    """

    def work(connection: Connection) -> list[Finding]:
        require_status(read_state(connection))
        drift = find_drift(connection, head().revision)
        if drift:
            # What is stored cannot be read by the names that should be there.
            return [
                Finding(code="schema_drift", subject="schema", message=line)
                for line in drift.lines()
            ]
        return find_problems(connection)

    try:
        _require_present(url)
        return look(url, work, absent=[])
    except DatabaseUnavailable as error:
        if error.code != DAMAGED:
            raise
        # Damage can be such that not even the check of it comes to an end.
        return [Finding(code=INTEGRITY, subject="file", message=error.why)]


def refuse_foreign(url: str) -> None:
    """Refuse a database of another lineage or of a newer release, and leave it untouched.

    Before a writer opens the file: that alone could change the header of somebody else's.

    Raises:
        DatabaseNotReady: it is one of these.
        DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`status`.
    """

    def work(connection: Connection) -> None:
        state = read_state(connection)
        if state.status in (Status.AHEAD, Status.FOREIGN):
            require_status(state)

    look(url, work, absent=None)


def _require_empty(connection: Connection, guarded: Sequence[str]) -> None:
    if connection.dialect.name == "postgresql":
        for table in guarded:
            # Nobody may add a row between the look and the drop.
            connection.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    populated = tuple(
        table
        for table in guarded
        if connection.scalar(
            sa.select(sa.exists(sa.select(sa.text("1")).select_from(sa.table(table))))
        )
    )
    if populated:
        raise DowngradeBlocked(populated)


def _require_present(url: str) -> None:
    if status(url) is Status.ABSENT:
        why = "there is no database yet: evenhand db upgrade makes it"
        raise DatabaseNotReady(why, code="database_absent")


def _position(known: Sequence[str], revision: str) -> int:
    """How many revisions there are up to this one."""
    if revision not in known:
        rule = f"must be one of {', '.join(known)}"
        raise InvalidSetting("revision", rule)
    return known.index(revision) + 1
