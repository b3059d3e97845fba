"""How does an id or a question travel as JSON? As text, or as a tag around bytes that are no UTF-8.

It becomes bytes here and nothing is guessed on the way: a number, a truth value and null are no
ids, whatever they would print as.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from evenhand.core.errors import InvalidText
from evenhand.core.errors.identity import UnknownEncoding
from evenhand.core.identity.legacy_bytes import ENCODING, VERSION, decode_text, encode_text

_TAG: Final[dict[str, Any]] = {
    "type": "object",
    "description": "Bytes that are not UTF-8.",
    "properties": {
        "encoding": {"const": ENCODING},
        "version": {"const": VERSION},
        "value": {"type": "string", "description": "Base64."},
    },
    "required": ["encoding", "version", "value"],
    "additionalProperties": False,
}
_SCHEMA: Final[dict[str, Any]] = {"anyOf": [{"type": "string", "minLength": 1}, _TAG]}


def _held(value: object) -> bytes:
    if not isinstance(value, str | dict):
        raise PydanticCustomError("not_text", "must be text")
    try:
        held = decode_text(value)
    except (InvalidText, UnknownEncoding):
        raise PydanticCustomError("not_text", "must be text, or bytes in a tag") from None
    if not held:
        raise PydanticCustomError("empty", "must not be empty")
    if b"\0" in held:
        raise PydanticCustomError("holds_nul", "must hold no NUL")
    return held


HeldText = Annotated[
    bytes,
    PlainValidator(_held),
    PlainSerializer(encode_text, return_type=Any),
    WithJsonSchema(_SCHEMA),
]
"""The bytes of a text that is not empty and holds no NUL."""
