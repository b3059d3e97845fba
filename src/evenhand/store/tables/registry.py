"""The registry: projects, bindings, service clients, artifacts, runtimes, deployments, routes.

No row is ever taken away. What belongs to a project says so itself, and refers to others by id
and project together, so that nothing can belong to two.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_SHORT: Final = "length({0}) >= 1 AND length({0}) <= {1}"
_ONE_STABLE: Final = sa.text("kind = 'stable' AND active")


def _columns(*, changeable: bool = True) -> list[sa.Column[Any]]:
    """What every object has."""
    stated: list[sa.Column[Any]] = [
        sa.Column("id", SORTED_TEXT, primary_key=True),
        sa.Column("created_at", SORTED_TEXT, nullable=False),
        sa.Column("name", SORTED_TEXT, nullable=False),
    ]
    if changeable:
        stated += [
            sa.Column("active", sa.Boolean, nullable=False),
            sa.Column("version", sa.BigInteger, nullable=False),
        ]
    return stated


def _checks(*, changeable: bool = True) -> list[sa.CheckConstraint]:
    """What holds for them."""
    stated = [
        sa.CheckConstraint("length(id) = 36", name="id"),
        sa.CheckConstraint(is_time("created_at"), name="created_at"),
        sa.CheckConstraint(_SHORT.format("name", 63), name="name"),
    ]
    if changeable:
        stated.append(sa.CheckConstraint("version >= 1", name="version"))
    return stated


def _of_project() -> sa.Column[Any]:
    return sa.Column("project_id", SORTED_TEXT, nullable=False)


def _reference(noun: str, *, in_project: bool = True) -> sa.ForeignKeyConstraint:
    """To an object by its id; of those that belong to a project, in this one."""
    if not in_project:
        return sa.ForeignKeyConstraint([f"{noun}_id"], [f"{noun}.id"])
    return sa.ForeignKeyConstraint(
        [f"{noun}_id", "project_id"], [f"{noun}.id", f"{noun}.project_id"]
    )


project: Final = sa.Table(
    "project",
    metadata,
    *_columns(),
    sa.UniqueConstraint("name"),
    *_checks(),
    sa.Index("ix_project_time", "created_at", "id"),
    info=about("What belongs together: bindings, clients, deployments, routes and suites."),
)

binding: Final = sa.Table(
    "binding",
    metadata,
    *_columns(),
    _of_project(),
    sa.Column("capability", SORTED_TEXT, nullable=False),
    sa.Column("stage", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "name"),
    sa.UniqueConstraint("id", "project_id"),
    _reference("project", in_project=False),
    *_checks(),
    sa.CheckConstraint(_SHORT.format("capability", 64), name="capability"),
    sa.CheckConstraint("stage IN ('stable', 'experimental')", name="stage"),
    sa.Index("ix_binding_time", "created_at", "id"),
    sa.Index("ix_binding_project", "project_id", "created_at", "id"),
    info=about(
        "That a project uses a capability.",
        capability="Name and version of the capability.",
        stage="stable or experimental.",
    ),
)

service_client: Final = sa.Table(
    "service_client",
    metadata,
    *_columns(),
    _of_project(),
    sa.Column("binding_id", SORTED_TEXT, nullable=False),
    # Sorted, between blanks: no capability holds one.
    sa.Column("capabilities", SORTED_TEXT, nullable=False),
    sa.Column("inputs_per_minute", sa.Integer),
    sa.UniqueConstraint("project_id", "name"),
    sa.UniqueConstraint("id", "project_id"),
    _reference("binding"),
    *_checks(),
    sa.CheckConstraint("length(capabilities) >= 1", name="capabilities"),
    sa.CheckConstraint("inputs_per_minute >= 1", name="inputs_per_minute"),
    sa.Index("ix_service_client_time", "created_at", "id"),
    sa.Index("ix_service_client_project", "project_id", "created_at", "id"),
    sa.Index("ix_service_client_binding", "binding_id"),
    info=about(
        "A program that may call the hub.",
        binding_id="The binding it works for.",
        capabilities="What it may do, sorted, between blanks.",
        inputs_per_minute="How many inputs it may have embedded a minute; missing: no limit.",
    ),
)

artifact: Final = sa.Table(
    "artifact",
    metadata,
    *_columns(changeable=False),
    sa.Column("digest", SORTED_TEXT, nullable=False),
    sa.Column("model", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("name"),
    *_checks(changeable=False),
    sa.CheckConstraint("length(digest) = 64", name="digest"),
    sa.CheckConstraint(_SHORT.format("model", 190), name="model"),
    sa.Index("ix_artifact_time", "created_at", "id"),
    info=about(
        "A model by its content.",
        digest="SHA-256 of its content, as it was declared.",
        model="What the model is called.",
    ),
)

runtime: Final = sa.Table(
    "runtime",
    metadata,
    *_columns(),
    sa.Column("kind", SORTED_TEXT, nullable=False),
    sa.Column("identity", SORTED_TEXT, nullable=False),
    sa.Column("base_url", sa.Text),
    # The name of a variable; the secret is nowhere in the database.
    sa.Column("secret_env", SORTED_TEXT),
    sa.Column("embedder", SORTED_TEXT),
    sa.Column("max_inputs", sa.Integer),
    sa.UniqueConstraint("name"),
    *_checks(),
    sa.CheckConstraint("kind IN ('openai_http', 'in_process')", name="kind"),
    sa.CheckConstraint(_SHORT.format("identity", 190), name="identity"),
    sa.CheckConstraint(
        "(kind = 'openai_http') = (base_url IS NOT NULL)"
        " AND (kind = 'in_process') = (embedder IS NOT NULL)"
        " AND (secret_env IS NULL OR kind = 'openai_http')",
        name="parts",
    ),
    sa.CheckConstraint("max_inputs >= 1", name="max_inputs"),
    sa.Index("ix_runtime_time", "created_at", "id"),
    info=about(
        "What runs models: a server over HTTP, or an embedder in the process.",
        kind="openai_http or in_process.",
        identity="Label of what runs there.",
        base_url="The server's address, without credentials; missing in the process.",
        secret_env="Name of the variable with its secret, which is nowhere.",  # noqa: S106 -- a sentence
        embedder="The embedder; missing for a server.",
        max_inputs="How many inputs it takes at a time; missing: what the hub is set to.",
    ),
)

deployment: Final = sa.Table(
    "deployment",
    metadata,
    *_columns(),
    _of_project(),
    sa.Column("artifact_id", SORTED_TEXT, nullable=False),
    sa.Column("runtime_id", SORTED_TEXT, nullable=False),
    sa.Column("upstream_model", SORTED_TEXT),
    sa.Column("embedding_identity", SORTED_TEXT, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    sa.Column("query_prefix", sa.Text, nullable=False),
    sa.Column("document_prefix", sa.Text, nullable=False),
    sa.Column("score_cutoff", sa.Double),
    sa.UniqueConstraint("project_id", "name"),
    sa.UniqueConstraint("id", "project_id"),
    _reference("project", in_project=False),
    _reference("artifact", in_project=False),
    _reference("runtime", in_project=False),
    *_checks(),
    sa.CheckConstraint(_SHORT.format("embedding_identity", 190), name="embedding_identity"),
    sa.CheckConstraint("dimension >= 1 AND dimension <= 65536", name="dimension"),
    sa.CheckConstraint(
        "length(query_prefix) <= 2000 AND length(document_prefix) <= 2000", name="prefixes"
    ),
    sa.Index("ix_deployment_time", "created_at", "id"),
    sa.Index("ix_deployment_project", "project_id", "created_at", "id"),
    info=about(
        "A model on a runtime, as a project uses it.",
        artifact_id="The model.",
        runtime_id="What runs it.",
        upstream_model="What the runtime calls the model.",
        embedding_identity="Label of the embedding, for comparisons.",
        dimension="Length of its vectors.",
        query_prefix="Put before a query.",
        document_prefix="Put before a document.",
        score_cutoff="Results below it are dropped; missing: none are.",
    ),
)

route: Final = sa.Table(
    "route",
    metadata,
    *_columns(),
    _of_project(),
    sa.Column("binding_id", SORTED_TEXT, nullable=False),
    sa.Column("kind", SORTED_TEXT, nullable=False),
    sa.Column("deployment_id", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "name"),
    sa.UniqueConstraint("id", "project_id"),
    _reference("binding"),
    _reference("deployment"),
    *_checks(),
    sa.CheckConstraint("kind IN ('stable', 'experiment')", name="kind"),
    sa.Index("ix_route_time", "created_at", "id"),
    sa.Index("ix_route_project", "project_id", "created_at", "id"),
    # One production deployment a binding, whoever writes at the same moment.
    sa.Index(
        "ix_route_one_stable",
        "binding_id",
        unique=True,
        sqlite_where=_ONE_STABLE,
        postgresql_where=_ONE_STABLE,
    ),
    info=about(
        "By which name a binding reaches a deployment.",
        binding_id="The binding.",
        kind="stable or experiment.",
        deployment_id="Where it leads.",
    ),
)
