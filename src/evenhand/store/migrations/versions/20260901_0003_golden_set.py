"""Golden sets that were imported."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0003"
down_revision = "20260901_0002"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("golden_set",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the three tables of a golden set."""
    op.create_table(
        "golden_set",
        sa.Column("identifier", _SORTED, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("imported_at", _SORTED, nullable=False),
        sa.Column("labels_fingerprint", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("identifier", name="pk_golden_set"),
        sa.CheckConstraint("length(imported_at) = 27", name="ck_golden_set_imported_at"),
    )
    op.create_table(
        "golden_question",
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("question", sa.LargeBinary(), nullable=False),
        sa.Column("form", _SORTED, nullable=False),
        sa.Column("hard_class", sa.LargeBinary(), nullable=True),
        sa.Column("answer_gist", sa.LargeBinary(), nullable=True),
        sa.Column("critical", sa.Boolean(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("unjudged", sa.Boolean(), nullable=False),
        sa.Column("label_provenance", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("set_identifier", "ordinal", name="pk_golden_question"),
        sa.ForeignKeyConstraint(
            ["set_identifier"], ["golden_set.identifier"], name="fk_golden_question_golden_set"
        ),
        sa.CheckConstraint("ordinal >= 0", name="ck_golden_question_ordinal"),
        sa.CheckConstraint(
            "length(id) > 0 AND length(question) > 0", name="ck_golden_question_not_empty"
        ),
        sa.CheckConstraint("form IN ('match', 'gap')", name="ck_golden_question_form"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "golden_target",
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("question_ordinal", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint(
            "set_identifier", "question_ordinal", "ordinal", name="pk_golden_target"
        ),
        sa.ForeignKeyConstraint(
            ["set_identifier", "question_ordinal"],
            ["golden_question.set_identifier", "golden_question.ordinal"],
            name="fk_golden_target_golden_question",
        ),
        sa.CheckConstraint("ordinal >= 0", name="ck_golden_target_ordinal"),
        sa.CheckConstraint("length(document_id) > 0", name="ck_golden_target_document_id"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("golden_target")
    op.drop_table("golden_question")
    op.drop_table("golden_set")
