"""Practices, and their revisions, which never change."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_NAMELESS: Final = "'command_line', 'hub'"
_ACTORS: Final = f"'operator', 'viewer', 'service_client', {_NAMELESS}"
_KINDS: Final = "'rag.answer', 'rag.retrieval_run'"

practice: Final = sa.Table(
    "practice",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("name", SORTED_TEXT, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "name"),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="name"),
    sa.CheckConstraint("version >= 1", name="version"),
    sa.Index("ix_practice_time", "created_at", "id"),
    sa.Index("ix_practice_project", "project_id", "created_at", "id"),
    info=about("A name under which criteria for reviews are kept."),
)

practice_revision: Final = sa.Table(
    "practice_revision",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("practice_id", SORTED_TEXT, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("made_by_kind", SORTED_TEXT, nullable=False),
    sa.Column("made_by_id", SORTED_TEXT),
    sa.Column("artifact_kind", SORTED_TEXT, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("practice_group", sa.Text, nullable=False),
    sa.Column("criteria", sa.Text, nullable=False),
    sa.Column("content_digest", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("practice_id", "number"),
    # Equal criteria are one revision of a practice, so that making one can be tried again.
    sa.UniqueConstraint("practice_id", "content_digest"),
    sa.ForeignKeyConstraint(["practice_id"], ["practice.id"]),
    sa.CheckConstraint("length(id) = 36 AND number >= 1", name="id"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint(f"made_by_kind IN ({_ACTORS})", name="made_by_kind"),
    sa.CheckConstraint(
        f"(made_by_kind IN ({_NAMELESS})) = (made_by_id IS NULL)", name="made_by_id"
    ),
    sa.CheckConstraint(f"artifact_kind IN ({_KINDS})", name="artifact_kind"),
    sa.CheckConstraint(
        "length(title) >= 1 AND length(practice_group) >= 1 AND length(criteria) >= 1"
        " AND length(content_digest) = 64",
        name="content",
    ),
    info=about(
        "Criteria as they were at one time, for good.",
        practice_id="The practice.",
        number="From 1, within the practice.",
        made_by_kind="Who made it, by kind.",
        made_by_id="The credential of who made it; missing for the command line and the hub.",
        artifact_kind="What they judge.",
        title="Their title.",
        practice_group="To which group of practices they belong.",
        criteria="The criteria themselves.",
        content_digest="Digest of all of it.",
    ),
)
