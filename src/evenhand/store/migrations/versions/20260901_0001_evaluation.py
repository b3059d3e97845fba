"""Stored evaluations, and which migrations were applied."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0001"
down_revision = None
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("evaluation",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    _create_lineage()
    _create_evaluation()
    _create_outcome()
    _create_ranking()


def downgrade() -> None:
    """Drop them."""
    op.drop_table("evaluation_ranked_document")
    op.drop_table("evaluation_ranking")
    op.drop_table("evaluation_outcome")
    op.drop_table("evaluation")
    op.drop_table("schema_lineage")


def _create_lineage() -> None:
    op.create_table(
        "schema_lineage",
        sa.Column("revision", _SORTED, nullable=False),
        sa.Column("chain_digest", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_schema_lineage"),
        sa.CheckConstraint("length(chain_digest) = 64", name="ck_schema_lineage_chain_digest"),
    )


def _create_evaluation() -> None:
    op.create_table(
        "evaluation",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("started_at", _SORTED, nullable=False),
        sa.Column("finished_at", _SORTED, nullable=False),
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("set_name", sa.Text(), nullable=False),
        sa.Column("retriever", _SORTED, nullable=False),
        sa.Column("grader", _SORTED, nullable=False),
        sa.Column("protocol", _SORTED, nullable=False),
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
        sa.Column("privacy", _SORTED, nullable=False),
        sa.Column("provenance", sa.Text(), nullable=True),
        sa.Column("benchmark_fingerprint", _SORTED, nullable=True),
        sa.Column("variant_fingerprint", _SORTED, nullable=True),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation"),
        sa.CheckConstraint("length(id) = 36", name="ck_evaluation_id"),
        sa.CheckConstraint(
            "length(created_at) = 27 AND length(started_at) = 27 AND length(finished_at) = 27",
            name="ck_evaluation_times",
        ),
        sa.CheckConstraint(
            "basis IN ('imported', 'local', 'reported', 'witnessed')", name="ck_evaluation_basis"
        ),
        sa.CheckConstraint(
            "privacy IN ('none', 'metadata', 'redacted', 'full')", name="ck_evaluation_privacy"
        ),
        sa.CheckConstraint(
            "depth >= 1 AND jobs >= 1 AND warmup >= 0 AND batch >= 1",
            name="ck_evaluation_conditions",
        ),
        sa.CheckConstraint(
            "answerable >= 0 AND no_answer >= 0 AND failed >= 0 AND unjudged >= 0"
            " AND answerable_top1_hits >= 0 AND abstained >= 0 AND false_abstained >= 0",
            name="ck_evaluation_counts_not_negative",
        ),
        sa.CheckConstraint(
            "questions = answerable + no_answer"
            " AND top1_hits = answerable_top1_hits + abstained"
            " AND top3_hits = answerable_top3_hits + abstained"
            " AND top3_hits + failed <= questions"
            " AND answerable_top1_hits <= answerable_top3_hits"
            " AND answerable_top3_hits + false_abstained <= answerable"
            " AND abstained <= no_answer",
            name="ck_evaluation_counts_consistent",
        ),
        sa.CheckConstraint(
            "(provenance IS NULL) = (benchmark_fingerprint IS NULL)"
            " AND (provenance IS NULL) = (variant_fingerprint IS NULL)",
            name="ck_evaluation_identity_whole",
        ),
        sa.CheckConstraint(
            "privacy IN ('redacted', 'full') OR details IS NULL OR details = ''",
            name="ck_evaluation_details_permitted",
        ),
    )
    op.create_index(
        "ix_evaluation_series",
        "evaluation",
        ["set_identifier", "retriever", "grader", "created_at", "id"],
    )
    op.create_index("ix_evaluation_set", "evaluation", ["set_identifier", "created_at", "id"])
    op.create_index("ix_evaluation_retriever", "evaluation", ["retriever", "created_at", "id"])
    op.create_index("ix_evaluation_time", "evaluation", ["created_at", "id"])


def _create_outcome() -> None:
    op.create_table(
        "evaluation_outcome",
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("targets", sa.Integer(), nullable=True),
        sa.Column("retrieved", sa.Integer(), nullable=True),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("judged_hits", sa.Text(), nullable=False),
        sa.Column("latency_ms", sa.BigInteger(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_evaluation_outcome"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_outcome_evaluation"
        ),
        sa.CheckConstraint("position >= 0", name="ck_evaluation_outcome_position"),
        sa.CheckConstraint(
            "state IN ('scored', 'failed', 'unjudged')", name="ck_evaluation_outcome_state"
        ),
        sa.CheckConstraint(
            "(targets IS NULL OR targets >= 0) AND (retrieved IS NULL OR retrieved >= 0)"
            ' AND ("window" IS NULL OR "window" >= 0)'
            " AND (latency_ms IS NULL OR latency_ms >= 0)",
            name="ck_evaluation_outcome_not_negative",
        ),
        sa.CheckConstraint(
            "(error_class IS NULL) = (retrieved IS NOT NULL)"
            ' AND (error_class IS NULL) = ("window" IS NOT NULL)'
            " AND (error_class IS NULL OR latency_ms IS NULL)"
            " AND (state <> 'failed' OR error_class IS NOT NULL)"
            " AND (state <> 'scored' OR error_class IS NULL)",
            name="ck_evaluation_outcome_failure",
        ),
        sa.CheckConstraint(
            "(state = 'unjudged') = (targets IS NULL)", name="ck_evaluation_outcome_judged"
        ),
        sqlite_with_rowid=False,
    )


def _create_ranking() -> None:
    op.create_table(
        "evaluation_ranking",
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.LargeBinary(), nullable=False),
        sa.Column("is_scored", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_evaluation_ranking"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_ranking_evaluation"
        ),
        sa.CheckConstraint("position >= 0", name="ck_evaluation_ranking_position"),
        sa.CheckConstraint("length(query_id) > 0", name="ck_evaluation_ranking_query_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "evaluation_ranked_document",
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.LargeBinary(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint(
            "evaluation_id", "position", "rank", name="pk_evaluation_ranked_document"
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "position"],
            ["evaluation_ranking.evaluation_id", "evaluation_ranking.position"],
            name="fk_evaluation_ranked_document_evaluation_ranking",
        ),
        sa.CheckConstraint("rank >= 1", name="ck_evaluation_ranked_document_rank"),
        sqlite_with_rowid=False,
    )
