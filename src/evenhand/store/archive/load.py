"""How do the rows of an archive get into the empty tables of its revision?

The tables are those that the database really has then, not those of this release: an archive of
an earlier one is loaded as it was, and migrated afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from evenhand.store.archive.layout import layout_of
from evenhand.store.archive.manifest import TableEntry
from evenhand.store.archive.read import Archive, Row
from evenhand.store.archive.rows import digest_tables
from evenhand.store.bulk import insert_many
from evenhand.store.errors import broken_constraint
from evenhand.store.schema import known_tables, table_names
from evenhand.store.sessions import orphaned_tables
from evenhand.store.tables import metadata, stays_here
from evenhand.usecases.ports import Progress

#: Rows are handed to SQLite in blocks of so many, or of so many bytes where rows are large.
_BLOCK_ROWS: Final = 1_000
_BLOCK_BYTES: Final = 8 * 2**20


def load(connection: Connection, archive: Archive, progress: Progress) -> None:
    """Load every table, parents first, and read all of them back.

    Args:
        connection: of `sessions.change`, to an empty database at the archive's revision.
        archive: was verified.
        progress: hears of rows.

    Raises:
        InvalidArchive: it does not have the tables of its revision, a row breaks a rule of the
            database, or what was loaded is not what the archive holds.
    """
    schema = sa.MetaData()
    entries = {entry.name: entry for entry in archive.manifest.tables}
    schema.reflect(connection, only=lambda name, _: name in entries)
    _require_all(connection, archive)
    for entry in archive.manifest.tables:
        _require_alike(archive, entry, schema.tables.get(entry.name))
    for table in schema.sorted_tables:
        entry = entries[table.name]
        _load_table(connection, archive, entry)
        progress.advance(entry.rows)
    for name in orphaned_tables(connection):
        raise archive.unfit(entries[name], "holds a row whose parent is missing")
    layouts = tuple(entry.layout for entry in archive.manifest.tables)
    for stated, found in zip(
        archive.manifest.tables, digest_tables(connection, layouts), strict=True
    ):
        if stated != found:
            raise archive.unfit(stated, "does not read back from the database as it was written")


def _load_table(connection: Connection, archive: Archive, entry: TableEntry) -> None:
    # The names alone: the driver takes the values as they are.
    columns: list[sa.Column[object]] = [sa.Column(name) for name, _ in entry.columns]
    target = sa.Table(entry.name, sa.MetaData(), *columns)
    rows = archive.rows(entry)
    try:
        if connection.dialect.name == "postgresql":
            # At once: a row may refer to one of its own table that stands behind it, and the
            # server looks at the end of the statement.
            insert_many(connection, target, rows)
        else:
            for block in _blocks(rows):
                insert_many(connection, target, block)
    except DBAPIError as error:
        constraint = broken_constraint(error)
        if constraint is None:
            raise
        failure = archive.unfit(entry, f"the database refuses a row of it: {constraint}")
    else:
        return
    # Outside the block: an error of ours must not carry the driver's as its context.
    raise failure


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    size = 0
    for row in rows:
        block.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(block) == _BLOCK_ROWS or size >= _BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _require_all(connection: Connection, archive: Archive) -> None:
    """Refuse an archive without a table that its revision has, or with one more."""
    stays = {name for name, table in metadata.tables.items() if stays_here(table) is not None}
    expected = (table_names(connection) & known_tables()) - stays
    named = {entry.name for entry in archive.manifest.tables}
    if named != expected:
        odd = ", ".join(sorted(named ^ expected))
        rule = f"does not name the tables of its revision: {odd}"
        raise archive.refused(rule)


def _require_alike(archive: Archive, entry: TableEntry, table: sa.Table | None) -> None:
    found = None if table is None else layout_of(table)
    if found is None or found.key != entry.key or sorted(found.columns) != sorted(entry.columns):
        rule = f"is not a table as the revision {archive.manifest.revision} makes it"
        raise archive.unfit(entry, rule)
