"""Projects in rows."""

from __future__ import annotations

from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.project import Project
from evenhand.core.registry.registered import Noun
from evenhand.store.registry.registered import SqlRegistered, registered_row, registered_values
from evenhand.store.tables import project


def projects_in(connection: Connection) -> SqlRegistered[Project]:
    """The projects of one open transaction."""
    return SqlRegistered(
        connection,
        noun=Noun.PROJECT,
        table=project,
        to_row=registered_row,
        to_value=row_to_project,
    )


def row_to_project(row: RowMapping) -> Project:
    """The project of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Project(**registered_values(row))
