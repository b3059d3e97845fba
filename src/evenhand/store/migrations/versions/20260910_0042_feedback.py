"""What was composed from findings, where it was put, what came back; the joins between them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260910_0042"
down_revision = "20260910_0041"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = (
    "feedback",
    "feedback_observation",
    "feedback_placement",
    "feedback_dispatch",
    "reaction",
    "answer_acceptance",
)

_APPEND_ONLY = (
    "feedback_observation",
    "feedback_placement",
    "feedback_dispatch",
    "reaction",
    "answer_acceptance",
)
#: What of a row never changes.
_FIXED = (
    "id, project_id, agent_job_id, recipient, channel, position, body, replaces_id,"
    " thread_key, created_at"
)
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

_VIEWS = {
    "observation_review": """
        SELECT o.id AS observation_id, o.agent_job_id, o.attempt, o.practice_revision_id,
               o.recurrence_key, o.presence, o.assessment, o.severity, o.created_at,
               j.project_id, j.artifact_kind, j.artifact_id, j.subject_id, j.cohort_kind, j.cohort,
               j.case_id, j.origin, j.repository_revision, j.config_digest, j.prompt_digest,
               j.inputs_digest, p.name AS practice, r.number AS practice_revision_number,
               r.content_digest AS practice_revision_digest, u.model, u.calls, u.input_tokens,
               u.cached_input_tokens, u.output_tokens, u.pricing, u.cost_micros
        FROM observation AS o
        JOIN agent_job AS j ON j.id = o.agent_job_id
        JOIN practice_revision AS r ON r.id = o.practice_revision_id
        JOIN practice AS p ON p.id = r.practice_id
        LEFT JOIN llm_usage_event AS u ON u.source_type = 'agent_job'
             AND u.source_id = o.agent_job_id AND u.attempt = o.attempt
    """,
    "observation_feedback": """
        SELECT o.id AS observation_id, o.agent_job_id, l.feedback_id, l.role, l.ordinal,
               f.channel, f.state, f.suppression_reason
        FROM observation AS o
        LEFT JOIN feedback_observation AS l ON l.observation_id = o.id
        LEFT JOIN feedback AS f ON f.id = l.feedback_id
    """,
    "feedback_placement_evidence": """
        SELECT f.id AS feedback_id, f.agent_job_id, f.project_id, f.channel, f.state,
               (SELECT count(*) FROM feedback_placement AS p WHERE p.feedback_id = f.id)
               AS placements,
               (SELECT count(*) FROM feedback_placement AS p
                WHERE p.feedback_id = f.id AND p.channel_reference IS NOT NULL)
               AS referenced_placements,
               (SELECT count(*) FROM feedback_dispatch AS d
                WHERE d.feedback_id = f.id AND d.acknowledgement IS NOT NULL)
               AS acknowledged_dispatches,
               CASE WHEN EXISTS (SELECT 1 FROM feedback_placement AS p
                                 WHERE p.feedback_id = f.id AND p.channel_reference IS NOT NULL)
                      OR EXISTS (SELECT 1 FROM feedback_dispatch AS d
                                 WHERE d.feedback_id = f.id AND d.acknowledgement IS NOT NULL)
                    THEN 'proven' ELSE 'none' END AS placement_evidence
        FROM feedback AS f
    """,
    "reaction_observation": """
        SELECT x.id AS reaction_id, x.feedback_id, l.observation_id, l.role, x.reactor,
               x.usefulness, x.resolution, x.explained, x.created_at,
               CASE WHEN EXISTS (SELECT 1 FROM reaction AS y
                                 WHERE y.feedback_id = x.feedback_id AND y.reactor = x.reactor
                                   AND (y.created_at > x.created_at
                                        OR (y.created_at = x.created_at AND y.id > x.id)))
                    THEN 0 ELSE 1 END AS is_current
        FROM reaction AS x
        JOIN feedback_observation AS l ON l.feedback_id = x.feedback_id
    """,
}


def upgrade() -> None:
    """Create the tables, the views and their guards."""
    _create_feedback()
    _create_feedback_observation()
    _create_feedback_placement()
    _create_feedback_dispatch()
    _create_reaction()
    _create_answer_acceptance()
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in _APPEND_ONLY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)
    _guard_parts("feedback", _FIXED)
    for view, query in _VIEWS.items():
        op.execute(f"CREATE VIEW {view} AS {query}")


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    for view in _VIEWS:
        op.execute(f"DROP VIEW {view}")
    op.drop_table("answer_acceptance")
    op.drop_table("reaction")
    op.drop_table("feedback_dispatch")
    op.drop_table("feedback_placement")
    op.drop_table("feedback_observation")
    op.drop_table("feedback")


def _create_feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("agent_job_id", _SORTED, nullable=False),
        sa.Column("recipient", _SORTED, nullable=False),
        sa.Column("channel", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("suppression_reason", _SORTED, nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("replaces_id", _SORTED, nullable=True),
        sa.Column("thread_key", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("delivered_at", _SORTED, nullable=True),
        sa.CheckConstraint(
            "(state <> 'delivered' OR delivered_at IS NOT NULL) AND"
            " (delivered_at IS NULL OR (length(delivered_at) = 27 AND state IN ('delivered',"
            " 'superseded')))",
            name="ck_feedback_delivered_at",
        ),
        sa.CheckConstraint(
            "(state = 'suppressed') = (suppression_reason IS NOT NULL) AND"
            " (suppression_reason IS NULL OR suppression_reason IN ('volume_capped',"
            " 'composer_deduped', 'reacted_disputed', 'reacted_not_applicable',"
            " 'conversation_expired', 'artifact_gone', 'artifact_closed', 'artifact_merged',"
            " 'recipient_opted_out', 'empty_after_sanitize', 'instance_silenced',"
            " 'workspace_disabled', 'approval_stale', 'approval_no_longer_eligible',"
            " 'practice_requires_approval', 'backfill_quiet'))",
            name="ck_feedback_suppression_reason",
        ),
        sa.CheckConstraint(
            "channel IN ('in_context', 'in_chat', 'in_app')", name="ck_feedback_channel"
        ),
        sa.CheckConstraint(
            "state IN ('awaiting_approval', 'prepared', 'delivered', 'superseded',"
            " 'suppressed', 'failed', 'discarded')",
            name="ck_feedback_state",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_feedback_created_at"),
        sa.CheckConstraint("length(id) = 36 AND position >= 0", name="ck_feedback_id"),
        sa.CheckConstraint("length(thread_key) = 64", name="ck_feedback_thread_key"),
        sa.ForeignKeyConstraint(["agent_job_id"], ["agent_job.id"], name="fk_feedback_agent_job"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_feedback_project"),
        sa.ForeignKeyConstraint(["replaces_id"], ["feedback.id"], name="fk_feedback_replaces"),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
        sa.UniqueConstraint("agent_job_id", "position", name="uq_feedback_agent_job_id_position"),
    )
    op.create_index(
        "ix_feedback_project", "feedback", ["project_id", "created_at", "id"], unique=False
    )


def _create_feedback_observation() -> None:
    op.create_table(
        "feedback_observation",
        sa.Column("feedback_id", _SORTED, nullable=False),
        sa.Column("observation_id", _SORTED, nullable=False),
        sa.Column("role", _SORTED, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "role IN ('primary', 'supporting') AND ordinal >= 0",
            name="ck_feedback_observation_role",
        ),
        sa.ForeignKeyConstraint(
            ["feedback_id"], ["feedback.id"], name="fk_feedback_observation_feedback"
        ),
        sa.ForeignKeyConstraint(
            ["observation_id"], ["observation.id"], name="fk_feedback_observation_observation"
        ),
        sa.PrimaryKeyConstraint("feedback_id", "observation_id", name="pk_feedback_observation"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_feedback_observation_observation",
        "feedback_observation",
        ["observation_id", "feedback_id"],
        unique=False,
    )


def _create_feedback_placement() -> None:
    op.create_table(
        "feedback_placement",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("feedback_id", _SORTED, nullable=False),
        sa.Column("type", _SORTED, nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("channel_reference", sa.Text(), nullable=True),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "type IN ('summary', 'inline', 'conversation_turn') AND"
            " (type = 'inline') = (path IS NOT NULL) AND (type = 'inline' OR line IS NULL)",
            name="ck_feedback_placement_type",
        ),
        sa.CheckConstraint(
            "channel_reference IS NULL OR length(trim(channel_reference)) > 0",
            name="ck_feedback_placement_channel_reference",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_feedback_placement_created_at"),
        sa.CheckConstraint("length(id) = 36", name="ck_feedback_placement_id"),
        sa.ForeignKeyConstraint(
            ["feedback_id"], ["feedback.id"], name="fk_feedback_placement_feedback"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_feedback_placement"),
    )
    op.create_index(
        "ix_feedback_placement_feedback",
        "feedback_placement",
        ["feedback_id", "created_at", "id"],
        unique=False,
    )


def _create_feedback_dispatch() -> None:
    op.create_table(
        "feedback_dispatch",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("feedback_id", _SORTED, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("acknowledgement", sa.Text(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "(acknowledgement IS NULL OR length(trim(acknowledgement)) > 0) AND"
            " (acknowledgement IS NULL OR error_class IS NULL)",
            name="ck_feedback_dispatch_acknowledgement",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_feedback_dispatch_created_at"),
        sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="ck_feedback_dispatch_id"),
        sa.ForeignKeyConstraint(
            ["feedback_id"], ["feedback.id"], name="fk_feedback_dispatch_feedback"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_feedback_dispatch"),
        sa.UniqueConstraint(
            "feedback_id", "attempt", name="uq_feedback_dispatch_feedback_id_attempt"
        ),
    )


def _create_reaction() -> None:
    op.create_table(
        "reaction",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("feedback_id", _SORTED, nullable=False),
        sa.Column("reactor", _SORTED, nullable=False),
        sa.Column("usefulness", _SORTED, nullable=True),
        sa.Column("resolution", _SORTED, nullable=True),
        sa.Column("explained", sa.Boolean(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=True),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "(resolution IS NULL OR resolution <> 'disputed' OR explained) AND"
            " (explanation IS NULL OR explained)",
            name="ck_reaction_explanation",
        ),
        sa.CheckConstraint(
            "resolution IS NULL OR resolution IN ('addressed', 'disputed', 'not_applicable')",
            name="ck_reaction_resolution",
        ),
        sa.CheckConstraint(
            "usefulness IS NULL OR usefulness IN ('useful', 'not_useful')",
            name="ck_reaction_usefulness",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_reaction_created_at"),
        sa.CheckConstraint("length(id) = 36", name="ck_reaction_id"),
        sa.ForeignKeyConstraint(["feedback_id"], ["feedback.id"], name="fk_reaction_feedback"),
        sa.PrimaryKeyConstraint("id", name="pk_reaction"),
    )
    op.create_index(
        "ix_reaction_feedback",
        "reaction",
        ["feedback_id", "reactor", "created_at", "id"],
        unique=False,
    )


def _create_answer_acceptance() -> None:
    op.create_table(
        "answer_acceptance",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("answer_id", _SORTED, nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("by_kind", _SORTED, nullable=False),
        sa.Column("by_id", _SORTED, nullable=True),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.CheckConstraint(
            "by_kind IN ('operator', 'viewer', 'service_client', 'command_line', 'hub')",
            name="ck_answer_acceptance_by_kind",
        ),
        sa.CheckConstraint(
            "length(answer_id) >= 1 AND length(answer_id) <= 190",
            name="ck_answer_acceptance_answer_id",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_answer_acceptance_created_at"),
        sa.CheckConstraint("length(id) = 36", name="ck_answer_acceptance_id"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_answer_acceptance_project"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_answer_acceptance"),
    )
    op.create_index(
        "ix_answer_acceptance_answer",
        "answer_acceptance",
        ["project_id", "answer_id", "created_at", "id"],
        unique=False,
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
