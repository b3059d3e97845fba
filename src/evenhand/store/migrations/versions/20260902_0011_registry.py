"""The registry, credentials of its service clients, and what the audit tells of its objects."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20260902_0011"
down_revision = "20260902_0010"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row; whatever else is registered belongs to
#: a project or is named by what does.
MUST_BE_EMPTY = ("project", "artifact", "runtime")

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_ROLES = "role IN ('operator', 'viewer', 'service_client')"
_ROLES_BEFORE = "role IN ('operator', 'viewer')"
_CLIENT = "(role = 'service_client') = (client_id IS NOT NULL)"
_TIME_OF_END = (
    "(state = 'active') = (ended_at IS NULL) AND (ended_at IS NULL OR length(ended_at) = 27)"
)
#: Of a credential, before this revision and after it.
_KEPT = "id, name, role, token_digest, created_at, rotated_from, state, ended_at"


def upgrade() -> None:
    """Create the tables; let credentials belong to clients; let the audit tell of versions."""
    _create_project()
    _create_binding()
    _create_service_client()
    _create_artifact()
    _create_runtime()
    _create_deployment()
    _create_route()
    _widen_audit()
    if op.get_bind().dialect.name == "postgresql":
        _widen_credential()
    else:
        _rebuild_credential(with_client=True)


def downgrade() -> None:
    """Undo it; no row can be of a service client, since there is none."""
    if op.get_bind().dialect.name == "postgresql":
        _narrow_credential()
    else:
        _rebuild_credential(with_client=False)
    op.drop_column("audit_entry", "related_id")
    op.drop_column("audit_entry", "version")
    for table in ("route", "deployment", "runtime", "artifact", "service_client", "binding"):
        op.drop_table(table)
    op.drop_table("project")


def _create_project() -> None:
    op.create_table(
        "project",
        *_common("project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_index("ix_project_time", "project", ["created_at", "id"])


def _create_binding() -> None:
    op.create_table(
        "binding",
        *_common("binding"),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("capability", _SORTED, nullable=False),
        sa.Column("stage", _SORTED, nullable=False),
        *_unique_in_project("binding"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_binding_project"),
        sa.CheckConstraint(
            "length(capability) >= 1 AND length(capability) <= 64", name="ck_binding_capability"
        ),
        sa.CheckConstraint("stage IN ('stable', 'experimental')", name="ck_binding_stage"),
    )
    _index_by_time("binding")


def _create_service_client() -> None:
    op.create_table(
        "service_client",
        *_common("service_client"),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("binding_id", _SORTED, nullable=False),
        sa.Column("capabilities", _SORTED, nullable=False),
        *_unique_in_project("service_client"),
        sa.ForeignKeyConstraint(
            ["binding_id", "project_id"],
            ["binding.id", "binding.project_id"],
            name="fk_service_client_binding",
        ),
        sa.CheckConstraint("length(capabilities) >= 1", name="ck_service_client_capabilities"),
    )
    _index_by_time("service_client")
    op.create_index("ix_service_client_binding", "service_client", ["binding_id"])


def _create_artifact() -> None:
    op.create_table(
        "artifact",
        *_common("artifact", changeable=False),
        sa.Column("digest", _SORTED, nullable=False),
        sa.Column("model", _SORTED, nullable=False),
        sa.UniqueConstraint("name", name="uq_artifact_name"),
        sa.CheckConstraint("length(digest) = 64", name="ck_artifact_digest"),
        sa.CheckConstraint(
            "length(model) >= 1 AND length(model) <= 190", name="ck_artifact_model"
        ),
    )
    op.create_index("ix_artifact_time", "artifact", ["created_at", "id"])


def _create_runtime() -> None:
    op.create_table(
        "runtime",
        *_common("runtime"),
        sa.Column("kind", _SORTED, nullable=False),
        sa.Column("identity", _SORTED, nullable=False),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("secret_env", _SORTED, nullable=True),
        sa.Column("embedder", _SORTED, nullable=True),
        sa.UniqueConstraint("name", name="uq_runtime_name"),
        sa.CheckConstraint("kind IN ('openai_http', 'in_process')", name="ck_runtime_kind"),
        sa.CheckConstraint(
            "length(identity) >= 1 AND length(identity) <= 190", name="ck_runtime_identity"
        ),
        sa.CheckConstraint(
            "(kind = 'openai_http') = (base_url IS NOT NULL)"
            " AND (kind = 'in_process') = (embedder IS NOT NULL)"
            " AND (secret_env IS NULL OR kind = 'openai_http')",
            name="ck_runtime_parts",
        ),
    )
    op.create_index("ix_runtime_time", "runtime", ["created_at", "id"])


def _create_deployment() -> None:
    op.create_table(
        "deployment",
        *_common("deployment"),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("artifact_id", _SORTED, nullable=False),
        sa.Column("runtime_id", _SORTED, nullable=False),
        sa.Column("upstream_model", _SORTED, nullable=True),
        sa.Column("embedding_identity", _SORTED, nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("query_prefix", sa.Text(), nullable=False),
        sa.Column("document_prefix", sa.Text(), nullable=False),
        sa.Column("score_cutoff", sa.Double(), nullable=True),
        *_unique_in_project("deployment"),
        *(
            sa.ForeignKeyConstraint([f"{one}_id"], [f"{one}.id"], name=f"fk_deployment_{one}")
            for one in ("project", "artifact", "runtime")
        ),
        sa.CheckConstraint(
            "length(embedding_identity) >= 1 AND length(embedding_identity) <= 190",
            name="ck_deployment_embedding_identity",
        ),
        sa.CheckConstraint(
            "dimension >= 1 AND dimension <= 65536", name="ck_deployment_dimension"
        ),
        sa.CheckConstraint(
            "length(query_prefix) <= 2000 AND length(document_prefix) <= 2000",
            name="ck_deployment_prefixes",
        ),
    )
    _index_by_time("deployment")


def _create_route() -> None:
    op.create_table(
        "route",
        *_common("route"),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.Column("binding_id", _SORTED, nullable=False),
        sa.Column("kind", _SORTED, nullable=False),
        sa.Column("deployment_id", _SORTED, nullable=False),
        *_unique_in_project("route"),
        *(
            sa.ForeignKeyConstraint(
                [f"{one}_id", "project_id"],
                [f"{one}.id", f"{one}.project_id"],
                name=f"fk_route_{one}",
            )
            for one in ("binding", "deployment")
        ),
        sa.CheckConstraint("kind IN ('stable', 'experiment')", name="ck_route_kind"),
    )
    _index_by_time("route")
    one_stable = sa.text("kind = 'stable' AND active")
    op.create_index(
        "ix_route_one_stable",
        "route",
        ["binding_id"],
        unique=True,
        sqlite_where=one_stable,
        postgresql_where=one_stable,
    )


def _common(table: str, *, changeable: bool = True) -> list[Any]:
    """Columns and conditions of every object."""
    stated: list[Any] = [
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("name", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.CheckConstraint("length(id) = 36", name=f"ck_{table}_id"),
        sa.CheckConstraint("length(created_at) = 27", name=f"ck_{table}_created_at"),
        sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name=f"ck_{table}_name"),
    ]
    if changeable:
        stated += [
            sa.Column("active", sa.Boolean(), nullable=False),
            sa.Column("version", sa.BigInteger(), nullable=False),
            sa.CheckConstraint("version >= 1", name=f"ck_{table}_version"),
        ]
    return stated


def _unique_in_project(table: str) -> list[sa.UniqueConstraint]:
    return [
        sa.UniqueConstraint("project_id", "name", name=f"uq_{table}_project_id_name"),
        sa.UniqueConstraint("id", "project_id", name=f"uq_{table}_id_project_id"),
    ]


def _index_by_time(table: str) -> None:
    op.create_index(f"ix_{table}_time", table, ["created_at", "id"])
    op.create_index(f"ix_{table}_project", table, ["project_id", "created_at", "id"])


def _widen_audit() -> None:
    # As columns with their conditions: SQLite adds no condition to a table that is there, and
    # the table is append-only, so it is not made anew.
    for column, kind, condition in (
        ("version", "BIGINT", "version >= 1"),
        ("related_id", _text(), "length(related_id) >= 1 AND length(related_id) <= 64"),
    ):
        op.execute(
            f"ALTER TABLE audit_entry ADD COLUMN {column} {kind}"
            f" CONSTRAINT ck_audit_entry_{column} CHECK ({condition})"
        )


def _text() -> str:
    return 'TEXT COLLATE "C"' if op.get_bind().dialect.name == "postgresql" else "TEXT"


def _widen_credential() -> None:
    op.add_column("credential", sa.Column("client_id", _SORTED, nullable=True))
    op.create_foreign_key(
        "fk_credential_service_client", "credential", "service_client", ["client_id"], ["id"]
    )
    op.drop_constraint("ck_credential_role", "credential", type_="check")
    op.create_check_constraint("ck_credential_role", "credential", _ROLES)
    op.create_check_constraint("ck_credential_client_id", "credential", _CLIENT)


def _narrow_credential() -> None:
    op.drop_constraint("ck_credential_client_id", "credential", type_="check")
    op.drop_constraint("ck_credential_role", "credential", type_="check")
    op.create_check_constraint("ck_credential_role", "credential", _ROLES_BEFORE)
    op.drop_constraint("fk_credential_service_client", "credential", type_="foreignkey")
    op.drop_column("credential", "client_id")


def _rebuild_credential(*, with_client: bool) -> None:
    """Make the table anew, which is how SQLite changes a condition.

    Foreign keys are off while migrations run, so that no row that refers to it is deleted with
    it, and they are checked before the commit. The new table refers to itself by its later name.
    """
    op.create_table(
        "credential_anew",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("name", _SORTED, nullable=False),
        sa.Column("role", _SORTED, nullable=False),
        sa.Column("token_digest", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("rotated_from", _SORTED, nullable=True),
        sa.Column("state", _SORTED, nullable=False),
        sa.Column("ended_at", _SORTED, nullable=True),
        *_of_client(with_client=with_client),
        sa.PrimaryKeyConstraint("id", name="pk_credential"),
        sa.UniqueConstraint("token_digest", name="uq_credential_token_digest"),
        sa.UniqueConstraint("rotated_from", name="uq_credential_rotated_from"),
        sa.ForeignKeyConstraint(
            ["rotated_from"], ["credential.id"], name="fk_credential_credential"
        ),
        sa.CheckConstraint("length(id) = 36", name="ck_credential_id"),
        sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="ck_credential_name"),
        sa.CheckConstraint("length(token_digest) = 64", name="ck_credential_token_digest"),
        sa.CheckConstraint("length(created_at) = 27", name="ck_credential_created_at"),
        sa.CheckConstraint(
            "state IN ('active', 'rotated', 'revoked')", name="ck_credential_state"
        ),
        sa.CheckConstraint(_TIME_OF_END, name="ck_credential_ended_at"),
    )
    op.execute(f"INSERT INTO credential_anew ({_KEPT}) SELECT {_KEPT} FROM credential")  # noqa: S608 -- a constant
    op.drop_table("credential")
    op.rename_table("credential_anew", "credential")
    op.create_index("ix_credential_time", "credential", ["created_at", "id"])
    op.create_index(
        "ix_credential_name_in_force",
        "credential",
        ["name"],
        unique=True,
        sqlite_where=sa.text("state = 'active'"),
    )


def _of_client(*, with_client: bool) -> list[Any]:
    if not with_client:
        return [sa.CheckConstraint(_ROLES_BEFORE, name="ck_credential_role")]
    return [
        sa.Column("client_id", _SORTED, nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["service_client.id"], name="fk_credential_service_client"
        ),
        sa.CheckConstraint(_ROLES, name="ck_credential_role"),
        sa.CheckConstraint(_CLIENT, name="ck_credential_client_id"),
    ]
