"""Runtimes in rows; a secret is in none of them."""

from __future__ import annotations

from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.registered import Noun
from evenhand.core.registry.runtime import Runtime, RuntimeKind
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import runtime


def runtimes_in(connection: Connection) -> SqlRegistered[Runtime]:
    """The runtimes of one open transaction."""
    return SqlRegistered(
        connection,
        noun=Noun.RUNTIME,
        table=runtime,
        to_row=_to_row,
        to_value=row_to_runtime,
    )


def row_to_runtime(row: RowMapping) -> Runtime:
    """The runtime of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Runtime(
        **registered_values(row),
        kind=RuntimeKind(row["kind"]),
        identity=row["identity"],
        base_url=row["base_url"],
        secret_env=row["secret_env"],
        embedder=row["embedder"],
        max_inputs=row["max_inputs"],
    )


def _to_row(one: Runtime) -> Row:
    return {
        **registered_row(one),
        "kind": one.kind.value,
        "identity": one.identity,
        "base_url": one.base_url,
        "secret_env": one.secret_env,
        "embedder": one.embedder,
        "max_inputs": one.max_inputs,
    }
