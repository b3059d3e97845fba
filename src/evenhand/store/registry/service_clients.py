"""Service clients in rows."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.roles import Capability
from evenhand.core.registry.registered import Noun
from evenhand.core.registry.service_client import ServiceClient
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import binding, project, service_client

_BETWEEN: Final = " "
# Built once: every request of a service client executes it.
_IN_FORCE: Final = (
    sa.select(service_client)
    .join(binding, binding.c.id == service_client.c.binding_id)
    .join(project, project.c.id == service_client.c.project_id)
    .where(
        service_client.c.id == sa.bindparam("client"),
        service_client.c.active,
        binding.c.active,
        project.c.active,
    )
)


class SqlServiceClients(SqlRegistered[ServiceClient]):
    """The service clients of one open transaction; implements `ports.ServiceClientRepository`."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection,
            noun=Noun.SERVICE_CLIENT,
            table=service_client,
            to_row=_to_row,
            to_value=row_to_service_client,
        )

    def find_in_force(self, client_id: str) -> ServiceClient | None:
        """The one with this id, where it, its binding and its project are active."""
        row = self._connection.execute(_IN_FORCE, {"client": client_id}).mappings().first()
        return None if row is None else row_to_service_client(row)


def row_to_service_client(row: RowMapping) -> ServiceClient:
    """The service client of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return ServiceClient(
        **registered_values(row),
        project_id=row["project_id"],
        binding_id=row["binding_id"],
        capabilities=frozenset(map(Capability, row["capabilities"].split(_BETWEEN))),
        inputs_per_minute=row["inputs_per_minute"],
    )


def _to_row(one: ServiceClient) -> Row:
    return {
        **registered_row(one),
        "project_id": one.project_id,
        "binding_id": one.binding_id,
        "capabilities": _BETWEEN.join(sorted(one.capabilities)),
        "inputs_per_minute": one.inputs_per_minute,
    }
