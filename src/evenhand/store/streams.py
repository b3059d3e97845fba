"""How are more rows read than memory should hold? A few at a time, as they are asked for."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection


def streamed(
    connection: Connection, query: sa.Select[Any], *, held: int = 1_000
) -> sa.CursorResult[Any]:
    """The rows of a query; a ``with`` over it ends it, wherever its reader stops.

    Args:
        connection: in a transaction.
        query: of many rows.
        held: so many rows are fetched from a server at a time.
    """
    options = {"stream_results": True, "max_row_buffer": held}
    return connection.execute(query, execution_options=options)
