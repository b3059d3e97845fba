"""What was taken away, which migrations were applied, and whether an archive was loaded."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

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
    info=about(
        "That rows of append-only tables were taken away.",
        at="When.",
        rule="By which rule.",
        rows="How many.",
        open_marker="Set while the transaction that writes the row may delete; never committed.",
    ),
)

schema_lineage: Final = sa.Table(
    "schema_lineage",
    metadata,
    sa.Column("revision", SORTED_TEXT, primary_key=True),
    sa.Column("chain_digest", SORTED_TEXT, nullable=False),
    sa.CheckConstraint("length(chain_digest) = 64", name="chain_digest"),
    info=about(
        "One migration that was applied to this database.",
        stays="the migrations write it; an archive names its revision and their digest",
        revision="The migration.",
        chain_digest="Digest of all migrations up to it.",
    ),
)

#: At most one row, since a restore needs an empty database.
restore_marker: Final = sa.Table(
    "restore_marker",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("archive_digest", SORTED_TEXT, nullable=False),
    sa.Column("archive_revision", SORTED_TEXT, nullable=False),
    sa.Column("archive_release", sa.Text, nullable=False),
    sa.Column("archive_created_at", SORTED_TEXT, nullable=False),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("steps", sa.Text, nullable=False),
    sa.Column("content_digest", SORTED_TEXT),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("at", "archive_created_at"), name="times"),
    sa.CheckConstraint("length(archive_digest) = 64", name="archive_digest"),
    sa.CheckConstraint("state IN ('loaded', 'finished')", name="state"),
    sa.CheckConstraint(
        "(state = 'finished') = (content_digest IS NOT NULL)"
        " AND (content_digest IS NULL OR length(content_digest) = 64)",
        name="content_digest",
    ),
    info=about(
        "The restore that filled this database.",
        stays="it tells how this database came to be, which is no part of what it holds",
        at="When.",
        archive_digest="The archive's own digest.",
        archive_revision="Of the archive's schema.",
        archive_release="Version of Evenhand that wrote the archive.",
        archive_created_at="When, as the archive says.",
        state="loaded, or finished once all that has to follow was done.",
        steps="What followed, as JSON.",
        content_digest="Of what the database held at the end; missing before.",
    ),
)
