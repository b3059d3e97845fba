"""Which retrieval settings does a suite revision pin, as one digest?

``json-ascii-v1`` turns any object into text, which is right for callers in this process and wrong
at a door: a set prints in another order each time, and whole-number keys sort as numbers here and
as text after one round through JSON. So settings that come from outside may hold JSON only, and
what is digested is what is stored.
"""

from __future__ import annotations

import math
from typing import Final

from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.canonical import json_ascii_v1_digest

MAX_DEPTH: Final = 64
"""How deeply settings may be nested; it also ends a value that holds itself."""

_NAME: Final = "retrieval_settings"


def retrieval_config_sha256(settings: object) -> str:
    """Digest of retrieval settings, 64 lowercase hex digits.

    Args:
        settings: an object as decoded from JSON: text keys, and of values only objects, lists,
            text, whole and finite numbers, true, false and null.

    Raises:
        InvalidSetting: anything else; the message names a depth, no key and no value.

    Source: statements C-91 to C-93, G-74.
    """
    if type(settings) is not dict:
        raise InvalidSetting(_NAME, "must be an object")
    _require_json(settings, 1)
    return json_ascii_v1_digest(settings)


def _require_json(value: object, depth: int) -> None:
    where = f"{_NAME}, level {depth}"
    if depth > MAX_DEPTH:
        raise InvalidSetting(_NAME, "is nested too deeply")
    if type(value) is dict:
        if not all(type(key) is str for key in value):
            raise InvalidSetting(where, "must have text keys only")
        for item in value.values():
            _require_json(item, depth + 1)
    elif type(value) is list:
        for item in value:
            _require_json(item, depth + 1)
    elif type(value) is float:
        if not math.isfinite(value):
            raise InvalidSetting(where, "must not hold NaN or an infinity")
    elif value is not None and type(value) not in (str, int, bool):
        raise InvalidSetting(where, "must hold JSON values only")
