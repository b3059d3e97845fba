"""Questions of an imported golden set that are held out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0005"
down_revision = "20260901_0004"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row: a question that was held out would be
#: asked like any other.
MUST_BE_EMPTY = ("golden_holdout",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table; what was imported before holds nothing out."""
    op.create_table(
        "golden_holdout",
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("question_ordinal", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("set_identifier", "question_ordinal", name="pk_golden_holdout"),
        sa.ForeignKeyConstraint(
            ["set_identifier", "question_ordinal"],
            ["golden_question.set_identifier", "golden_question.ordinal"],
            name="fk_golden_holdout_golden_question",
        ),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("golden_holdout")
