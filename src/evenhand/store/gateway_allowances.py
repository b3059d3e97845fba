"""What clients with a limit may still ask: one time for each."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.store.tables import gateway_allowance
from evenhand.store.times import text_to_time, time_to_text

#: Of two processes that see a client for the first time, the second one waits for the first.
_FIRST: Final = sa.text(
    "INSERT INTO gateway_allowance (client_id) VALUES (:client_id)"
    " ON CONFLICT (client_id) DO NOTHING"
)


class SqlGatewayAllowances:
    """Allowances of one open transaction; implements `ports.GatewayAllowanceRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hold(self, client_id: str) -> datetime | None:
        """When a client may ask a whole minute's worth; its row is held until the end.

        Raises:
            ConstraintRefused: there is no such client.
        """
        self._connection.execute(_FIRST, {"client_id": client_id})
        query = (
            sa.select(gateway_allowance.c.full_at)
            .where(gateway_allowance.c.client_id == client_id)
            .with_for_update()
        )
        found = self._connection.execute(query).scalar_one()
        return None if found is None else text_to_time(found)

    def save(self, client_id: str, full_at: datetime) -> None:
        """Overwrite the time of a client whose row is held."""
        self._connection.execute(
            gateway_allowance.update()
            .where(gateway_allowance.c.client_id == client_id)
            .values(full_at=time_to_text(full_at))
        )
