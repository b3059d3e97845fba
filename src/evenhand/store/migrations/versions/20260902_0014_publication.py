"""How evaluations came over the network: project, writer, key and digest of what was sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260902_0014"
down_revision = "20260902_0013"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("evaluation_publication",)

_TABLE = "evaluation_publication"
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table and its guard."""
    op.create_table(
        _TABLE,
        sa.Column("evaluation_id", _SORTED, nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("suite_revision_id", _SORTED, nullable=True),
        sa.Column("client_id", _SORTED, nullable=True),
        sa.Column("credential_id", _SORTED, nullable=False),
        sa.Column("idempotency_key", _SORTED, nullable=False),
        sa.Column("body_digest", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_evaluation_publication"),
        sa.UniqueConstraint(
            "project_id",
            "idempotency_key",
            name="uq_evaluation_publication_project_id_idempotency_key",
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_publication_evaluation"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_evaluation_publication_project"
        ),
        sa.ForeignKeyConstraint(
            ["suite_revision_id"],
            ["suite_revision.id"],
            name="fk_evaluation_publication_suite_revision",
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_evaluation_publication_service_client"
        ),
        sa.ForeignKeyConstraint(
            ["credential_id"], ["credential.id"], name="fk_evaluation_publication_credential"
        ),
        sa.CheckConstraint(
            "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128",
            name="ck_evaluation_publication_idempotency_key",
        ),
        sa.CheckConstraint(
            "length(body_digest) = 64", name="ck_evaluation_publication_body_digest"
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_evaluation_publication_created_at"),
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop it; the guard goes with its table."""
    op.drop_table(_TABLE)


def _guard_sqlite() -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{_TABLE}_no_{verb.lower()} BEFORE {verb} ON {_TABLE}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{_TABLE}'); END
        """)  # noqa: S608 -- names of our tables


def _guard_postgresql() -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_append_only BEFORE UPDATE OR DELETE ON {_TABLE}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{_TABLE}_no_truncate BEFORE TRUNCATE ON {_TABLE}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
