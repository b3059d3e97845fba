"""A database that an archive filled says so, and whether that came to its end."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260902_0013"
down_revision = "20260902_0012"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("restore_marker",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the marker's table."""
    op.create_table(
        "restore_marker",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("at", _SORTED, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("archive_digest", _SORTED, nullable=False),
        sa.Column("archive_revision", _SORTED, nullable=False),
        sa.Column("archive_release", sa.Text(), nullable=False),
        sa.Column("archive_created_at", _SORTED, nullable=False),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("content_digest", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_restore_marker"),
        sa.CheckConstraint("length(id) = 36", name="ck_restore_marker_id"),
        sa.CheckConstraint(
            "length(at) = 27 AND length(archive_created_at) = 27", name="ck_restore_marker_times"
        ),
        sa.CheckConstraint("length(archive_digest) = 64", name="ck_restore_marker_archive_digest"),
        sa.CheckConstraint("state IN ('loaded', 'finished')", name="ck_restore_marker_state"),
        sa.CheckConstraint(
            "(state = 'finished') = (content_digest IS NOT NULL)"
            " AND (content_digest IS NULL OR length(content_digest) = 64)",
            name="ck_restore_marker_content_digest",
        ),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("restore_marker")
