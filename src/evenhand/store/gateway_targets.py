"""Whom does the name of a model mean? One query over the registry, since every request asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.roles import Capability
from evenhand.core.gateway.call import Model, Target
from evenhand.core.gateway.request import Served
from evenhand.store.tables import binding, deployment, project, route, runtime, service_client
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time

#: More than one is told from one, and nobody asks how many.
_ENOUGH: Final = 2

_SERVING: Final = (
    route.join(binding, binding.c.id == route.c.binding_id)
    .join(project, project.c.id == route.c.project_id)
    .join(deployment, deployment.c.id == route.c.deployment_id)
    .join(runtime, runtime.c.id == deployment.c.runtime_id)
)
#: Whatever is inactive counts for nothing.
_IN_FORCE: Final = sa.and_(
    route.c.active,
    binding.c.active,
    project.c.active,
    deployment.c.active,
    runtime.c.active,
    binding.c.capability == Capability.EMBEDDING.value,
)


class SqlGatewayTargets:
    """What can be called, in one open transaction; implements `ports.GatewayTargetRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list_for_client(self, client_id: str, name: str) -> tuple[Target, ...]:
        """The route of this name in a client's own binding; one or none."""
        if not is_storable(name):
            return ()
        return self._targets(_NAMED_OF_CLIENT, {"client": client_id, "name": name})

    def list_for_all(self, name: str, *, of: str | None) -> tuple[Target, ...]:
        """Routes of this name, of one project or of all; two stand for any greater number.

        Args:
            name: of a route.
            of: name of the project; None for all.
        """
        if not is_storable(name) or not is_storable(of or ""):
            return ()
        if of is None:
            return self._targets(_NAMED, {"name": name})
        return self._targets(_NAMED_OF_PROJECT, {"name": name, "project": of})

    def list_models_of_client(self, client_id: str) -> tuple[Model, ...]:
        """What a client may name, by name."""
        query = _OF_CLIENT.order_by(route.c.name)
        rows = self._connection.execute(query, {"client": client_id}).mappings()
        return tuple(_model(row, row["name"]) for row in rows)

    def list_models(self) -> tuple[Model, ...]:
        """What people may name, by name."""
        query = _query(_SERVING).order_by(project.c.name, route.c.name)
        rows = self._connection.execute(query).mappings()
        return tuple(_model(row, f"{row['project_name']}/{row['name']}") for row in rows)

    def _targets(
        self, query: sa.Select[tuple[Any, ...]], values: Mapping[str, str]
    ) -> tuple[Target, ...]:
        rows = self._connection.execute(query, values).mappings()
        return tuple(map(_target, rows))


def _query(serving: sa.Join, *of_client: sa.ColumnElement[Any]) -> sa.Select[tuple[Any, ...]]:
    return (
        sa.select(
            route.c.id,
            route.c.name,
            route.c.created_at,
            route.c.project_id,
            route.c.binding_id,
            route.c.deployment_id,
            project.c.name.label("project_name"),
            deployment.c.name.label("deployment_name"),
            deployment.c.runtime_id,
            deployment.c.dimension,
            deployment.c.upstream_model,
            deployment.c.query_prefix,
            deployment.c.document_prefix,
            runtime.c.base_url,
            runtime.c.secret_env,
            runtime.c.embedder,
            runtime.c.max_inputs,
            *of_client,
        )
        .select_from(serving)
        .where(_IN_FORCE)
    )


def _of_client() -> sa.Select[tuple[Any, ...]]:
    """What the routes of a client's own binding lead to."""
    # The project is said, too: routes are indexed by it.
    is_own = sa.and_(
        service_client.c.project_id == route.c.project_id,
        service_client.c.binding_id == route.c.binding_id,
    )
    own = _SERVING.join(service_client, is_own)
    limit = service_client.c.inputs_per_minute
    return _query(own, limit).where(service_client.c.id == sa.bindparam("client"))


# Built once: every request executes one of them.
_OF_CLIENT: Final = _of_client()
_NAMED_OF_CLIENT: Final = _OF_CLIENT.where(route.c.name == sa.bindparam("name")).limit(_ENOUGH)
_NAMED: Final = _query(_SERVING).where(route.c.name == sa.bindparam("name")).limit(_ENOUGH)
_NAMED_OF_PROJECT: Final = _NAMED.where(project.c.name == sa.bindparam("project"))


def _target(row: RowMapping) -> Target:
    return Target(
        served=Served(
            route_id=row["id"],
            route_name=row["name"],
            deployment_id=row["deployment_id"],
            project_id=row["project_id"],
            binding_id=row["binding_id"],
        ),
        deployment_name=row["deployment_name"],
        runtime_id=row["runtime_id"],
        dimension=row["dimension"],
        base_url=row["base_url"],
        upstream_model=row["upstream_model"],
        secret_env=row["secret_env"],
        embedder=row["embedder"],
        query_prefix=row["query_prefix"],
        document_prefix=row["document_prefix"],
        max_inputs=row["max_inputs"],
        inputs_per_minute=row.get("inputs_per_minute"),
    )


def _model(row: RowMapping, name: str) -> Model:
    return Model(
        name=name, project=row["project_name"], created_at=text_to_time(row["created_at"])
    )
