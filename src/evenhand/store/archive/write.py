"""How is an archive written? All tables of one state of the database, then the manifest.

The container is ZIP, so that any tool can look inside; the time of its members is always the
same, so that equal content gives equal members.
"""

from __future__ import annotations

import zipfile
from typing import BinaryIO, Final

from sqlalchemy.engine import Connection

from evenhand.core.errors.database import DatabaseNotReady
from evenhand.store.archive.layout import Layout
from evenhand.store.archive.manifest import FORMAT, Manifest, TableEntry
from evenhand.store.archive.rows import Tally, declared_layouts, digest_tables, table_lines
from evenhand.store.lineage import Status, head
from evenhand.store.readiness import require_current
from evenhand.store.sessions import look
from evenhand.store.times import time_of, time_to_text
from evenhand.usecases.ports import Clock, Progress

MANIFEST: Final = "manifest.json"
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_OWNER_ONLY: Final = 0o600 << 16
#: Progress is told for so many rows at once.
_STEP: Final = 1_000


def backup(
    url: str, stream: BinaryIO, *, release: str, clock: Clock, progress: Progress
) -> Manifest:
    """Write all that a database holds, as it is at one moment, while others may write to it.

    Args:
        url: the database, at this release's newest revision.
        stream: takes the archive; can be written from its start.
        release: of Evenhand.
        clock: the process's clock.
        progress: hears of rows.

    Returns:
        What the archive says of itself.

    Raises:
        DatabaseNotReady: absent, or it cannot be used as it is.
        DatabaseUnavailable: it cannot be reached or read, or holds what an archive cannot.
        OSError: the stream does not take it.
    """

    def work(connection: Connection) -> Manifest | None:
        _require_present(require_current(connection))
        created_at = time_to_text(time_of(connection, clock))
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as container:
            entries = tuple(
                _write_table(connection, container, layout, progress)
                for layout in declared_layouts()
            )
            manifest = _manifest(entries, release=release, created_at=created_at)
            container.writestr(_member(MANIFEST), manifest.encode())
        return manifest

    written = look(url, work, absent=None)
    if written is None:
        raise _absent()
    return written


def read_digests(url: str) -> tuple[TableEntry, ...]:
    """What an archive would say of each table of a database, by name.

    Raises:
        DatabaseNotReady, DatabaseUnavailable, InvalidSetting, MissingExtra: as :func:`backup`.
    """

    def work(connection: Connection) -> tuple[TableEntry, ...] | None:
        _require_present(require_current(connection))
        return digest_tables(connection, declared_layouts())

    found = look(url, work, absent=None)
    if found is None:
        raise _absent()
    return found


def _write_table(
    connection: Connection, container: zipfile.ZipFile, layout: Layout, progress: Progress
) -> TableEntry:
    tally = Tally(layout)
    # Its size is not known beforehand, and may be beyond what a plain ZIP holds.
    with container.open(_member(tally.entry().member), "w", force_zip64=True) as member:
        for number, line in enumerate(table_lines(connection, layout), 1):
            member.write(line)
            tally.add(line)
            if number % _STEP == 0:
                progress.advance(_STEP)
    entry = tally.entry()
    progress.advance(entry.rows % _STEP)
    return entry


def _manifest(entries: tuple[TableEntry, ...], *, release: str, created_at: str) -> Manifest:
    newest = head()
    return Manifest(
        format=FORMAT,
        release=release,
        revision=newest.revision,
        chain_digest=newest.chain,
        created_at=created_at,
        tables=entries,
    )


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    # What a tool unpacks is for its owner only, as the archive is.
    info.external_attr = _OWNER_ONLY
    return info


def _require_present(status: Status) -> None:
    if status is Status.ABSENT:
        raise _absent()


def _absent() -> DatabaseNotReady:
    return DatabaseNotReady("there is no database to read", code="database_absent")
