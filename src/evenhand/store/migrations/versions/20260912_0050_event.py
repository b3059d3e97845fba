"""Events of the analytics contract, their way to sinks, and the secrets of an installation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260912_0050"
down_revision = "20260910_0044"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row; a delivery belongs to its batch, and a
#: secret is made anew.
MUST_BE_EMPTY = ("event", "event_rejection", "event_outbox", "event_delivery_batch")

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_VIEW = "rag_retrieval_evaluated_v1"
_FIELDS = (
    "timestamp_utc",
    "event_id",
    "release",
    "account_id",
    "evaluation_id",
    "retrieval_version",
    "evaluator_version",
    "retrieval_score",
    "grounded",
    "accepted",
    "duration_ms",
    "outcome",
    "prompt_version",
    "benchmark",
    "review_stratum",
)
_APPEND_ONLY = ("event", "event_rejection", "event_outbox", "event_delivery")


def upgrade() -> None:
    """Create the tables, their guards and the view that queries read."""
    _create_event()
    _create_rejection()
    _create_outbox()
    _create_delivery()
    _create_secret()
    op.execute(f"CREATE VIEW {_VIEW} AS SELECT project_id, {', '.join(_FIELDS)} FROM event")  # noqa: S608 -- names of ours
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in _APPEND_ONLY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    op.execute(f"DROP VIEW {_VIEW}")
    for table in (
        "event_delivery",
        "event_delivery_batch",
        "event_outbox",
        "event_rejection",
        "event",
        "instance_secret",
    ):
        op.drop_table(table)


def _text(*names: str, nullable: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, _SORTED, nullable=nullable) for name in names]


def _create_event() -> None:
    op.create_table(
        "event",
        *_text("project_id", "event_id", "timestamp_utc", "account_id", "release"),
        *_text("evaluation_id", "retrieval_version", "evaluator_version"),
        sa.Column("retrieval_score", sa.Double(), nullable=False),
        sa.Column("grounded", sa.Boolean(), nullable=False),
        sa.Column("duration_ms", sa.Double(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=True),
        *_text("outcome", "prompt_version", "benchmark", "review_stratum", nullable=True),
        sa.Column("grain_digest", sa.LargeBinary(), nullable=False),
        *_text("client_id", nullable=True),
        *_text("received_at"),
        sa.PrimaryKeyConstraint("project_id", "event_id", name="pk_event"),
        sa.UniqueConstraint("grain_digest", name="uq_event_grain_digest"),
        sa.CheckConstraint(
            "retrieval_score >= 0 AND retrieval_score <= 1", name="ck_event_retrieval_score"
        ),
        sa.CheckConstraint("duration_ms >= 0", name="ck_event_duration_ms"),
        sa.CheckConstraint("outcome IN ('evaluated', 'ineligible')", name="ck_event_outcome"),
        sa.CheckConstraint("length(grain_digest) = 32", name="ck_event_grain_digest"),
        sa.CheckConstraint(
            "length(timestamp_utc) = 27 AND length(received_at) = 27", name="ck_event_times"
        ),
    )
    op.create_index("ix_event_time", "event", ["timestamp_utc"])


def _create_rejection() -> None:
    op.create_table(
        "event_rejection",
        *_text("id", "project_id"),
        *_text("client_id", nullable=True),
        *_text("received_at"),
        sa.Column("place", sa.BigInteger(), nullable=False),
        *_text("code", "field"),
        sa.PrimaryKeyConstraint("id", name="pk_event_rejection"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_event_rejection_project"),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_event_rejection_service_client"
        ),
        sa.CheckConstraint("length(id) = 36", name="ck_event_rejection_id"),
        sa.CheckConstraint("place >= 0", name="ck_event_rejection_place"),
        sa.CheckConstraint(
            "length(code) >= 1 AND length(code) <= 64"
            " AND length(field) >= 1 AND length(field) <= 64",
            name="ck_event_rejection_words",
        ),
        sa.CheckConstraint("length(received_at) = 27", name="ck_event_rejection_received_at"),
    )
    op.create_index("ix_event_rejection_received", "event_rejection", ["received_at", "id"])


def _create_outbox() -> None:
    op.create_table(
        "event_outbox",
        *_text("id", "project_id", "event_id", "key_version", "created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_event_outbox"),
        sa.UniqueConstraint("project_id", "event_id", name="uq_event_outbox_project_id_event_id"),
        sa.ForeignKeyConstraint(
            ["project_id", "event_id"],
            ["event.project_id", "event.event_id"],
            name="fk_event_outbox_event",
        ),
        sa.CheckConstraint("length(id) = 36", name="ck_event_outbox_id"),
        sa.CheckConstraint(
            "length(key_version) >= 1 AND length(key_version) <= 32",
            name="ck_event_outbox_version",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_event_outbox_created_at"),
    )


def _create_delivery() -> None:
    op.create_table(
        "event_delivery_batch",
        *_text("id", "sink", "created_at"),
        *_text("delivered_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_event_delivery_batch"),
        sa.CheckConstraint("length(id) = 36", name="ck_event_delivery_batch_id"),
        sa.CheckConstraint(
            "length(sink) >= 1 AND length(sink) <= 64", name="ck_event_delivery_batch_sink"
        ),
        sa.CheckConstraint(
            "length(created_at) = 27 AND (delivered_at IS NULL OR length(delivered_at) = 27)",
            name="ck_event_delivery_batch_times",
        ),
    )
    op.create_index(
        "ix_event_delivery_batch_open",
        "event_delivery_batch",
        ["sink"],
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    )
    op.create_table(
        "event_delivery",
        *_text("sink", "outbox_id", "batch_id"),
        sa.PrimaryKeyConstraint("sink", "outbox_id", name="pk_event_delivery"),
        sa.ForeignKeyConstraint(
            ["outbox_id"], ["event_outbox.id"], name="fk_event_delivery_event_outbox"
        ),
        sa.ForeignKeyConstraint(
            ["batch_id"],
            ["event_delivery_batch.id"],
            name="fk_event_delivery_event_delivery_batch",
        ),
    )
    op.create_index("ix_event_delivery_batch", "event_delivery", ["batch_id", "outbox_id"])


def _create_secret() -> None:
    op.create_table(
        "instance_secret",
        *_text("name"),
        sa.Column("version", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        *_text("created_at"),
        sa.PrimaryKeyConstraint("name", "version", name="pk_instance_secret"),
        sa.CheckConstraint(
            "length(name) >= 1 AND length(name) <= 64", name="ck_instance_secret_name"
        ),
        sa.CheckConstraint("version >= 1", name="ck_instance_secret_version"),
        sa.CheckConstraint("length(value) = 32", name="ck_instance_secret_value"),
        sa.CheckConstraint("length(created_at) = 27", name="ck_instance_secret_created_at"),
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
