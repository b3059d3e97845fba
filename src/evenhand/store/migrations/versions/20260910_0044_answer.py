"""Answers beside the run of an evaluation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260910_0044"
down_revision = "20260910_0043"
branch_labels = None
depends_on = None

#: A downgrade is refused while it holds a row.
MUST_BE_EMPTY = ("evaluation_answer",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_TABLE = "evaluation_answer"


def upgrade() -> None:
    """Create the table and its guards."""
    op.create_table(
        _TABLE,
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("answer_sha256", _SORTED, nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("prompt", _SORTED, nullable=True),
        sa.Column("model", _SORTED, nullable=True),
        sa.CheckConstraint("position >= 0", name="ck_evaluation_answer_position"),
        sa.CheckConstraint("length(answer_sha256) = 64", name="ck_evaluation_answer_sha256"),
        sa.CheckConstraint("characters >= 0", name="ck_evaluation_answer_characters"),
        sa.CheckConstraint(
            "length(prompt) >= 1 AND length(model) >= 1", name="ck_evaluation_answer_labels"
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_answer_evaluation"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_evaluation_answer"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop it; the guards go with it."""
    op.drop_table(_TABLE)


def _guard_sqlite() -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{_TABLE}_no_{verb.lower()} BEFORE {verb} ON {_TABLE}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{_TABLE}'); END
        """)  # noqa: S608 -- the name of our table


def _guard_postgresql() -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_append_only BEFORE UPDATE OR DELETE ON {_TABLE}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_no_truncate BEFORE TRUNCATE ON {_TABLE}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
