"""Selected model comparisons: intents, their sides, what proves them, and what came of them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20260909_0033"
down_revision = "20260909_0032"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row (C-118).
MUST_BE_EMPTY = (
    "comparison_intent",
    "comparison_leg",
    "comparison_request",
    "comparison_summary",
)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_LEGS = ("current", "candidate")
_ACTIVE = "state IN ('pending', 'running', 'cancel_requested')"
_HELD = "state IN ('running', 'cancel_requested')"
_WRITTEN_ONCE = ("comparison_leg", "comparison_request", "comparison_summary")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_intent()
    _create_leg()
    _create_request()
    _create_summary()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop them, children first; the guards go with their tables."""
    for table in reversed(MUST_BE_EMPTY):
        op.drop_table(table)


def _create_intent() -> None:
    op.create_table(
        "comparison_intent",
        sa.Column("id", _SORTED, nullable=False),
        *_texts("created_at", "project_id", "binding_id", "client_id"),
        *_texts("suite_revision_id", "suite_content_digest"),
        sa.Column("case_count", sa.Integer(), nullable=False),
        *_texts("corpus_sha256", "retrieval_config_sha256"),
        *_leg_columns("current"),
        *_leg_columns("candidate"),
        *_texts("pins_digest", "idempotency_key", "body_digest", "state"),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("current_completed", sa.Integer(), nullable=False),
        sa.Column("candidate_completed", sa.Integer(), nullable=False),
        *_texts("claimed_at", "claim_expires_at", "deadline_at", "finished_at", nullable=True),
        *_texts("error_code", "token_digest", "result_digest", nullable=True),
        sa.Column("production_promotion_performed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_comparison_intent"),
        sa.UniqueConstraint(
            "project_id",
            "idempotency_key",
            name="uq_comparison_intent_project_id_idempotency_key",
        ),
        sa.UniqueConstraint("token_digest", name="uq_comparison_intent_token_digest"),
        sa.UniqueConstraint("id", "case_count", name="uq_comparison_intent_id_case_count"),
        *_intent_references(),
        *_checks("comparison_intent", _intent_rules()),
    )
    for name, columns in (
        ("time", ["created_at", "id"]),
        ("binding", ["binding_id", "created_at", "id"]),
        ("client", ["client_id", "created_at", "id"]),
    ):
        op.create_index(f"ix_comparison_intent_{name}", "comparison_intent", columns)
    op.create_index(
        "ix_comparison_intent_one_active",
        "comparison_intent",
        ["binding_id"],
        unique=True,
        sqlite_where=sa.text(_ACTIVE),
        postgresql_where=sa.text(_ACTIVE),
    )
    op.create_index(
        "ix_comparison_intent_lease",
        "comparison_intent",
        ["claim_expires_at"],
        sqlite_where=sa.text(_HELD),
        postgresql_where=sa.text(_HELD),
    )


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _SORTED, nullable=nullable) for name in names]


def _leg_columns(leg: str) -> list[sa.Column[Any]]:
    return [
        *_texts(f"{leg}_deployment_id", f"{leg}_runtime_identity", f"{leg}_artifact_digest"),
        *_texts(f"{leg}_embedding_identity"),
        sa.Column(f"{leg}_embedding_dimension", sa.Integer(), nullable=False),
        *_texts(f"{leg}_route_id", f"{leg}_route_name"),
        sa.Column(f"{leg}_index_ref", sa.Text(), nullable=False),
        sa.Column(f"{leg}_score_cutoff", sa.Double(), nullable=True),
    ]


def _intent_references() -> list[sa.ForeignKeyConstraint]:
    named = {
        "binding": ("binding", "binding_id"),
        "service_client": ("service_client", "client_id"),
        **{f"{leg}_deployment": ("deployment", f"{leg}_deployment_id") for leg in _LEGS},
        **{f"{leg}_route": ("route", f"{leg}_route_id") for leg in _LEGS},
    }
    return [
        *(
            sa.ForeignKeyConstraint(
                [column, "project_id"],
                [f"{noun}.id", f"{noun}.project_id"],
                name=f"fk_comparison_intent_{name}",
            )
            for name, (noun, column) in named.items()
        ),
        sa.ForeignKeyConstraint(
            ["suite_revision_id", "case_count"],
            ["suite_revision.id", "suite_revision.case_count"],
            name="fk_comparison_intent_suite_revision",
        ),
    ]


def _intent_rules() -> dict[str, str]:
    return {
        "id": "length(id) = 36",
        "times": (
            "length(created_at) = 27 AND (claimed_at IS NULL OR length(claimed_at) = 27)"
            " AND (claim_expires_at IS NULL OR length(claim_expires_at) = 27)"
            " AND (deadline_at IS NULL OR length(deadline_at) = 27)"
            " AND (finished_at IS NULL OR length(finished_at) = 27)"
        ),
        "digests": (
            "length(suite_content_digest) = 64 AND length(corpus_sha256) = 64"
            " AND length(retrieval_config_sha256) = 64 AND length(pins_digest) = 64"
            " AND length(body_digest) = 64 AND (token_digest IS NULL OR length(token_digest) = 64)"
        ),
        "idempotency_key": "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128",
        "sides": (
            "length(current_index_ref) >= 1 AND length(candidate_index_ref) >= 1"
            " AND current_index_ref <> candidate_index_ref"
            " AND current_deployment_id <> candidate_deployment_id"
        ),
        "state": (
            "state IN ('pending', 'running', 'cancel_requested', 'completed', 'failed',"
            " 'cancelled', 'interrupted')"
        ),
        "version": "version >= 1",
        "counts": (
            "case_count >= 1 AND case_count <= 100"
            " AND current_completed >= 0 AND current_completed <= case_count"
            " AND candidate_completed >= 0 AND candidate_completed <= case_count"
        ),
        "claim": (
            f"(NOT ({_HELD}) OR (token_digest IS NOT NULL AND claim_expires_at IS NOT NULL))"
            " AND (state NOT IN ('pending', 'interrupted') OR token_digest IS NULL)"
            " AND (state <> 'completed' OR token_digest IS NOT NULL)"
            " AND (state <> 'pending' OR claimed_at IS NULL)"
            " AND (claimed_at IS NULL) = (deadline_at IS NULL)"
            " AND (claim_expires_at IS NULL OR claimed_at IS NOT NULL)"
            " AND (token_digest IS NULL OR claimed_at IS NOT NULL)"
        ),
        "deadline": "claim_expires_at IS NULL OR claim_expires_at <= deadline_at",
        "ended": (
            f"({_ACTIVE}) = (finished_at IS NULL)"
            " AND (state = 'completed') = (result_digest IS NOT NULL)"
            " AND (result_digest IS NULL OR length(result_digest) = 64)"
            " AND (error_code IS NULL OR state IN ('failed', 'interrupted'))"
            " AND (error_code IS NULL OR (length(error_code) >= 1 AND length(error_code) <= 64))"
        ),
        "production_promotion_performed": "NOT production_promotion_performed",
    }


def _create_leg() -> None:
    table = "comparison_leg"
    op.create_table(
        table,
        *_texts("evaluation_id", "intent_id", "leg", "consumer_revision_sha256"),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_comparison_leg"),
        sa.UniqueConstraint("intent_id", "leg", name="uq_comparison_leg_intent_id_leg"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_comparison_leg_evaluation"
        ),
        sa.ForeignKeyConstraint(
            ["intent_id"], ["comparison_intent.id"], name="fk_comparison_leg_comparison_intent"
        ),
        *_checks(
            table,
            {
                "leg": "leg IN ('current', 'candidate')",
                "consumer_revision_sha256": "length(consumer_revision_sha256) = 64",
            },
        ),
    )


def _create_request() -> None:
    table = "comparison_request"
    op.create_table(
        table,
        *_texts("public_id", "intent_id"),
        sa.Column("case_count", sa.Integer(), nullable=False),
        *_texts("leg"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("public_id", name="pk_comparison_request"),
        sa.UniqueConstraint(
            "intent_id", "leg", "position", name="uq_comparison_request_intent_id_leg_position"
        ),
        sa.ForeignKeyConstraint(
            ["public_id"],
            ["gateway_request.public_id"],
            name="fk_comparison_request_gateway_request",
        ),
        sa.ForeignKeyConstraint(
            ["intent_id", "case_count"],
            ["comparison_intent.id", "comparison_intent.case_count"],
            name="fk_comparison_request_comparison_intent",
        ),
        *_checks(
            table,
            {
                "leg": "leg IN ('current', 'candidate')",
                "position": "position >= 0 AND position < case_count",
            },
        ),
    )


def _create_summary() -> None:
    table = "comparison_summary"
    op.create_table(
        table,
        *_texts("intent_id"),
        sa.Column("comparable", sa.Boolean(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("eligible", sa.Boolean(), nullable=False),
        sa.Column("critical_regressions", sa.Integer(), nullable=False),
        sa.Column("current_failed", sa.Integer(), nullable=False),
        sa.Column("candidate_failed", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("intent_id", name="pk_comparison_summary"),
        sa.ForeignKeyConstraint(
            ["intent_id"], ["comparison_intent.id"], name="fk_comparison_summary_comparison_intent"
        ),
        *_checks(
            table,
            {
                "eligible": "NOT eligible OR (comparable AND complete)",
                "complete": "complete = (current_failed + candidate_failed = 0)",
                "counts": (
                    "critical_regressions >= 0 AND current_failed >= 0 AND candidate_failed >= 0"
                    " AND (NOT eligible OR critical_regressions = 0)"
                ),
            },
        ),
    )


def _checks(table: str, rules: dict[str, str]) -> list[sa.CheckConstraint]:
    return [sa.CheckConstraint(rule, name=f"ck_{table}_{name}") for name, rule in rules.items()]


def _guard_sqlite() -> None:
    for table in _WRITTEN_ONCE:
        for verb in ("UPDATE", "DELETE"):
            op.execute(f"""
                CREATE TRIGGER tr_{table}_no_{verb.lower()} BEFORE {verb} ON {table}
                WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
                BEGIN SELECT RAISE(ABORT, 'append_only_{table}'); END
            """)  # noqa: S608 -- names of our tables


def _guard_postgresql() -> None:
    for table in _WRITTEN_ONCE:
        op.execute(f"""
            CREATE TRIGGER tr_{table}_append_only BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION append_only()
        """)
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_truncate BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION append_only()
        """)
