"""How does an archive become what a database holds? As a whole, in one transaction, or not at all.

The archive is verified before the database is touched. Then, under the migrations' lock, the
schema is brought to the archive's revision, the rows are loaded and read back, the schema is
brought to this release's, and the steps of the capabilities are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import BinaryIO, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.database import ArchiveRefused
from evenhand.store.archive.load import load
from evenhand.store.archive.manifest import Manifest, content_digest
from evenhand.store.archive.read import Archive, opened
from evenhand.store.archive.rows import archived_tables, declared_layouts, digest_tables
from evenhand.store.archive.steps import RestoreStep
from evenhand.store.engine import database_file, prepare_file
from evenhand.store.lineage import head, load_lineage
from evenhand.store.migrate import go_down, go_up, refuse_foreign
from evenhand.store.readiness import (
    read_state,
    require_current,
    require_no_drift,
    require_sound,
    require_status,
)
from evenhand.store.restores import (
    ArchiveFacts,
    Marker,
    add_loaded,
    find_marker,
    set_finished,
)
from evenhand.store.schema import table_names
from evenhand.store.sessions import change, look, remove_empty
from evenhand.store.times import time_of
from evenhand.store.uow import SqlUnitOfWork
from evenhand.usecases.ports import Clock, Ids, Progress

#: Most tables that a refusal names.
_NAMED: Final = 3


class Outcome(StrEnum):
    """How a restore ended.

    ``FINISHED`` is the end of one that was loaded by somebody else and left there.
    """

    RESTORED = "restored"
    FINISHED = "finished"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did.

    Attributes:
        outcome: how it ended.
        manifest: of the archive.
        at: when the database was restored, as it is stored; of an earlier time if unchanged.
        is_as_restored: whether the database holds what it held at the end of the restore.
    """

    outcome: Outcome
    manifest: Manifest
    at: str
    is_as_restored: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoring:
    """What a restore needs beside archive and database.

    Attributes:
        clock: the process's clock.
        ids: where row ids come from.
        actor: who asked.
        steps: what the capabilities do afterwards, in this order.
        progress: hears of rows.
    """

    clock: Clock
    ids: Ids
    actor: str
    steps: Sequence[RestoreStep]
    progress: Progress

    def uow(self, connection: Connection) -> SqlUnitOfWork:
        """The repositories in the restore's transaction."""
        return SqlUnitOfWork(
            connection, now=partial(time_of, connection, self.clock), ids=self.ids
        )


def restore(url: str, stream: BinaryIO, *, file: str, by: Restoring) -> Restored:
    """Load an archive into a database that is absent or empty.

    The archive that filled the database before is no error: nothing is changed then. A SQLite
    file that was made for a restore that fails is taken away again.

    Args:
        url: the database.
        stream: the archive, from its start.
        file: what messages call it.
        by: with what.

    Raises:
        InvalidArchive: it is no whole archive, or its rows break a rule of the database.
        ArchiveRefused: the database is not empty, or the archive is of a newer release or of
            another lineage.
        DatabaseNotReady, DatabaseUnavailable, InvalidSetting, MissingExtra: as in `migrate`.
    """
    with opened(stream, file) as archive:
        _require_known(archive.manifest)
        archive.verify()
        refuse_foreign(url)
        done = look(url, lambda connection: _find_done(connection, archive), absent=None)
        if done is not None:
            return done
        path = database_file(url)
        if path is None or path.exists():
            return change(url, lambda connection: _restore(connection, archive, by))
        prepare_file(path)
        try:
            return change(url, lambda connection: _restore(connection, archive, by))
        except BaseException:
            remove_empty(path)
            raise


def _find_done(connection: Connection, archive: Archive) -> Restored | None:
    """What was done before, where nothing is left to do; refuses where nothing can be done."""
    marker = find_marker(connection)
    if marker is None:
        _require_empty(connection)
        return None
    if marker.archive_digest != archive.manifest.digest:
        raise ArchiveRefused(_OTHER)
    if not marker.is_finished:
        return None
    return _unchanged(connection, marker, archive.manifest)


def _restore(connection: Connection, archive: Archive, by: Restoring) -> Restored:
    _lock(connection)
    # Once more: somebody may have been quicker.
    done = _find_done(connection, archive)
    if done is not None:
        return done
    if find_marker(connection) is not None:
        require_status(read_state(connection))
        require_no_drift(connection, head().revision)
        return _finish(connection, archive.manifest, by, Outcome.FINISHED)
    manifest = archive.manifest
    reached = require_sound(connection).revision
    if reached is not None and reached > manifest.revision:
        # It is empty, so nothing is lost on the way.
        go_down(connection, reached, manifest.revision)
    else:
        go_up(connection, reached, manifest.revision)
    load(connection, archive, by.progress)
    go_up(connection, manifest.revision, head().revision)
    add_loaded(
        connection,
        id=by.ids.new(),
        at=by.uow(connection).now(),
        actor=by.actor,
        archive=ArchiveFacts(
            digest=manifest.digest,
            revision=manifest.revision,
            release=manifest.release,
            created_at=manifest.created_at,
        ),
    )
    return _finish(connection, manifest, by, Outcome.RESTORED)


def _is_unaltered(manifest: Manifest, steps: Sequence[RestoreStep]) -> bool:
    """Whether what was loaded is what is there at the end, so that it was digested already."""
    layouts = tuple(entry.layout for entry in manifest.tables)
    return not steps and manifest.revision == head().revision and layouts == declared_layouts()


def _finish(
    connection: Connection, manifest: Manifest, by: Restoring, outcome: Outcome
) -> Restored:
    uow = by.uow(connection)
    for step in by.steps:
        step.run(uow)
    read_back = outcome is Outcome.RESTORED and _is_unaltered(manifest, by.steps)
    set_finished(
        connection,
        steps=[step.name for step in by.steps],
        content_digest=manifest.digest if read_back else _content_digest(connection),
    )
    marker = find_marker(connection)
    at = "" if marker is None else marker.at
    return Restored(outcome=outcome, manifest=manifest, at=at, is_as_restored=True)


def _unchanged(connection: Connection, marker: Marker, manifest: Manifest) -> Restored:
    require_current(connection)
    return Restored(
        outcome=Outcome.UNCHANGED,
        manifest=manifest,
        at=marker.at,
        is_as_restored=_content_digest(connection) == marker.content_digest,
    )


def _content_digest(connection: Connection) -> str:
    newest = head()
    entries = digest_tables(connection, declared_layouts())
    return content_digest(newest.revision, newest.chain, entries)


def _require_known(manifest: Manifest) -> None:
    chain = {step.revision: step.chain for step in load_lineage()}
    if manifest.revision not in chain and manifest.revision > head().revision:
        why = (
            f"the archive is at {manifest.revision}, newer than this release of Evenhand"
            f" ({head().revision}): use the release that wrote it, {manifest.release}"
        )
        raise ArchiveRefused(why, code="archive_ahead")
    if chain.get(manifest.revision) != manifest.chain_digest:
        why = "the archive has another schema lineage than this release of Evenhand"
        raise ArchiveRefused(why, code="archive_of_other_lineage")


_OTHER: Final = (
    "the database was restored from another archive; an archive goes into an empty database of"
    " its own"
)


def _require_empty(connection: Connection) -> None:
    populated = [name for name in _present(connection) if _has_row(connection, name)]
    if populated:
        more = f" and {len(populated) - _NAMED} more" if len(populated) > _NAMED else ""
        why = (
            f"the database is not empty, it holds rows in {', '.join(populated[:_NAMED])}{more};"
            " an archive goes into an empty database of its own"
        )
        raise ArchiveRefused(why)


def _present(connection: Connection) -> list[str]:
    """The tables that an archive would hold, of those that are there."""
    names = table_names(connection)
    return [table.name for table in archived_tables() if table.name in names]


def _has_row(connection: Connection, name: str) -> bool:
    query = sa.select(sa.exists(sa.select(sa.text("1")).select_from(sa.table(name))))
    return bool(connection.scalar(query))


def _lock(connection: Connection) -> None:
    """Let nobody write to a table from now on, or look whether it is empty, until the end."""
    if connection.dialect.name == "postgresql":
        for name in _present(connection):
            connection.execute(sa.text(f"LOCK TABLE {name} IN EXCLUSIVE MODE"))
