"""What does a trusted query give over a few events at hand? SQLite in memory; nothing is stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from evenhand.contracts.contract import FieldType, shipped_contract
from evenhand.contracts.decoding import timestamp_text
from evenhand.contracts.events import Event
from evenhand.contracts.trusted import QUERY_FILE, Execute, Window
from evenhand.core.errors import InvalidFile

_AFFINITIES: Final = {FieldType.NUMBER: "REAL", FieldType.BOOLEAN: "INTEGER"}
#: All that a query does. A contract to be checked may be a stranger's, and ATTACH makes a file.
_READING: Final = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


def over_events(events: Sequence[Event]) -> Execute:
    """What carries queries out over these events; a text may read, and touches no file.

    What it gives raises `InvalidFile` for a text that is no query or does anything else.
    """

    def _execute(sql: str, window: Window) -> Sequence[Mapping[str, Any]]:
        with closing(sqlite3.connect(":memory:")) as connection:
            _fill(connection, events)
            connection.row_factory = sqlite3.Row
            connection.set_authorizer(_judge)
            given = {
                "window_start": timestamp_text(window.start),
                "window_end": timestamp_text(window.end),
            }
            try:
                return [dict(row) for row in connection.execute(sql, given)]
            except sqlite3.Error as error:
                rule = f"SQLite does not carry it out ({type(error).__name__})"
                raise InvalidFile(QUERY_FILE, rule) from None

    return _execute


def _judge(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _fill(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    contract = shipped_contract()
    columns = ", ".join(
        f"{field.name} {_AFFINITIES.get(field.type, 'TEXT')}" for field in contract.fields
    )
    connection.execute(f"CREATE TABLE {contract.relation} ({columns})")
    marks = ", ".join("?" for _ in contract.fields)
    connection.executemany(
        f"INSERT INTO {contract.relation} VALUES ({marks})",  # noqa: S608 -- the contract's name
        [[_value(event, name) for name in contract.names] for event in events],
    )


def _value(event: Event, name: str) -> object:
    value = getattr(event, name)
    return timestamp_text(value) if name == "timestamp_utc" else value
