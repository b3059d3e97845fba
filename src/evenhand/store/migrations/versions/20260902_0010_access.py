"""Credentials of people, and the audit of what was changed by whom."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260902_0010"
down_revision = "20260901_0006"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("credential", "audit_entry")

_APPEND_ONLY = "audit_entry"
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables, and the guard of the audit."""
    _create_credential()
    _create_audit_entry()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop them; the guard goes with its table."""
    op.drop_table("audit_entry")
    op.drop_table("credential")


def _create_credential() -> None:
    op.create_table(
        "credential",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("name", _SORTED, nullable=False),
        sa.Column("role", _SORTED, nullable=False),
        sa.Column("token_digest", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("rotated_from", _SORTED, nullable=True),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("ended_at", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_credential"),
        sa.UniqueConstraint("token_digest", name="uq_credential_token_digest"),
        sa.UniqueConstraint("rotated_from", name="uq_credential_rotated_from"),
        sa.ForeignKeyConstraint(
            ["rotated_from"], ["credential.id"], name="fk_credential_credential"
        ),
        sa.CheckConstraint("length(id) = 36", name="ck_credential_id"),
        sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="ck_credential_name"),
        sa.CheckConstraint("role IN ('operator', 'viewer')", name="ck_credential_role"),
        sa.CheckConstraint("length(token_digest) = 64", name="ck_credential_token_digest"),
        sa.CheckConstraint("length(created_at) = 27", name="ck_credential_created_at"),
        sa.CheckConstraint(
            "state IN ('active', 'rotated', 'revoked')", name="ck_credential_state"
        ),
        sa.CheckConstraint(
            "(state = 'active') = (ended_at IS NULL)"
            " AND (ended_at IS NULL OR length(ended_at) = 27)",
            name="ck_credential_ended_at",
        ),
    )
    op.create_index("ix_credential_time", "credential", ["created_at", "id"])
    in_force = sa.text("state = 'active'")
    op.create_index(
        "ix_credential_name_in_force",
        "credential",
        ["name"],
        unique=True,
        sqlite_where=in_force,
        postgresql_where=in_force,
    )


def _create_audit_entry() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("at", _SORTED, nullable=False),
        sa.Column("actor_kind", _SORTED, nullable=False),
        sa.Column("actor_id", _SORTED, nullable=True),
        sa.Column("action", _SORTED, nullable=False),
        sa.Column("object_kind", _SORTED, nullable=False),
        sa.Column("object_id", _SORTED, nullable=False),
        sa.Column("from_state", _SORTED, nullable=True),
        sa.Column("to_state", _SORTED, nullable=True),
        sa.Column("code", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entry"),
        sa.CheckConstraint("length(id) = 36", name="ck_audit_entry_id"),
        sa.CheckConstraint("length(at) = 27", name="ck_audit_entry_at"),
        sa.CheckConstraint(
            "actor_kind IN ('operator', 'viewer', 'service_client', 'command_line', 'hub')",
            name="ck_audit_entry_actor_kind",
        ),
        sa.CheckConstraint(
            "(actor_kind IN ('command_line', 'hub')) = (actor_id IS NULL)",
            name="ck_audit_entry_actor_id",
        ),
        sa.CheckConstraint(
            "length(action) >= 1 AND length(action) <= 64"
            " AND length(object_kind) >= 1 AND length(object_kind) <= 64"
            " AND length(object_id) >= 1 AND length(object_id) <= 64"
            " AND (from_state IS NULL OR (length(from_state) >= 1 AND length(from_state) <= 64))"
            " AND (to_state IS NULL OR (length(to_state) >= 1 AND length(to_state) <= 64))"
            " AND (code IS NULL OR (length(code) >= 1 AND length(code) <= 64))",
            name="ck_audit_entry_words",
        ),
    )
    op.create_index("ix_audit_entry_time", "audit_entry", ["at", "id"])
    op.create_index(
        "ix_audit_entry_object", "audit_entry", ["object_kind", "object_id", "at", "id"]
    )


def _guard_sqlite() -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{_APPEND_ONLY}_no_{verb.lower()} BEFORE {verb} ON {_APPEND_ONLY}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{_APPEND_ONLY}'); END
        """)  # noqa: S608 -- names of our tables


def _guard_postgresql() -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{_APPEND_ONLY}_append_only BEFORE UPDATE OR DELETE ON {_APPEND_ONLY}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{_APPEND_ONLY}_no_truncate BEFORE TRUNCATE ON {_APPEND_ONLY}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
