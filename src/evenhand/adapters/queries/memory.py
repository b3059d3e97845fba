"""What does a trusted query give over a few events at hand? SQLite in memory; nothing is stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from evenhand.contracts.contract import FieldType, shipped_contract
from evenhand.contracts.decoding import timestamp_text
from evenhand.contracts.events import Event
from evenhand.contracts.trusted import Execute, Window

_AFFINITIES: Final = {FieldType.NUMBER: "REAL", FieldType.BOOLEAN: "INTEGER"}


def over_events(events: Sequence[Event]) -> Execute:
    """What carries queries out over these events."""

    def _execute(sql: str, window: Window) -> Sequence[Mapping[str, Any]]:
        with closing(sqlite3.connect(":memory:")) as connection:
            _fill(connection, events)
            connection.row_factory = sqlite3.Row
            given = {
                "window_start": timestamp_text(window.start),
                "window_end": timestamp_text(window.end),
            }
            return [dict(row) for row in connection.execute(sql, given)]

    return _execute


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
