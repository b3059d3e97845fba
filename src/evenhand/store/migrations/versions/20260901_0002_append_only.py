"""Evaluations become append-only; what retention takes away leaves a trace."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260901_0002"
down_revision = "20260901_0001"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row: the evaluations would lose their guard.
MUST_BE_EMPTY = ("evaluation", "retention_action")

_APPEND_ONLY = (
    "evaluation",
    "evaluation_outcome",
    "evaluation_ranking",
    "evaluation_ranked_document",
)
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the trace and the triggers."""
    _create_retention()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def downgrade() -> None:
    """Drop the triggers and the trace."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_table("retention_action")
        op.execute("DROP FUNCTION append_only() CASCADE")
        op.execute("DROP FUNCTION retention_action_guard()")
        return
    for table in _APPEND_ONLY:
        op.execute(f"DROP TRIGGER tr_{table}_no_update")
        op.execute(f"DROP TRIGGER tr_{table}_no_delete")
    op.drop_table("retention_action")


def _create_retention() -> None:
    op.create_table(
        "retention_action",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("at", _SORTED, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("open_marker", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_retention_action"),
        # No id satisfies it, so a row that is still open cannot be committed.
        sa.ForeignKeyConstraint(
            ["open_marker"],
            ["retention_action.id"],
            name="fk_retention_action_closed",
            deferrable=True,
            initially="DEFERRED",
        ),
        sa.CheckConstraint(
            "length(id) = 36 AND id NOT LIKE 'open:%'", name="ck_retention_action_id"
        ),
        sa.CheckConstraint("open_marker LIKE 'open:%'", name="ck_retention_action_open_marker"),
        sa.CheckConstraint("length(at) = 27", name="ck_retention_action_at"),
        sa.CheckConstraint("rows >= 0", name="ck_retention_action_rows"),
    )
    op.create_index(
        "ix_retention_action_open",
        "retention_action",
        ["open_marker"],
        sqlite_where=sa.text("open_marker IS NOT NULL"),
        postgresql_where=sa.text("open_marker IS NOT NULL"),
    )


def _guard_sqlite() -> None:
    for table in _APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            # One writer at a time, and an open row cannot be committed: a row that is seen open
            # here was written by this very transaction.
            op.execute(f"""
                CREATE TRIGGER tr_{table}_no_{verb.lower()} BEFORE {verb} ON {table}
                WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
                BEGIN SELECT RAISE(ABORT, 'append_only_{table}'); END
            """)  # noqa: S608 -- names of our tables
    op.execute("""
        CREATE TRIGGER tr_retention_action_no_delete BEFORE DELETE ON retention_action
        BEGIN SELECT RAISE(ABORT, 'append_only_retention_action'); END
    """)
    op.execute("""
        CREATE TRIGGER tr_retention_action_close_only BEFORE UPDATE ON retention_action
        WHEN OLD.open_marker IS NULL OR NEW.open_marker IS NOT NULL OR OLD.id <> NEW.id
          OR OLD.at <> NEW.at OR OLD.actor <> NEW.actor OR OLD.rule <> NEW.rule
        BEGIN SELECT RAISE(ABORT, 'append_only_retention_action'); END
    """)


def _guard_postgresql() -> None:
    op.execute("""
        CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          -- A marker names its transaction: one that another transaction wrote opens nothing.
          IF TG_OP <> 'TRUNCATE' AND EXISTS (
            SELECT 1 FROM retention_action
            WHERE open_marker = 'open:' || pg_current_xact_id()::text
          ) THEN
            IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
            RETURN NEW;
          END IF;
          RAISE EXCEPTION 'append_only_%', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'append_only_' || TG_TABLE_NAME;
        END
        $body$
    """)
    op.execute("""
        CREATE FUNCTION retention_action_guard() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          IF TG_OP = 'INSERT' THEN
            IF NEW.open_marker IS NULL
              OR NEW.open_marker = 'open:' || pg_current_xact_id()::text THEN
              RETURN NEW;
            END IF;
          ELSIF TG_OP = 'UPDATE' THEN
            IF OLD.open_marker IS NOT NULL AND NEW.open_marker IS NULL
              AND (OLD.id, OLD.at, OLD.actor, OLD.rule) = (NEW.id, NEW.at, NEW.actor, NEW.rule)
            THEN
              RETURN NEW;
            END IF;
          END IF;
          RAISE EXCEPTION 'append_only_%', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'append_only_' || TG_TABLE_NAME;
        END
        $body$
    """)
    for table in _APPEND_ONLY:
        op.execute(f"""
            CREATE TRIGGER tr_{table}_append_only BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION append_only()
        """)
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_truncate BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION append_only()
        """)
    op.execute("""
        CREATE TRIGGER tr_retention_action_guard BEFORE INSERT OR UPDATE OR DELETE
        ON retention_action FOR EACH ROW EXECUTE FUNCTION retention_action_guard()
    """)
    op.execute("""
        CREATE TRIGGER tr_retention_action_no_truncate BEFORE TRUNCATE ON retention_action
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
