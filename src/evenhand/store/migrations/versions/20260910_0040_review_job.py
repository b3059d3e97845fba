"""Practices with their revisions, and jobs that review by them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260910_0040"
down_revision = "20260909_0033"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = (
    "practice",
    "practice_revision",
    "agent_job",
    "agent_job_practice",
)

_APPEND_ONLY = (
    "practice_revision",
    "agent_job_practice",
)
#: What of a row never changes.
_FIXED = (
    "id, created_at, project_id, client_id, idempotency_key, body_digest, artifact_kind,"
    " artifact_id, subject_id, cohort_kind, cohort, case_id, repository_revision, origin,"
    " submitted_snapshot, submitted_digest"
)
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_practice()
    _create_practice_revision()
    _create_agent_job()
    _create_agent_job_practice()
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in _APPEND_ONLY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)
    _guard_parts("agent_job", _FIXED)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    op.drop_table("agent_job_practice")
    op.drop_table("agent_job")
    op.drop_table("practice_revision")
    op.drop_table("practice")


def _create_practice() -> None:
    op.create_table(
        "practice",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("name", _SORTED, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.CheckConstraint("length(created_at) = 27", name="ck_practice_created_at"),
        sa.CheckConstraint("length(id) = 36", name="ck_practice_id"),
        sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="ck_practice_name"),
        sa.CheckConstraint("version >= 1", name="ck_practice_version"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_practice_project"),
        sa.PrimaryKeyConstraint("id", name="pk_practice"),
        sa.UniqueConstraint("project_id", "name", name="uq_practice_project_id_name"),
    )
    op.create_index(
        "ix_practice_project", "practice", ["project_id", "created_at", "id"], unique=False
    )
    op.create_index("ix_practice_time", "practice", ["created_at", "id"], unique=False)


def _create_practice_revision() -> None:
    op.create_table(
        "practice_revision",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("practice_id", _SORTED, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("made_by_kind", _SORTED, nullable=False),
        sa.Column("made_by_id", _SORTED, nullable=True),
        sa.Column("artifact_kind", _SORTED, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("practice_group", sa.Text(), nullable=False),
        sa.Column("criteria", sa.Text(), nullable=False),
        sa.Column("content_digest", _SORTED, nullable=False),
        sa.CheckConstraint(
            "(made_by_kind IN ('command_line', 'hub')) = (made_by_id IS NULL)",
            name="ck_practice_revision_made_by_id",
        ),
        sa.CheckConstraint(
            "artifact_kind IN ('rag.answer', 'rag.retrieval_run')",
            name="ck_practice_revision_artifact_kind",
        ),
        sa.CheckConstraint(
            "made_by_kind IN ('operator', 'viewer', 'service_client', 'command_line', 'hub')",
            name="ck_practice_revision_made_by_kind",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_practice_revision_created_at"),
        sa.CheckConstraint("length(id) = 36 AND number >= 1", name="ck_practice_revision_id"),
        sa.CheckConstraint(
            "length(title) >= 1 AND length(practice_group) >= 1 AND length(criteria) >= 1 AND"
            " length(content_digest) = 64",
            name="ck_practice_revision_content",
        ),
        sa.ForeignKeyConstraint(
            ["practice_id"], ["practice.id"], name="fk_practice_revision_practice"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_practice_revision"),
        sa.UniqueConstraint(
            "practice_id", "content_digest", name="uq_practice_revision_practice_id_content_digest"
        ),
        sa.UniqueConstraint(
            "practice_id", "number", name="uq_practice_revision_practice_id_number"
        ),
    )


def _create_agent_job() -> None:
    op.create_table(
        "agent_job",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("client_id", _SORTED, nullable=True),
        sa.Column("idempotency_key", _SORTED, nullable=False),
        sa.Column("body_digest", _SORTED, nullable=False),
        sa.Column("artifact_kind", _SORTED, nullable=False),
        sa.Column("artifact_id", _SORTED, nullable=False),
        sa.Column("subject_id", _SORTED, nullable=False),
        sa.Column("cohort_kind", _SORTED, nullable=False),
        sa.Column("cohort", _SORTED, nullable=True),
        sa.Column("case_id", _SORTED, nullable=True),
        sa.Column("repository_revision", sa.Text(), nullable=True),
        sa.Column("origin", _SORTED, nullable=False),
        sa.Column("submitted_snapshot", sa.Text(), nullable=False),
        sa.Column("submitted_digest", _SORTED, nullable=False),
        sa.Column("config_snapshot", sa.Text(), nullable=True),
        sa.Column("config_digest", _SORTED, nullable=True),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("available_at", _SORTED, nullable=False),
        sa.Column("worker", _SORTED, nullable=True),
        sa.Column("token_digest", _SORTED, nullable=True),
        sa.Column("claimed_at", _SORTED, nullable=True),
        sa.Column("deadline_at", _SORTED, nullable=True),
        sa.Column("prepared_at", _SORTED, nullable=True),
        sa.Column("prompt_digest", _SORTED, nullable=True),
        sa.Column("inputs_digest", _SORTED, nullable=True),
        sa.Column("evidence_snapshot", sa.Text(), nullable=True),
        sa.Column("readiness", sa.Text(), nullable=True),
        sa.Column("execution_started_at", _SORTED, nullable=True),
        sa.Column("finished_at", _SORTED, nullable=True),
        sa.Column("outcome", _SORTED, nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("cancel_reason", _SORTED, nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("calls", sa.BigInteger(), nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_micros", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('queued', 'running')) = (finished_at IS NULL) AND"
            " (outcome IS NULL OR outcome IN ('reviewed', 'insufficient_evidence', 'failed',"
            " 'timed_out', 'cancelled', 'requeued')) AND"
            " (finished_at IS NULL OR outcome IS NOT NULL) AND"
            " (state = 'cancelled') = (cancel_reason IS NOT NULL)",
            name="ck_agent_job_end",
        ),
        sa.CheckConstraint(
            "(worker IS NULL) = (token_digest IS NULL) AND"
            " (worker IS NULL) = (claimed_at IS NULL) AND"
            " (worker IS NULL) = (deadline_at IS NULL) AND"
            " (state <> 'running' OR (worker IS NOT NULL AND config_digest IS NOT NULL)) AND"
            " (state <> 'queued' OR worker IS NULL)",
            name="ck_agent_job_claim",
        ),
        sa.CheckConstraint(
            "artifact_kind IN ('rag.answer', 'rag.retrieval_run')",
            name="ck_agent_job_artifact_kind",
        ),
        sa.CheckConstraint(
            "cancel_reason IS NULL OR cancel_reason IN ('drain_graceful', 'drain_immediate',"
            " 'budget_exhausted', 'model_unavailable')",
            name="ck_agent_job_cancel_reason",
        ),
        sa.CheckConstraint(
            "cohort_kind IN ('inputs', 'cases') AND (cohort_kind = 'cases' OR cohort IS NULL)",
            name="ck_agent_job_cohort",
        ),
        sa.CheckConstraint("origin IN ('live', 'manual', 'backfill')", name="ck_agent_job_origin"),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'completed', 'failed', 'timed_out', 'cancelled')",
            name="ck_agent_job_state",
        ),
        sa.CheckConstraint(
            "(prepared_at IS NULL) = (inputs_digest IS NULL) AND"
            " (prepared_at IS NULL) = (evidence_snapshot IS NULL) AND"
            " (prepared_at IS NULL) = (readiness IS NULL) AND"
            " (prepared_at IS NOT NULL OR prompt_digest IS NULL) AND"
            " (execution_started_at IS NULL OR prompt_digest IS NOT NULL) AND"
            " (prepared_at IS NULL OR worker IS NOT NULL)",
            name="ck_agent_job_preparation",
        ),
        sa.CheckConstraint(
            "length(created_at) = 27 AND length(available_at) = 27", name="ck_agent_job_created_at"
        ),
        sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="ck_agent_job_id"),
        sa.CheckConstraint(
            "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128 AND"
            " length(body_digest) = 64",
            name="ck_agent_job_idempotency_key",
        ),
        sa.CheckConstraint(
            "length(submitted_digest) = 64 AND"
            " (config_snapshot IS NULL) = (config_digest IS NULL) AND"
            " (config_digest IS NULL OR length(config_digest) = 64)",
            name="ck_agent_job_config",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_agent_job_service_client"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_agent_job_project"),
        sa.PrimaryKeyConstraint("id", name="pk_agent_job"),
        sa.UniqueConstraint(
            "project_id", "idempotency_key", name="uq_agent_job_project_id_idempotency_key"
        ),
    )
    op.create_index("ix_agent_job_deadline", "agent_job", ["state", "deadline_at"], unique=False)
    op.create_index(
        "ix_agent_job_queue",
        "agent_job",
        ["project_id", "state", "available_at", "id"],
        unique=False,
    )
    op.create_index("ix_agent_job_time", "agent_job", ["created_at", "id"], unique=False)


def _create_agent_job_practice() -> None:
    op.create_table(
        "agent_job_practice",
        sa.Column("job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("practice_revision_id", _SORTED, nullable=False),
        sa.Column("ready", sa.Boolean(), nullable=False),
        sa.CheckConstraint("attempt >= 1", name="ck_agent_job_practice_attempt"),
        sa.ForeignKeyConstraint(
            ["job_id"], ["agent_job.id"], name="fk_agent_job_practice_agent_job"
        ),
        sa.ForeignKeyConstraint(
            ["practice_revision_id"],
            ["practice_revision.id"],
            name="fk_agent_job_practice_practice_revision",
        ),
        sa.PrimaryKeyConstraint(
            "job_id", "attempt", "practice_revision_id", name="pk_agent_job_practice"
        ),
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


def _guard_parts(table: str, columns: str) -> None:
    """Refuse to change what stays, and to take a row away; the other columns may change."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"""
            CREATE TRIGGER tr_{table}_fixed BEFORE UPDATE OF {columns} ON {table}
            FOR EACH ROW EXECUTE FUNCTION append_only()
        """)
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_delete BEFORE DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION append_only()
        """)
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_truncate BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION append_only()
        """)
        return
    for name, verb in (("fixed", f"UPDATE OF {columns}"), ("no_delete", "DELETE")):
        op.execute(f"""
            CREATE TRIGGER tr_{table}_{name} BEFORE {verb} ON {table}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{table}'); END
        """)  # noqa: S608 -- names of our tables
