"""Bindings in rows."""

from __future__ import annotations

from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.roles import Capability
from evenhand.core.registry.binding import Binding, Stage
from evenhand.core.registry.registered import Noun
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import binding


def bindings_in(connection: Connection) -> SqlRegistered[Binding]:
    """The bindings of one open transaction."""
    return SqlRegistered(
        connection,
        noun=Noun.BINDING,
        table=binding,
        to_row=_to_row,
        to_value=row_to_binding,
    )


def row_to_binding(row: RowMapping) -> Binding:
    """The binding of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Binding(
        **registered_values(row),
        project_id=row["project_id"],
        capability=Capability(row["capability"]),
        stage=Stage(row["stage"]),
    )


def _to_row(one: Binding) -> Row:
    return {
        **registered_row(one),
        "project_id": one.project_id,
        "capability": one.capability.value,
        "stage": one.stage.value,
    }
