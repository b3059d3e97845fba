"""Routes in rows."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.registered import Noun
from evenhand.core.registry.route import Route, RouteKind
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import route
from evenhand.store.text import is_storable


class SqlRoutes(SqlRegistered[Route]):
    """The routes of one open transaction; implements `ports.RouteRepository`."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection, noun=Noun.ROUTE, table=route, to_row=_to_row, to_value=row_to_route
        )

    def list_active(self, project_id: str) -> tuple[Route, ...]:
        """Every active route of a project, by id."""
        if not is_storable(project_id):
            return ()
        return self._all(
            sa.select(route)
            .where(route.c.project_id == project_id, route.c.active)
            .order_by(route.c.id)
        )


def row_to_route(row: RowMapping) -> Route:
    """The route of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Route(
        **registered_values(row),
        project_id=row["project_id"],
        binding_id=row["binding_id"],
        kind=RouteKind(row["kind"]),
        deployment_id=row["deployment_id"],
    )


def _to_row(one: Route) -> Row:
    return {
        **registered_row(one),
        "project_id": one.project_id,
        "binding_id": one.binding_id,
        "kind": one.kind.value,
        "deployment_id": one.deployment_id,
    }
