"""Do the objects of the registry hold together? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.errors import EvenhandError
from evenhand.core.registry.registered import Changeable, Noun, Registered
from evenhand.store import tables
from evenhand.store.registry.artifacts import row_to_artifact
from evenhand.store.registry.bindings import row_to_binding
from evenhand.store.registry.deployments import row_to_deployment
from evenhand.store.registry.practices import row_to_practice
from evenhand.store.registry.projects import row_to_project
from evenhand.store.registry.routes import row_to_route
from evenhand.store.registry.runtimes import row_to_runtime
from evenhand.store.registry.service_clients import row_to_service_client

_READERS: Final[Mapping[Noun, tuple[sa.Table, Callable[[RowMapping], Registered]]]] = {
    Noun.PROJECT: (tables.project, row_to_project),
    Noun.BINDING: (tables.binding, row_to_binding),
    Noun.SERVICE_CLIENT: (tables.service_client, row_to_service_client),
    Noun.ARTIFACT: (tables.artifact, row_to_artifact),
    Noun.RUNTIME: (tables.runtime, row_to_runtime),
    Noun.DEPLOYMENT: (tables.deployment, row_to_deployment),
    Noun.ROUTE: (tables.route, row_to_route),
    Noun.PRACTICE: (tables.practice, row_to_practice),
}


def registry_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with the registry."""
    for noun, (table, read) in _READERS.items():
        told = _changes_that_are_told(connection, noun)
        for row in connection.execute(sa.select(table).order_by(table.c.id)).mappings():
            subject = f"{noun.value.replace('_', ' ')} {row['id']}"
            try:
                found = read(row)
            except (EvenhandError, ValueError, TypeError, AttributeError):
                # AttributeError: SQLite lets another tool write bytes where text belongs.
                message = "it does not read back as what was written"
                yield f"{noun.value}_unreadable", subject, message
                continue
            expected = found.version if isinstance(found, Changeable) else 1
            entries = told.get(found.id, 0)
            if entries != expected:
                message = f"the audit tells of {entries} changes, there were {expected}"
                yield "audit_missing", subject, message


def _changes_that_are_told(connection: Connection, noun: Noun) -> dict[str, int]:
    """How many entries each object of a kind has: one for its making and one for each version."""
    entry: Any = tables.audit_entry.c
    rows = connection.execute(
        sa.select(entry.object_id, sa.func.count())
        .where(entry.object_kind == noun.value)
        .group_by(entry.object_id)
    )
    return {row[0]: row[1] for row in rows}
