"""What do the tables of a database hold, row for row, in an order that both databases share?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.archive.layout import Kind, Layout, UnfitValue, encode_row, layout_of
from evenhand.store.archive.manifest import TableEntry
from evenhand.store.streams import streamed
from evenhand.store.tables import metadata, stays_here

#: Most rows that are fetched from a server at a time; a row may hold many megabytes.
_FETCHED: Final = 64
#: Longest line, in bytes. What an evaluation of a hundred thousand questions keeps is below it.
MAX_LINE_BYTES: Final = 256 * 2**20


def archived_tables() -> tuple[sa.Table, ...]:
    """Every table of this release that an archive holds, by name."""
    return tuple(
        table for _, table in sorted(metadata.tables.items()) if stays_here(table) is None
    )


class Tally:
    """Digest, size and number of the lines that passed."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._digest = hashlib.sha256()
        self._size = self._rows = 0

    def add(self, line: bytes) -> None:
        """One more line, with its line feed."""
        self._digest.update(line)
        self._size += len(line)
        self._rows += 1

    def entry(self) -> TableEntry:
        """What an archive says of these lines."""
        return TableEntry(
            name=self._layout.name,
            columns=self._layout.columns,
            key=self._layout.key,
            rows=self._rows,
            size=self._size,
            sha256=self._digest.hexdigest(),
        )


def table_lines(connection: Connection, layout: Layout) -> Iterator[bytes]:
    """The lines of a table, in the order of its key compared by bytes; read as they are asked for.

    Raises:
        DatabaseUnavailable: a row cannot be written as a line; code ``database_damaged``.
    """
    with streamed(connection, _in_order(connection, layout), held=_FETCHED) as rows:
        for row in rows:
            try:
                line = encode_row(layout, row)
            except UnfitValue as error:
                raise _unfit(layout, error.rule) from None
            if len(line) > MAX_LINE_BYTES:
                raise _unfit(layout, f"a row is longer than {MAX_LINE_BYTES} bytes")
            yield line


def digest_tables(connection: Connection, layouts: tuple[Layout, ...]) -> tuple[TableEntry, ...]:
    """What an archive would say of these tables, in their order.

    Raises:
        DatabaseUnavailable: as :func:`table_lines`.
    """
    entries = []
    for layout in layouts:
        tally = Tally(layout)
        for line in table_lines(connection, layout):
            tally.add(line)
        entries.append(tally.entry())
    return tuple(entries)


def declared_layouts() -> tuple[Layout, ...]:
    """The layouts of the tables of this release that an archive holds, by name."""
    return tuple(map(layout_of, archived_tables()))


def _in_order(connection: Connection, layout: Layout) -> sa.Select[*tuple[Any, ...]]:
    # Columns without types: what the driver gives is looked at as it is.
    kinds = dict(layout.columns)
    by_bytes = connection.dialect.name == "postgresql"
    order = [
        sa.collate(sa.column(name, sa.Text), "C")
        if by_bytes and kinds[name] is Kind.TEXT
        else sa.column(name)
        for name in layout.key
    ]
    columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in layout.names]
    return sa.select(*columns).select_from(sa.table(layout.name)).order_by(*order)


def _unfit(layout: Layout, rule: str) -> DatabaseUnavailable:
    why = f"table {layout.name} cannot be written as it is: {rule}; see evenhand db check"
    return DatabaseUnavailable(why, code="database_damaged")
