"""Orders of the console's lists: requests, reviews and the audit by what they are looked for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260914_0061"
down_revision = "20260914_0060"
branch_labels = None
depends_on = None

#: Nothing is kept here that a downgrade could lose.
MUST_BE_EMPTY = ()

_ORDERS = (
    ("ix_gateway_request_client", "gateway_request", ("client_id", "created_at", "id")),
    ("ix_gateway_request_deployment", "gateway_request", ("deployment_id", "created_at", "id")),
    ("ix_agent_job_project", "agent_job", ("project_id", "created_at", "id")),
    ("ix_agent_job_state", "agent_job", ("state", "created_at", "id")),
    ("ix_audit_entry_kind", "audit_entry", ("object_kind", "at", "id")),
    ("ix_audit_entry_actor", "audit_entry", ("actor_id", "at", "id")),
)
# Almost every request completes: only what did not is looked for by its state.
_NOT_COMPLETED = ("ix_gateway_request_not_completed", "gateway_request")


def upgrade() -> None:
    """Create the indexes."""
    for name, table, columns in _ORDERS:
        op.create_index(name, table, list(columns))
    name, table = _NOT_COMPLETED
    words = sa.text("state <> 'completed'")
    op.create_index(
        name,
        table,
        ["state", "created_at", "id"],
        sqlite_where=words,
        postgresql_where=words,
    )


def downgrade() -> None:
    """Drop them."""
    for name, table in (_NOT_COMPLETED, *((name, table) for name, table, _ in _ORDERS)):
        op.drop_index(name, table)
