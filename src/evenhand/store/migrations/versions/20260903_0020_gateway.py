"""What happened at the gateway: one row a request, one a call of an upstream."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260903_0020"
down_revision = "20260902_0014"
branch_labels = None
depends_on = None

#: A downgrade is refused while this holds a row; a call belongs to a request.
MUST_BE_EMPTY = ("gateway_request", "gateway_attempt")

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_request()
    _create_attempt()
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in MUST_BE_EMPTY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    op.drop_table("gateway_attempt")
    op.drop_table("gateway_request")


def _create_request() -> None:
    op.create_table(
        "gateway_request",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("public_id", _SORTED, nullable=False),
        sa.Column("capability", _SORTED, nullable=False),
        sa.Column("credential_id", _SORTED, nullable=False),
        sa.Column("client_id", _SORTED, nullable=True),
        sa.Column("project_id", _SORTED, nullable=True),
        sa.Column("binding_id", _SORTED, nullable=True),
        sa.Column("route_id", _SORTED, nullable=True),
        sa.Column("deployment_id", _SORTED, nullable=True),
        sa.Column("input_kind", _SORTED, nullable=True),
        sa.Column("input_count", sa.Integer(), nullable=True),
        sa.Column("input_bytes", sa.BigInteger(), nullable=True),
        sa.Column("purpose", _SORTED, nullable=True),
        sa.Column("query_digest", _SORTED, nullable=True),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("error_code", _SORTED, nullable=True),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=True),
        sa.Column("zero_vectors", sa.Integer(), nullable=False),
        sa.Column("from_cache", sa.Boolean(), nullable=False),
        sa.Column("from_fallback", sa.Boolean(), nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("completed_at", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_gateway_request"),
        sa.UniqueConstraint("public_id", name="uq_gateway_request_public_id"),
        *_references(),
        *_checks(),
    )
    op.create_index("ix_gateway_request_time", "gateway_request", ["created_at", "id"])


def _references() -> list[sa.ForeignKeyConstraint]:
    of_project = [
        sa.ForeignKeyConstraint(
            [f"{noun}_id", "project_id"],
            [f"{noun}.id", f"{noun}.project_id"],
            name=f"fk_gateway_request_{noun}",
        )
        for noun in ("binding", "route", "deployment")
    ]
    return [
        sa.ForeignKeyConstraint(
            ["credential_id"], ["credential.id"], name="fk_gateway_request_credential"
        ),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_gateway_request_service_client"
        ),
        *of_project,
    ]


def _checks() -> list[sa.CheckConstraint]:
    stated = {
        "id": "length(id) = 36",
        "public_id": "length(public_id) = 36 AND substr(public_id, 1, 4) = 'req_'",
        "capability": "length(capability) >= 1 AND length(capability) <= 64",
        "served": (
            "(route_id IS NULL) = (deployment_id IS NULL)"
            " AND (route_id IS NULL) = (binding_id IS NULL)"
            " AND (route_id IS NULL OR project_id IS NOT NULL)"
            " AND (client_id IS NULL OR project_id IS NOT NULL)"
        ),
        "input": (
            "(input_kind IS NULL OR input_kind IN ('text', 'texts', 'tokens', 'token_lists'))"
            " AND (input_kind IS NULL) = (input_count IS NULL)"
            " AND (input_kind IS NULL) = (purpose IS NULL)"
            " AND (purpose IS NULL OR purpose IN ('query', 'document'))"
            " AND (input_count IS NULL OR input_count >= 1)"
            " AND (input_bytes IS NULL OR input_bytes >= 1)"
        ),
        "query_digest": (
            "query_digest IS NULL OR (length(query_digest) = 64 AND input_count = 1"
            " AND purpose = 'query' AND input_kind IN ('text', 'texts'))"
        ),
        "state": (
            "state IN ('completed', 'refused', 'failed', 'aborted')"
            " AND (state = 'completed') = (error_code IS NULL)"
            " AND (state = 'aborted') = (http_status IS NULL)"
            " AND (state <> 'completed' OR (route_id IS NOT NULL AND input_kind IS NOT NULL))"
            " AND (error_code IS NULL OR (length(error_code) >= 1 AND length(error_code) <= 64))"
        ),
        "numbers": (
            "(prompt_tokens IS NULL OR prompt_tokens >= 0) AND zero_vectors >= 0"
            " AND (http_status IS NULL OR (http_status >= 200 AND http_status <= 599))"
        ),
        "times": (
            "length(created_at) = 27 AND length(completed_at) = 27 AND created_at <= completed_at"
        ),
    }
    return [
        sa.CheckConstraint(rule, name=f"ck_gateway_request_{name}")
        for name, rule in stated.items()
    ]


def _create_attempt() -> None:
    op.create_table(
        "gateway_attempt",
        sa.Column("request_id", _SORTED, nullable=False),
        sa.Column("part", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("input_count", sa.Integer(), nullable=False),
        sa.Column("milliseconds", sa.Double(), nullable=False),
        sa.Column("upstream_status", sa.Integer(), nullable=True),
        sa.Column("failure", _SORTED, nullable=True),
        sa.PrimaryKeyConstraint("request_id", "part", "number", name="pk_gateway_attempt"),
        sa.ForeignKeyConstraint(
            ["request_id"], ["gateway_request.id"], name="fk_gateway_attempt_gateway_request"
        ),
        sa.CheckConstraint(
            "part >= 0 AND number >= 0 AND input_count >= 1", name="ck_gateway_attempt_place"
        ),
        sa.CheckConstraint(
            "milliseconds >= 0 AND (upstream_status IS NULL"
            " OR (upstream_status >= 100 AND upstream_status <= 999))",
            name="ck_gateway_attempt_numbers",
        ),
        sa.CheckConstraint(
            "failure IS NULL OR (length(failure) >= 1 AND length(failure) <= 64)",
            name="ck_gateway_attempt_failure",
        ),
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
