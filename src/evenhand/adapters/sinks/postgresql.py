"""Emitted events in a table of somebody's PostgreSQL: each once, by its id and account."""

from __future__ import annotations

from typing import Final

from evenhand.contracts.contract import FieldType, shipped_contract
from evenhand.contracts.delivery import Batch
from evenhand.core.errors import MissingExtra
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.identity.canonical import sha256_hex

_TYPES: Final = {
    FieldType.TIMESTAMP: "timestamptz",
    FieldType.NUMBER: "double precision",
    FieldType.BOOLEAN: "boolean",
}
_AWAY: Final = "the sink's database does not take it"


class PostgresqlSink:
    """A table named as the contract's relation; implements `ports.EventSink`.

    Args:
        url: ``postgresql://…`` of a database in which the table may be made.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def name(self) -> str:
        """By the address, of which only a digest is kept: it may hold a password."""
        return f"postgresql:{sha256_hex(self._url.encode())[:16]}"

    def write(self, batch: Batch) -> None:
        """Insert what of a batch is not there, in one transaction.

        Raises:
            MissingExtra: the driver is not installed.
            DatabaseUnavailable: it cannot be reached, or refuses.
        """
        try:
            import psycopg  # an optional part
        except ModuleNotFoundError as error:
            raise MissingExtra("a PostgreSQL sink", "postgres") from error
        contract = shipped_contract()
        columns = ", ".join(
            f"{field.name} {_TYPES.get(field.type, 'text')}{' NOT NULL' if field.required else ''}"
            for field in contract.fields
        )
        names, marks = ", ".join(contract.names), ", ".join("%s" for _ in contract.names)
        rows = [[getattr(event, name) for name in contract.names] for event in batch.events]
        try:
            with psycopg.connect(self._url) as connection, connection.cursor() as cursor:
                cursor.execute(
                    f"CREATE TABLE IF NOT EXISTS {contract.relation} ({columns},"
                    " PRIMARY KEY (account_id, event_id))".encode()
                )
                cursor.executemany(
                    f"INSERT INTO {contract.relation} ({names}) VALUES ({marks})"  # noqa: S608 -- the contract's names
                    " ON CONFLICT DO NOTHING".encode(),
                    [
                        [
                            str(one) if name == "outcome" and one is not None else one
                            for name, one in zip(contract.names, row, strict=True)
                        ]
                        for row in rows
                    ],
                )
        except psycopg.Error as error:
            # Its class only: a message may repeat the address.
            failure = DatabaseUnavailable(f"{_AWAY} ({type(error).__name__})")
        else:
            return
        raise failure
