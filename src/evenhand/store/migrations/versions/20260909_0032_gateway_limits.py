"""How much one client may ask the gateway, and how much a runtime takes at a time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260909_0032"
down_revision = "20260903_0020"
branch_labels = None
depends_on = None

#: A downgrade is refused while this holds a row: a client with a limit has asked something.
MUST_BE_EMPTY = ("gateway_allowance",)

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_LIMITS = (("service_client", "inputs_per_minute"), ("runtime", "max_inputs"))


def upgrade() -> None:
    """Create the table and the columns; nobody has a limit."""
    # As columns with their conditions: SQLite adds no condition to a table that is there.
    for table, column in _LIMITS:
        op.execute(
            f"ALTER TABLE {table} ADD COLUMN {column} INTEGER"
            f" CONSTRAINT ck_{table}_{column} CHECK ({column} >= 1)"
        )
    op.create_table(
        "gateway_allowance",
        sa.Column("client_id", _SORTED, nullable=False),
        sa.Column("full_at", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("client_id", name="pk_gateway_allowance"),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_gateway_allowance_service_client"
        ),
        sa.CheckConstraint("length(full_at) = 27", name="ck_gateway_allowance_full_at"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("gateway_allowance")
    for table, column in reversed(_LIMITS):
        # PostgreSQL takes the condition away with its column, SQLite as part of it.
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
