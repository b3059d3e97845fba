"""Baselines that were pinned, and for which decisions a golden set was used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0004"
down_revision = "20260901_0003"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("baseline", "set_use")

_APPEND_ONLY = ("baseline", "baseline_outcome", "set_use")
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_baseline()
    _create_outcome()
    _create_set_use()
    guard = _guard_postgresql if op.get_bind().dialect.name == "postgresql" else _guard_sqlite
    for table in _APPEND_ONLY:
        guard(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    op.drop_table("set_use")
    op.drop_table("baseline_outcome")
    op.drop_table("baseline")


def _create_baseline() -> None:
    op.create_table(
        "baseline",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("set_at", _SORTED, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("retriever", _SORTED, nullable=False),
        sa.Column("evaluation_id", _SORTED, nullable=True),
        sa.Column("basis", _SORTED, nullable=False),
        sa.Column("depth", sa.BigInteger(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("jobs", sa.BigInteger(), nullable=False),
        sa.Column("warmup", sa.BigInteger(), nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("questions", sa.BigInteger(), nullable=False),
        sa.Column("answerable", sa.BigInteger(), nullable=False),
        sa.Column("no_answer", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("unjudged", sa.BigInteger(), nullable=False),
        sa.Column("top1_hits", sa.BigInteger(), nullable=False),
        sa.Column("top3_hits", sa.BigInteger(), nullable=False),
        sa.Column("answerable_top1_hits", sa.BigInteger(), nullable=False),
        sa.Column("answerable_top3_hits", sa.BigInteger(), nullable=False),
        sa.Column("abstained", sa.BigInteger(), nullable=False),
        sa.Column("false_abstained", sa.BigInteger(), nullable=False),
        sa.Column("provenance", sa.Text(), nullable=False),
        sa.Column("benchmark_fingerprint", _SORTED, nullable=False),
        sa.Column("variant_fingerprint", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_baseline"),
        sa.CheckConstraint("length(id) = 36", name="ck_baseline_id"),
        sa.CheckConstraint("length(set_at) = 27", name="ck_baseline_set_at"),
        sa.CheckConstraint(
            "basis IN ('imported', 'local', 'reported', 'witnessed')", name="ck_baseline_basis"
        ),
        sa.CheckConstraint(
            "depth >= 1 AND jobs >= 1 AND warmup >= 0 AND batch >= 1",
            name="ck_baseline_conditions",
        ),
        sa.CheckConstraint(
            "answerable >= 0 AND no_answer >= 0 AND failed >= 0 AND unjudged >= 0"
            " AND answerable_top1_hits >= 0 AND abstained >= 0 AND false_abstained >= 0",
            name="ck_baseline_counts_not_negative",
        ),
        sa.CheckConstraint(
            "questions = answerable + no_answer"
            " AND top1_hits = answerable_top1_hits + abstained"
            " AND top3_hits = answerable_top3_hits + abstained"
            " AND top3_hits + failed <= questions"
            " AND answerable_top1_hits <= answerable_top3_hits"
            " AND answerable_top3_hits + false_abstained <= answerable"
            " AND abstained <= no_answer",
            name="ck_baseline_counts_consistent",
        ),
    )
    op.create_index(
        "ix_baseline_series", "baseline", ["set_identifier", "retriever", "set_at", "id"]
    )
    op.create_index("ix_baseline_time", "baseline", ["set_at", "id"])


def _create_outcome() -> None:
    op.create_table(
        "baseline_outcome",
        sa.Column("baseline_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("targets", sa.Integer(), nullable=True),
        sa.Column("retrieved", sa.Integer(), nullable=True),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("judged_hits", sa.Text(), nullable=False),
        sa.Column("latency_ms", sa.BigInteger(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("baseline_id", "position", name="pk_baseline_outcome"),
        sa.ForeignKeyConstraint(
            ["baseline_id"], ["baseline.id"], name="fk_baseline_outcome_baseline"
        ),
        sa.CheckConstraint("position >= 0", name="ck_baseline_outcome_position"),
        sa.CheckConstraint(
            "state IN ('scored', 'failed', 'unjudged')", name="ck_baseline_outcome_state"
        ),
        sa.CheckConstraint(
            "(targets IS NULL OR targets >= 0) AND (retrieved IS NULL OR retrieved >= 0)"
            ' AND ("window" IS NULL OR "window" >= 0)'
            " AND (latency_ms IS NULL OR latency_ms >= 0)",
            name="ck_baseline_outcome_not_negative",
        ),
        sa.CheckConstraint(
            "(error_class IS NULL) = (retrieved IS NOT NULL)"
            ' AND (error_class IS NULL) = ("window" IS NOT NULL)'
            " AND (error_class IS NULL OR latency_ms IS NULL)"
            " AND (state <> 'failed' OR error_class IS NOT NULL)"
            " AND (state <> 'scored' OR error_class IS NULL)",
            name="ck_baseline_outcome_failure",
        ),
        sa.CheckConstraint(
            "(state = 'unjudged') = (targets IS NULL)", name="ck_baseline_outcome_judged"
        ),
        sqlite_with_rowid=False,
    )


def _create_set_use() -> None:
    op.create_table(
        "set_use",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("at", _SORTED, nullable=False),
        sa.Column("labels_fingerprint", _SORTED, nullable=False),
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("kind", _SORTED, nullable=False),
        sa.Column("evaluation_ids", sa.Text(), nullable=False),
        sa.Column("conclusion", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_set_use"),
        sa.CheckConstraint("length(id) = 36", name="ck_set_use_id"),
        sa.CheckConstraint("length(at) = 27", name="ck_set_use_at"),
        sa.CheckConstraint("length(labels_fingerprint) = 67", name="ck_set_use_labels"),
        sa.CheckConstraint("kind IN ('compare', 'ab', 'gate', 'holdout')", name="ck_set_use_kind"),
        sa.CheckConstraint(
            "length(conclusion) >= 1 AND length(conclusion) <= 64", name="ck_set_use_conclusion"
        ),
    )
    op.create_index("ix_set_use_labels", "set_use", ["labels_fingerprint", "at", "id"])


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
