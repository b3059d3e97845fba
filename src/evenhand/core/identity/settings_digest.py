"""Which retrieval settings does a suite revision pin, as one text and one digest?

``json-ascii-v1`` turns any object into text, which is right for callers in this process and wrong
at a door: a set prints in another order each time, and whole-number keys sort as numbers here and
as text after one round through JSON. So settings that come from outside may hold JSON only, and
what is digested is what is stored.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors.registry import InvalidRetrievalSettings
from evenhand.core.identity.canonical import json_ascii_v1, sha256_hex

MAX_DEPTH: Final = 16
"""How deeply settings may be nested; it also ends a value that holds itself."""
MAX_LENGTH: Final = 65_536
"""How many characters their ``json-ascii-v1`` text may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Retrieval settings as they are stored: their ``json-ascii-v1`` text.

    Made by :func:`hold_settings` and :func:`read_settings`, so the text is always canonical.

    Attributes:
        text: what is stored and, byte for byte, what is digested.
    """

    text: str

    @property
    def sha256(self) -> str:
        """``retrieval_config_sha256``, 64 lowercase hex digits (statement C-91)."""
        return sha256_hex(self.text.encode("ascii"))

    @property
    def value(self) -> dict[str, object]:
        """The object that the text spells."""
        value: dict[str, object] = json.loads(self.text)
        return value


def hold_settings(settings: object) -> RetrievalSettings:
    """Retrieval settings as they are stored.

    Args:
        settings: an object as decoded from JSON: text keys, and of values only objects, lists,
            text, whole and finite numbers, true, false and null.

    Raises:
        InvalidRetrievalSettings: anything else, more than `MAX_DEPTH` levels or more than
            `MAX_LENGTH` characters; the message names a level, no key and no value.

    Source: statements C-91 to C-93, G-74.
    """
    if type(settings) is not dict:
        raise InvalidRetrievalSettings("must be an object")
    _require_json(settings, 1)
    try:
        text = json_ascii_v1(settings)
    except ValueError:
        # Python prints no whole number of thousands of digits.
        raise InvalidRetrievalSettings("holds a number with too many digits") from None
    if len(text) > MAX_LENGTH:
        rule = f"must be at most {MAX_LENGTH} characters of canonical JSON"
        raise InvalidRetrievalSettings(rule)
    return RetrievalSettings(text=text)


def read_settings(text: str) -> RetrievalSettings:
    """The settings that a stored text spells.

    Raises:
        InvalidRetrievalSettings: it is not the text that :func:`hold_settings` gives.
    """
    try:
        held = hold_settings(json.loads(text))
    except (ValueError, RecursionError):
        # Not chained: the driver's message may repeat the text.
        held = None
    if held is None or held.text != text:
        raise InvalidRetrievalSettings("must be the canonical text that was stored")
    return held


def retrieval_config_sha256(settings: object) -> str:
    """Digest of retrieval settings, 64 lowercase hex digits.

    Args:
        settings: as for :func:`hold_settings`.

    Raises:
        InvalidRetrievalSettings: as :func:`hold_settings`.

    Source: statements C-91 to C-93, G-74.
    """
    return hold_settings(settings).sha256


def _require_json(value: object, level: int) -> None:
    if level > MAX_DEPTH:
        rule = f"is nested too deeply: more than {MAX_DEPTH} levels"
        raise InvalidRetrievalSettings(rule)
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise InvalidRetrievalSettings("must have text keys only", level=level)
            _require_whole(key, level)
            _require_json(item, level + 1)
    elif type(value) is list:
        for item in value:
            _require_json(item, level + 1)
    else:
        _require_scalar(value, level)


def _require_scalar(value: object, level: int) -> None:
    if type(value) is str:
        _require_whole(value, level)
    elif type(value) is float:
        if not math.isfinite(value):
            raise InvalidRetrievalSettings("must not hold NaN or an infinity", level=level)
    elif value is not None and type(value) not in (int, bool):
        raise InvalidRetrievalSettings("must hold JSON values only", level=level)


def _require_whole(text: str, level: int) -> None:
    """Refuse half of a surrogate pair: it has an escape in JSON and no bytes in any reply."""
    if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
        raise InvalidRetrievalSettings("must not hold half of a surrogate pair", level=level)
