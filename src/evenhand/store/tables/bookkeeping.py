"""What was taken away, and which migrations were applied."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, is_time, metadata

#: What an open `retention_action` row is marked with starts so.
OPEN_MARKER: Final = "open:"

retention_action: Final = sa.Table(
    "retention_action",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("rule", sa.Text, nullable=False),
    sa.Column("rows", sa.BigInteger, nullable=False),
    # Not null while the transaction that wrote the row may change append-only tables. The
    # reference is checked at commit and no id can satisfy it: an open row cannot be committed.
    sa.Column("open_marker", SORTED_TEXT),
    sa.ForeignKeyConstraint(
        ["open_marker"],
        ["retention_action.id"],
        name="fk_retention_action_closed",
        deferrable=True,
        initially="DEFERRED",
    ),
    sa.CheckConstraint(f"length(id) = 36 AND id NOT LIKE '{OPEN_MARKER}%'", name="id"),
    sa.CheckConstraint(f"open_marker LIKE '{OPEN_MARKER}%'", name="open_marker"),
    sa.CheckConstraint(is_time("at"), name="at"),
    sa.CheckConstraint("rows >= 0", name="rows"),
    sa.Index(
        "ix_retention_action_open",
        "open_marker",
        sqlite_where=sa.text("open_marker IS NOT NULL"),
        postgresql_where=sa.text("open_marker IS NOT NULL"),
    ),
)

schema_lineage: Final = sa.Table(
    "schema_lineage",
    metadata,
    sa.Column("revision", SORTED_TEXT, primary_key=True),
    sa.Column("chain_digest", SORTED_TEXT, nullable=False),
    sa.CheckConstraint("length(chain_digest) = 64", name="chain_digest"),
)
