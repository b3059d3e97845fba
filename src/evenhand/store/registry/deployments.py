"""Deployments in rows."""

from __future__ import annotations

from typing import Final

from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.registered import Noun
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import deployment

#: Columns that hold what the attribute of the same name holds.
_ALIKE: Final = (
    "project_id",
    "artifact_id",
    "runtime_id",
    "upstream_model",
    "embedding_identity",
    "dimension",
    "query_prefix",
    "document_prefix",
    "score_cutoff",
)


def deployments_in(connection: Connection) -> SqlRegistered[Deployment]:
    """The deployments of one open transaction."""
    return SqlRegistered(
        connection,
        noun=Noun.DEPLOYMENT,
        table=deployment,
        to_row=_to_row,
        to_value=row_to_deployment,
    )


def row_to_deployment(row: RowMapping) -> Deployment:
    """The deployment of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Deployment(**registered_values(row), **{name: row[name] for name in _ALIKE})


def _to_row(one: Deployment) -> Row:
    return {**registered_row(one), **{name: getattr(one, name) for name in _ALIKE}}
