"""Which text stands under a key? Checked reads from what JSON, CSV and Parquet give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from evenhand.adapters.formats.foreign.found import Place, refused

Record: TypeAlias = Mapping[str, object]


def text_of(record: Record, key: str, file: str, place: Place) -> str:
    """A text that has to be there and not empty.

    Raises:
        InvalidFile: it is missing, empty or not text; the value is not repeated.
    """
    value = record.get(key)
    if value is None:
        raise refused(file, place, _missing(key))
    if not isinstance(value, str):
        raise refused(file, place, _wrong(key, "text", value))
    if not value:
        raise refused(file, place, _empty(key))
    return _whole(value, key, file, place)


def optional_text(record: Record, key: str | None, file: str, place: Place) -> str | None:
    """A text, None where it is missing, null or empty, or there is no such key.

    Raises:
        InvalidFile: it is something else.
    """
    value = None if key is None else record.get(key)
    if key is None or value is None or value == "":
        return None
    if not isinstance(value, str):
        raise refused(file, place, _wrong(key, "text or null", value))
    return _whole(value, key, file, place)


def texts_of(value: object, key: str, file: str, place: Place) -> tuple[str, ...]:
    """A list of texts, none of them empty.

    Raises:
        InvalidFile: it is no list, or a member is empty or not text. Numbers are not taken for
            text: ``7``, ``7.0`` and ``"7"`` would become one id.
    """
    if not isinstance(value, list | tuple):
        raise refused(file, place, _wrong(key, "a list", value))
    found: list[str] = []
    for number, member in enumerate(value, 1):
        if not isinstance(member, str):
            raise refused(file, place, _wrong(f"{key}[{number}]", "text", member))
        if not member:
            raise refused(file, place, _empty(f"{key}[{number}]"))
        found.append(_whole(member, key, file, place))
    return tuple(found)


def records_of(
    value: object, key: str, file: str, within: Place | None = None
) -> Iterator[tuple[Place, Record]]:
    """The objects of a list, each with its place.

    Args:
        value: what should be a list.
        key: where it stands.
        file: what messages call the file.
        within: the place of what holds the list; where that is a line, it is the members' too.

    Raises:
        InvalidFile: it is no list, or a member is no object.
    """
    if not isinstance(value, list):
        raise refused(file, within, _wrong(key, "a list", value))
    for number, member in enumerate(value, 1):
        name = f"{key}[{number}]"
        if not isinstance(member, dict):
            raise refused(file, within, _wrong(name, "an object", member))
        if isinstance(within, int):
            yield within, member
        else:
            yield name if within is None else f"{within}.{name}", member


def distinct(ids: Sequence[str]) -> tuple[str, ...]:
    """Ids without repeats, in the order of their first occurrence."""
    return tuple(dict.fromkeys(ids))


def kind_of(value: object) -> str:
    """What messages call a value that they must not show."""
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    return {dict: "an object", list: "a list", str: "text", type(None): "null"}.get(
        type(value), type(value).__name__
    )


def _whole(value: str, key: str, file: str, place: Place) -> str:
    """The text, if every character of it is one: half of a pair has no bytes of its own."""
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise refused(file, place, _half(key))
    return value


def _missing(key: str) -> str:
    return f"{key} is missing"


def _half(key: str) -> str:
    return f"{key} holds half of a surrogate pair"


def _empty(key: str) -> str:
    return f"{key} must not be empty"


def _wrong(key: str, wanted: str, value: object) -> str:
    return f"{key} must be {wanted}, not {kind_of(value)}"
