"""Grades behind evaluations, baselines and golden sets, and graded values of evaluations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0006"
down_revision = "20260901_0005"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = (
    "evaluation_score",
    "evaluation_grade",
    "evaluation_relevance",
    "baseline_grade",
    "baseline_relevance",
    "golden_grade",
)

_APPEND_ONLY = MUST_BE_EMPTY[:-1]
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_golden_grade()
    for parent in ("evaluation", "baseline"):
        _create_relevance(parent)
        _create_grade(parent)
    _create_score()
    guard = _guard_postgresql if op.get_bind().dialect.name == "postgresql" else _guard_sqlite
    for table in _APPEND_ONLY:
        guard(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    for table in MUST_BE_EMPTY:
        op.drop_table(table)


def _create_golden_grade() -> None:
    op.create_table(
        "golden_grade",
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("question_ordinal", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.LargeBinary(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "set_identifier", "question_ordinal", "ordinal", name="pk_golden_grade"
        ),
        sa.ForeignKeyConstraint(
            ["set_identifier", "question_ordinal"],
            ["golden_question.set_identifier", "golden_question.ordinal"],
            name="fk_golden_grade_golden_question",
        ),
        sa.CheckConstraint("ordinal >= 0", name="ck_golden_grade_ordinal"),
        sa.CheckConstraint("length(document_id) > 0", name="ck_golden_grade_document_id"),
        sqlite_with_rowid=False,
    )


def _create_relevance(parent: str) -> None:
    table, key = f"{parent}_relevance", f"{parent}_id"
    op.create_table(
        table,
        sa.Column(key, _SORTED, nullable=False),
        sa.Column("qrels_digest", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint(key, name=f"pk_{table}"),
        sa.ForeignKeyConstraint([key], [f"{parent}.id"], name=f"fk_{table}_{parent}"),
        sa.CheckConstraint("length(qrels_digest) = 67", name=f"ck_{table}_qrels_digest"),
        sqlite_with_rowid=False,
    )


def _create_grade(parent: str) -> None:
    table, key = f"{parent}_grade", f"{parent}_id"
    op.create_table(
        table,
        sa.Column(key, _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("grades", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(key, "position", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(
            [key, "position"],
            [f"{parent}_outcome.{key}", f"{parent}_outcome.position"],
            name=f"fk_{table}_{parent}_outcome",
        ),
        sa.CheckConstraint("position >= 0", name=f"ck_{table}_position"),
        sqlite_with_rowid=False,
    )


def _create_score() -> None:
    op.create_table(
        "evaluation_score",
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("protocol", _SORTED, nullable=False),
        sa.Column("qrels_digest", _SORTED, nullable=False),
        sa.Column("measure", _SORTED, nullable=False),
        sa.Column("depth", sa.BigInteger(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("questions", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("benchmark_fingerprint", _SORTED, nullable=True),
        sa.Column("scored_at", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint(
            "evaluation_id", "protocol", "qrels_digest", "measure", name="pk_evaluation_score"
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_score_evaluation"
        ),
        sa.CheckConstraint("length(qrels_digest) = 67", name="ck_evaluation_score_qrels_digest"),
        sa.CheckConstraint(
            "length(measure) >= 1 AND length(measure) <= 64", name="ck_evaluation_score_measure"
        ),
        sa.CheckConstraint(
            "depth >= 1 AND mean >= 0 AND questions >= 1 AND failed >= 0 AND failed <= questions",
            name="ck_evaluation_score_numbers",
        ),
        sa.CheckConstraint(
            "benchmark_fingerprint IS NULL OR length(benchmark_fingerprint) = 67",
            name="ck_evaluation_score_benchmark",
        ),
        sa.CheckConstraint("length(scored_at) = 27", name="ck_evaluation_score_scored_at"),
        sqlite_with_rowid=False,
    )


def _guard_sqlite(table: str) -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_{verb.lower()} BEFORE {verb} ON {table}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{table}'); END
        """)  # noqa: S608 -- names of our tables


def _guard_postgresql(table: str) -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{table}_append_only BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{table}_no_truncate BEFORE TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
