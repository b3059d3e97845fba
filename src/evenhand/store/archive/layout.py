"""What is one row of a table as a line of an archive? The same bytes from both databases.

A line is ``json-ascii-v1`` of the array of the row's values, in the order of the table's columns,
and a line feed. Text is text, an integer an integer, a truth value true or false, what is not
there null. Bytes are Base64 text. A float is written as the shortest text that reads back as the
same number; a negative zero is written as zero, since SQLite keeps none. NaN and infinities are
refused: SQLite holds no NaN, and nothing that Evenhand stores is one.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from evenhand.core.identity.canonical import b64, json_ascii_v1
from evenhand.store.text import is_storable

Value = str | bytes | int | float | bool | None

_INTEGERS: Final = range(-(2**63), 2**63)


class Kind(StrEnum):
    """What a column holds, by which both databases' types are called alike."""

    TEXT = "text"
    BYTES = "bytes"
    INTEGER = "integer"
    REAL = "real"
    BOOLEAN = "boolean"


class UnfitValue(Exception):
    """A value is none of its column's kind; the rule names column and kind, not the value."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How rows of one table are written.

    Attributes:
        name: of the table.
        columns: name and kind of each, in order.
        key: names of the columns of the primary key, by which rows are ordered.
    """

    name: str
    columns: tuple[tuple[str, Kind], ...]
    key: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(name for name, _ in self.columns)

    def key_of(self) -> Callable[[Sequence[Value]], tuple[bytes | int, ...]]:
        """What gives for a row what it is ordered by: its key, text as its bytes."""
        places = tuple(map(self.names.index, self.key))
        return lambda row: tuple(_sortable(row[place]) for place in places)


def layout_of(table: sa.Table) -> Layout:
    """How rows of a table are written, whether it was declared or read from a database.

    Raises:
        TypeError: a column of a type that has no kind.
    """
    # SQLAlchemy's names are a kind of text of their own.
    return Layout(
        name=str(table.name),
        columns=tuple((str(column.name), _kind_of(column)) for column in table.c),
        key=tuple(str(column.name) for column in table.primary_key.columns),
    )


def encode_row(layout: Layout, row: Sequence[object]) -> bytes:
    """The line of a row, as a driver gave it.

    Raises:
        UnfitValue: a value is none of its column's kind; SQLite holds whatever it is given.
    """
    return _spelt(layout, row) + b"\n"


def read_line(layout: Layout, line: bytes) -> list[Value]:
    """The row of a line without its line feed; only the one line that a row has is taken.

    Raises:
        UnfitValue: anything else.
    """
    row = decode_line(layout, line)
    if _spelt(layout, row) != line:
        raise UnfitValue("is not spelt as an archive spells a row")
    return row


def decode_line(layout: Layout, line: bytes) -> list[Value]:
    """The row of a line without its line feed, however it is spelt.

    Raises:
        UnfitValue: anything else.
    """
    count = len(layout.columns)
    try:
        values = _decoder(count).decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        # Whatever it says could repeat a value.
        rule = f"is no JSON array of {count} values"
        raise UnfitValue(rule) from None
    return [
        None if value is None else _DECODERS[kind](value, name)
        for (name, kind), value in zip(layout.columns, values, strict=True)
    ]


def _spelt(layout: Layout, row: Sequence[object]) -> bytes:
    values = [
        None if value is None else _ENCODERS[kind](value, name)
        for (name, kind), value in zip(layout.columns, row, strict=True)
    ]
    return json_ascii_v1(values).encode("ascii")


@cache
def _decoder(count: int) -> msgspec.json.Decoder[tuple[Value, ...]]:
    """Of so many values: it ends at the first one too many, however many there are."""
    value = str | int | float | bool | None
    row: Any = tuple[(value,) * count]  # type: ignore[misc]  # its length is known only here
    return msgspec.json.Decoder(row)


_TYPES: Final[tuple[tuple[type[sa.types.TypeEngine[Any]], Kind], ...]] = (
    # A boolean first: to some dialects it is an integer, too.
    (sa.Boolean, Kind.BOOLEAN),
    (sa.Integer, Kind.INTEGER),
    (sa.Float, Kind.REAL),
    (sa.LargeBinary, Kind.BYTES),
    (sa.String, Kind.TEXT),
)


def _kind_of(column: sa.Column[object]) -> Kind:
    for known, kind in _TYPES:
        if isinstance(column.type, known):
            return kind
    rule = f"an archive knows no kind for {column.table.name}.{column.name}"
    raise TypeError(rule)


def _text(value: object, name: str) -> str:
    if type(value) is not str or not is_storable(value):
        raise _unfit(name, Kind.TEXT)
    return value


def _bytes(value: object, name: str) -> str:
    if type(value) is not bytes:
        raise _unfit(name, Kind.BYTES)
    return b64(value)


def _integer(value: object, name: str) -> int:
    if type(value) is not int or value not in _INTEGERS:
        raise _unfit(name, Kind.INTEGER)
    return value


def _real(value: object, name: str) -> float:
    if type(value) is not float or not math.isfinite(value):
        raise _unfit(name, Kind.REAL)
    return value or 0.0


def _boolean(value: object, name: str) -> bool:
    # SQLite has no truth values and gives the integers that it keeps in their place.
    if not isinstance(value, int) or value not in (0, 1):
        raise _unfit(name, Kind.BOOLEAN)
    return bool(value)


def _from_b64(value: object, name: str) -> bytes:
    if type(value) is not str:
        raise _unfit(name, Kind.BYTES)
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _unfit(name, Kind.BYTES) from None


def _strict_boolean(value: object, name: str) -> bool:
    if type(value) is not bool:
        raise _unfit(name, Kind.BOOLEAN)
    return value


def _unfit(name: str, kind: Kind) -> UnfitValue:
    return UnfitValue(f"column {name} holds no value of the kind {kind.value}")


def _sortable(value: Value) -> bytes | int:
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, bytes | int):
        return value
    raise UnfitValue("a column of the key holds nothing, or a number that is not whole")


_ENCODERS: Final[dict[Kind, Callable[[object, str], object]]] = {
    Kind.TEXT: _text,
    Kind.BYTES: _bytes,
    Kind.INTEGER: _integer,
    Kind.REAL: _real,
    Kind.BOOLEAN: _boolean,
}
_DECODERS: Final[dict[Kind, Callable[[object, str], Value]]] = {
    Kind.TEXT: _text,
    Kind.BYTES: _from_b64,
    Kind.INTEGER: _integer,
    Kind.REAL: _real,
    Kind.BOOLEAN: _strict_boolean,
}
