"""What stays of reviews: attempts, transitions, usage, findings and what was refused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260910_0041"
down_revision = "20260910_0040"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = (
    "review_attempt",
    "job_transition",
    "llm_usage_event",
    "observation_admission",
    "observation",
    "review_candidate_rejection",
)

_APPEND_ONLY = (
    "review_attempt",
    "job_transition",
    "llm_usage_event",
    "observation_admission",
    "observation",
    "review_candidate_rejection",
)
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_review_attempt()
    _create_job_transition()
    _create_llm_usage_event()
    _create_observation_admission()
    _create_observation()
    _create_review_candidate_rejection()
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in _APPEND_ONLY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    op.drop_table("review_candidate_rejection")
    op.drop_table("observation")
    op.drop_table("observation_admission")
    op.drop_table("llm_usage_event")
    op.drop_table("job_transition")
    op.drop_table("review_attempt")


def _create_review_attempt() -> None:
    op.create_table(
        "review_attempt",
        sa.Column("job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("worker", _SORTED, nullable=True),
        sa.Column("claimed_at", _SORTED, nullable=True),
        sa.Column("prepared_at", _SORTED, nullable=True),
        sa.Column("execution_started_at", _SORTED, nullable=True),
        sa.Column("ended_at", _SORTED, nullable=False),
        sa.Column("outcome", _SORTED, nullable=False),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("config_digest", _SORTED, nullable=True),
        sa.Column("prompt_digest", _SORTED, nullable=True),
        sa.Column("inputs_digest", _SORTED, nullable=True),
        sa.Column("candidates_seen", sa.Integer(), nullable=True),
        sa.Column("candidates_persisted", sa.Integer(), nullable=True),
        sa.Column("candidates_rejected", sa.Integer(), nullable=True),
        sa.Column("unreadable", sa.Boolean(), nullable=True),
        sa.CheckConstraint(
            "(error_class IS NOT NULL) = (outcome IN ('failed', 'timed_out', 'requeued'))",
            name="ck_review_attempt_error_class",
        ),
        sa.CheckConstraint(
            "outcome IN ('reviewed', 'insufficient_evidence', 'failed', 'timed_out',"
            " 'cancelled', 'requeued')",
            name="ck_review_attempt_outcome",
        ),
        sa.CheckConstraint(
            "(candidates_seen IS NULL) = (unreadable IS NULL) AND"
            " (candidates_seen IS NULL) = (candidates_persisted IS NULL) AND"
            " (candidates_seen IS NULL) = (candidates_rejected IS NULL) AND"
            " (candidates_seen IS NULL OR (candidates_persisted >= 0 AND"
            " candidates_rejected >= 0 AND"
            " candidates_seen = candidates_persisted + candidates_rejected))",
            name="ck_review_attempt_candidates",
        ),
        sa.CheckConstraint("attempt >= 1", name="ck_review_attempt_attempt"),
        sa.CheckConstraint("length(ended_at) = 27", name="ck_review_attempt_ended_at"),
        sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"], name="fk_review_attempt_agent_job"),
        sa.PrimaryKeyConstraint("job_id", "attempt", name="pk_review_attempt"),
        sqlite_with_rowid=False,
    )


def _create_job_transition() -> None:
    op.create_table(
        "job_transition",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("from_state", _SORTED, nullable=True),
        sa.Column("to_state", _SORTED, nullable=False),
        sa.Column("at", _SORTED, nullable=False),
        sa.Column("actor_kind", _SORTED, nullable=False),
        sa.Column("actor_id", _SORTED, nullable=True),
        sa.Column("reason", _SORTED, nullable=True),
        sa.CheckConstraint(
            "(actor_kind IN ('command_line', 'hub')) = (actor_id IS NULL)",
            name="ck_job_transition_actor_id",
        ),
        sa.CheckConstraint(
            "actor_kind IN ('operator', 'viewer', 'service_client', 'command_line', 'hub')",
            name="ck_job_transition_actor_kind",
        ),
        sa.CheckConstraint(
            "to_state IN ('queued', 'running', 'completed', 'failed', 'timed_out',"
            " 'cancelled') AND (from_state IS NULL OR from_state IN ('queued', 'running'))",
            name="ck_job_transition_states",
        ),
        sa.CheckConstraint("length(at) = 27", name="ck_job_transition_at"),
        sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="ck_job_transition_id"),
        sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"], name="fk_job_transition_agent_job"),
        sa.PrimaryKeyConstraint("id", name="pk_job_transition"),
    )
    op.create_index(
        "ix_job_transition_job", "job_transition", ["job_id", "at", "id"], unique=False
    )


def _create_llm_usage_event() -> None:
    op.create_table(
        "llm_usage_event",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("source_type", _SORTED, nullable=False),
        sa.Column("source_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("usage_source", _SORTED, nullable=False),
        sa.Column("pricing", _SORTED, nullable=False),
        sa.Column("input_rate", sa.Text(), nullable=True),
        sa.Column("cached_input_rate", sa.Text(), nullable=True),
        sa.Column("output_rate", sa.Text(), nullable=True),
        sa.Column("cost_micros", sa.BigInteger(), nullable=True),
        sa.Column("occurred_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "calls >= 0 AND (input_tokens IS NULL OR input_tokens >= 0) AND"
            " (cached_input_tokens IS NULL OR cached_input_tokens >= 0) AND"
            " (output_tokens IS NULL OR output_tokens >= 0) AND"
            " (usage_source = 'none') = (input_tokens IS NULL AND"
            " cached_input_tokens IS NULL AND output_tokens IS NULL)",
            name="ck_llm_usage_event_counts",
        ),
        sa.CheckConstraint(
            "pricing IN ('priced', 'no_charge', 'unpriced') AND"
            " (pricing = 'unpriced') = (cost_micros IS NULL) AND"
            " (cost_micros IS NULL OR cost_micros >= 0) AND"
            " (pricing <> 'no_charge' OR cost_micros = 0)",
            name="ck_llm_usage_event_pricing",
        ),
        sa.CheckConstraint("source_type = 'agent_job'", name="ck_llm_usage_event_source_type"),
        sa.CheckConstraint(
            "usage_source IN ('runner', 'proxy', 'merged', 'none')",
            name="ck_llm_usage_event_usage_source",
        ),
        sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="ck_llm_usage_event_id"),
        sa.CheckConstraint("length(occurred_at) = 27", name="ck_llm_usage_event_occurred_at"),
        sa.PrimaryKeyConstraint("id", name="pk_llm_usage_event"),
        sa.UniqueConstraint(
            "source_type",
            "source_id",
            "attempt",
            name="uq_llm_usage_event_source_type_source_id_attempt",
        ),
    )


def _create_observation_admission() -> None:
    op.create_table(
        "observation_admission",
        sa.Column("job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("payload_digest", _SORTED, nullable=False),
        sa.Column("candidates_seen", sa.Integer(), nullable=False),
        sa.Column("candidates_persisted", sa.Integer(), nullable=False),
        sa.Column("candidates_rejected", sa.Integer(), nullable=False),
        sa.Column("unreadable", sa.Boolean(), nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "attempt >= 1 AND length(payload_digest) = 64", name="ck_observation_admission_payload"
        ),
        sa.CheckConstraint(
            "candidates_persisted >= 0 AND candidates_rejected >= 0 AND"
            " candidates_seen = candidates_persisted + candidates_rejected",
            name="ck_observation_admission_candidates",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_observation_admission_created_at"),
        sa.ForeignKeyConstraint(
            ["job_id"], ["agent_job.id"], name="fk_observation_admission_agent_job"
        ),
        sa.PrimaryKeyConstraint("job_id", name="pk_observation_admission"),
    )


def _create_observation() -> None:
    op.create_table(
        "observation",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("agent_job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("practice_revision_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("occurrence_key", _SORTED, nullable=False),
        sa.Column("recurrence_key", _SORTED, nullable=False),
        sa.Column("presence", _SORTED, nullable=False),
        sa.Column("assessment", _SORTED, nullable=True),
        sa.Column("severity", _SORTED, nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "(assessment IS NOT NULL) = (presence IN ('present', 'absent')) AND"
            " (assessment IS NULL OR assessment IN ('good', 'bad'))",
            name="ck_observation_assessment",
        ),
        sa.CheckConstraint(
            "(severity IS NOT NULL) = (assessment IS NOT NULL AND assessment = 'bad') AND"
            " (severity IS NULL OR severity IN ('critical', 'major', 'minor', 'info'))",
            name="ck_observation_severity",
        ),
        sa.CheckConstraint(
            "presence IN ('present', 'absent', 'not_applicable', 'inconclusive')",
            name="ck_observation_presence",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_observation_created_at"),
        sa.CheckConstraint(
            "length(id) = 36 AND attempt >= 1 AND position >= 0", name="ck_observation_id"
        ),
        sa.CheckConstraint(
            "length(occurrence_key) = 64 AND length(recurrence_key) = 64",
            name="ck_observation_keys",
        ),
        sa.ForeignKeyConstraint(
            ["agent_job_id", "attempt", "practice_revision_id"],
            [
                "agent_job_practice.job_id",
                "agent_job_practice.attempt",
                "agent_job_practice.practice_revision_id",
            ],
            name="fk_observation_agent_job_practice",
        ),
        sa.ForeignKeyConstraint(
            ["agent_job_id"], ["agent_job.id"], name="fk_observation_agent_job"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_observation"),
        sa.UniqueConstraint(
            "agent_job_id", "position", name="uq_observation_agent_job_id_position"
        ),
        sa.UniqueConstraint("occurrence_key", name="uq_observation_occurrence_key"),
    )
    op.create_index(
        "ix_observation_practice",
        "observation",
        ["practice_revision_id", "agent_job_id"],
        unique=False,
    )
    op.create_index(
        "ix_observation_recurrence", "observation", ["recurrence_key", "created_at"], unique=False
    )


def _create_review_candidate_rejection() -> None:
    op.create_table(
        "review_candidate_rejection",
        sa.Column("job_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("reason", _SORTED, nullable=False),
        sa.CheckConstraint(
            "reason IN ('unreadable_output', 'not_an_object', 'unknown_field', 'missing_field',"
            " 'invalid_text', 'invalid_word', 'contradiction', 'invalid_evidence',"
            " 'evidence_not_staged', 'practice_not_admitted') AND"
            " (position = -1) = (reason = 'unreadable_output')",
            name="ck_review_candidate_rejection_reason",
        ),
        sa.CheckConstraint(
            "attempt >= 1 AND position >= -1", name="ck_review_candidate_rejection_position"
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["agent_job.id"], name="fk_review_candidate_rejection_agent_job"
        ),
        sa.PrimaryKeyConstraint(
            "job_id", "attempt", "position", name="pk_review_candidate_rejection"
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
