"""Which JSON object is on this line, if it says one thing only?

Stricter than RFC 8259 asks: a key that occurs twice, NaN and the infinities, and half of a
surrogate pair are refused, because readers disagree on what they mean.
"""

from __future__ import annotations

import json
from typing import Final, NoReturn

from evenhand.adapters.formats.lines import require_utf8
from evenhand.core.errors import InvalidFile


class _Refused(Exception):
    """A rule of this module is broken. Never leaves it."""


def decode_object(content: bytes, file: str, line: int | None) -> dict[str, object]:
    """The object that a line holds.

    Args:
        content: the line, without its end.
        file: what messages call the file.
        line: number of the line, from 1.

    Raises:
        InvalidFile: not UTF-8, not JSON, no object, or not strict. No value is repeated.
    """
    value = decode_value(content, file, line)
    if not isinstance(value, dict):
        raise InvalidFile(file, "must be a JSON object", line=line)
    return value


def decode_value(content: bytes, file: str, line: int | None) -> object:
    """The JSON value that some bytes hold; see :func:`decode_object`."""
    text = require_utf8(content, file, line)
    try:
        value: object = _DECODER.decode(text)
        # Only an escape can spell half of a pair: the text came from UTF-8.
        if b"\\ud" in content or b"\\uD" in content:
            _refuse_surrogates(value)
    except _Refused as error:
        raise InvalidFile(file, str(error), line=line) from None
    except json.JSONDecodeError as error:
        found_at = error.lineno if line is None else line
        raise InvalidFile(file, _not_json(error), line=found_at) from None
    except RecursionError:
        raise InvalidFile(file, "is nested too deeply", line=line) from None
    except ValueError:
        raise InvalidFile(file, "holds a number with too many digits", line=line) from None
    return value


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("has a key that occurs twice")
    return found


def _refuse_constant(_: str) -> NoReturn:
    raise _Refused("holds NaN or an infinity, which JSON does not know")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
)


def _refuse_surrogates(value: object) -> None:
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise _Refused("holds half of a surrogate pair; tag bytes that are not UTF-8")
    elif isinstance(value, dict):
        for key, member in value.items():
            _refuse_surrogates(key)
            _refuse_surrogates(member)
    elif isinstance(value, list):
        for member in value:
            _refuse_surrogates(member)


def _not_json(error: json.JSONDecodeError) -> str:
    return f"is not JSON: {error.msg} (column {error.colno})"
