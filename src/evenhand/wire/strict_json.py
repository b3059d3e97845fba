"""Is this body one JSON object that every reader understands alike?

Stricter than RFC 8259 asks: a key that occurs twice, NaN and the infinities, half of a surrogate
pair, numbers of thousands of digits and deep nesting are refused, because readers disagree on
what they mean or fail on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NoReturn

#: How many objects and arrays may lie inside each other; no body of the API needs more than five.
MAX_DEPTH: Final = 32


class NotStrictJson(Exception):
    """A body is refused; the rule names no value of it.

    Attributes:
        rule: what is wrong, as half a sentence.
    """

    def __init__(self, rule: str) -> None:
        super().__init__(f"the body {rule}")
        self.rule = rule


def decode_strictly(body: bytes) -> dict[str, object]:
    """The object that a body holds.

    Args:
        body: bytes of UTF-8, without a byte order mark.

    Raises:
        NotStrictJson: not UTF-8, not JSON, no object, or not strict.
    """
    try:
        value: object = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotStrictJson("is not UTF-8") from None
    except RecursionError:
        raise NotStrictJson(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        # Its message repeats nothing of the body.
        raise NotStrictJson(_not_json(error)) from None
    except ValueError:
        raise NotStrictJson("holds a number with too many digits") from None
    if not isinstance(value, dict):
        raise NotStrictJson("is not a JSON object")
    _require_shallow(value)
    # Only an escape can spell half of a pair: the text came from UTF-8.
    if b"\\ud" in body or b"\\uD" in body:
        _require_whole_pairs(value)
    return value


_TOO_DEEP: Final = f"is nested more than {MAX_DEPTH} levels deep"


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotStrictJson("has a key that occurs twice")
    return found


def _refuse_constant(_: str) -> NoReturn:
    raise NotStrictJson("holds NaN or an infinity, which JSON does not know")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotStrictJson("holds a number beyond what a double holds")
    return number


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant, parse_float=_finite
)


def _require_shallow(value: object) -> None:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [member for one in level for member in _members(one)]
        if not level:
            return
    raise NotStrictJson(_TOO_DEEP)


def _require_whole_pairs(value: object) -> None:
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        texts = [*one, *one.values()] if isinstance(one, dict) else [one]
        if any(_has_half_a_pair(text) for text in texts if isinstance(text, str)):
            raise NotStrictJson("holds half of a surrogate pair")
        waiting += _members(one)


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _has_half_a_pair(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _not_json(error: json.JSONDecodeError) -> str:
    return f"is not JSON (line {error.lineno}, column {error.colno})"
