"""To which case of which candidate run reviewed answers belong."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260912_0051"
down_revision = "20260912_0050"
branch_labels = None
depends_on = None

#: A downgrade is refused while it holds a row.
MUST_BE_EMPTY = ("reviewed_answer",)

_TABLE = "reviewed_answer"
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table and its guard."""
    op.create_table(
        _TABLE,
        *_text("job_id", "project_id", "answer_id"),
        *_text("evaluation_id", "publication_key", nullable=True),
        *_text("suite_revision_id", "case_id", nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        *_text("prompt_version", nullable=True),
        sa.Column("awaits_acceptance", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_reviewed_answer"),
        sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"], name="fk_reviewed_answer_agent_job"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_reviewed_answer_project"),
        sa.ForeignKeyConstraint(
            ["suite_revision_id"],
            ["suite_revision.id"],
            name="fk_reviewed_answer_suite_revision",
        ),
        sa.CheckConstraint(
            "(evaluation_id IS NULL) = (publication_key IS NOT NULL)",
            name="ck_reviewed_answer_run",
        ),
        sa.CheckConstraint(
            "(suite_revision_id IS NULL) = (case_id IS NULL)", name="ck_reviewed_answer_case"
        ),
        sa.CheckConstraint("position >= 0", name="ck_reviewed_answer_position"),
        sa.CheckConstraint(
            "prompt_version IS NULL"
            " OR (length(prompt_version) >= 1 AND length(prompt_version) <= 128)",
            name="ck_reviewed_answer_prompt_version",
        ),
    )
    op.create_index("ix_reviewed_answer_run", _TABLE, ["project_id", "publication_key"])
    op.create_index("ix_reviewed_answer_answer", _TABLE, ["project_id", "answer_id"])
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop it; the guard goes with it."""
    op.drop_table(_TABLE)


def _text(*names: str, nullable: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, _SORTED, nullable=nullable) for name in names]


def _guard_sqlite() -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{_TABLE}_no_{verb.lower()} BEFORE {verb} ON {_TABLE}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{_TABLE}'); END
        """)  # noqa: S608 -- names of our table


def _guard_postgresql() -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_append_only BEFORE UPDATE OR DELETE ON {_TABLE}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_no_truncate BEFORE TRUNCATE ON {_TABLE}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
