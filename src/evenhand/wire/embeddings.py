"""What does a client of the gateway send, and what may go on to an upstream?

The shapes are OpenAI's, decoded with msgspec: no pydantic on this path. A body is a closed object:
a member that is not known could make an upstream embed something else than what is recorded. What
is accepted here has one meaning for every reader, as `wire.strict_json` asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evenhand.core.gateway.inputs import Purpose
from evenhand.wire.strict_json import NotStrictJson, decode_strictly

#: The greatest number of dimensions that may be asked for.
MAX_DIMENSIONS: Final = 65_536

Encoding = Literal["float", "base64"]


class NotARequest(Exception):
    """A body is refused; the rule names no value of it.

    Attributes:
        rule: what is wrong, as half a sentence.
        param: the member that it is about; None where it is about the whole.
    """

    def __init__(self, rule: str, param: str | None = None) -> None:
        super().__init__(f"{param or 'the body'} {rule}")
        self.rule = rule
        self.param = param


class EmbeddingsBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for embeddings.

    Attributes:
        model: name of a route.
        input: any value; `core.gateway.inputs.read_inputs` reads it.
        input_type: what the input is for, by default a query; stripped before it goes on.
        encoding_format: of the vectors, by default float.
        dimensions: that the vectors should have.
        user: the client's name for its own user; goes on, and is not kept.
    """

    model: str
    input: Any
    input_type: Literal["query", "document"] | UnsetType | None = UNSET
    encoding_format: Encoding | None = None
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=MAX_DIMENSIONS)] | None = None
    user: str | None = None

    @property
    def purpose(self) -> Purpose:
        """What the input is for."""
        return Purpose(self.input_type) if self.input_type else Purpose.QUERY

    @property
    def encoding(self) -> Encoding:
        """How the vectors shall be written."""
        return self.encoding_format or "float"

    @property
    def is_plain(self) -> bool:
        """Whether no member of it is the gateway's own."""
        return self.input_type is UNSET


class _Forwarded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request as an upstream is sent it where the client's own bytes cannot go on."""

    model: str
    input: Sequence[object] | str
    encoding_format: Encoding | None = None
    dimensions: int | None = None
    user: str | None = None


def decode_request(body: bytes) -> EmbeddingsBody:
    """The request that a body holds.

    Args:
        body: any bytes.

    Raises:
        NotARequest: not UTF-8, not JSON, no object, not strict, or a member that is missing,
            unknown or wrong.
    """
    try:
        found = _DECODER.decode(body)
    except msgspec.ValidationError as error:
        refused = _explained(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError):
        refused = NotARequest(_why_not_json(body))
    except RecursionError:
        refused = NotARequest("is nested too deep")
    else:
        _require_one_meaning(body)
        return found
    # Outside the clause: the decoder's message may repeat a value.
    raise refused


def encode_request(
    asked: EmbeddingsBody, value: Sequence[object] | str, *, upstream_model: str
) -> bytes:
    """A request for an upstream with other inputs or another model than the client's.

    Args:
        asked: what the client sent.
        value: the inputs that go out.
        upstream_model: what the upstream calls the model.
    """
    return _ENCODER.encode(
        _Forwarded(
            model=upstream_model,
            input=value,
            encoding_format=asked.encoding_format,
            dimensions=asked.dimensions,
            user=asked.user,
        )
    )


_DECODER: Final = msgspec.json.Decoder(EmbeddingsBody)
_ENCODER: Final = msgspec.json.Encoder()
_MEMBERS: Final = EmbeddingsBody.__struct_fields__
_RULES: Final = {
    "model": "must be text: the name of a route",
    "input": "holds a number out of range",
    "input_type": "must be query or document",
    "encoding_format": "must be float or base64",
    "dimensions": f"must be a whole number from 1 to {MAX_DIMENSIONS}",
    "user": "must be text",
}
_KNOWN: Final = f"has a member that is not known; it takes {', '.join(_MEMBERS)}"
_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
# A path holds names of our own and positions only: unknown members have none.
_PLACE: Final = re.compile(r" - at `\$\.(\w+)(?:\[\d+\])*`\Z")


def _explained(message: str) -> NotARequest:
    missing, place = _MISSING.fullmatch(message), _PLACE.search(message)
    if missing is not None:
        return NotARequest("is missing", missing[1])
    if place is not None:
        return NotARequest(_RULES[place[1]], place[1])
    if message.startswith("Object contains unknown field"):
        return NotARequest(_KNOWN)
    return NotARequest("is not a JSON object")


def _why_not_json(body: bytes) -> str:
    """What is wrong with a body that could not be read; the decoder's own words are not told."""
    if not body.strip():
        return "is empty"
    try:
        decode_strictly(body)
    except NotStrictJson as error:
        return error.rule
    return "is not JSON in UTF-8"


def _require_one_meaning(body: bytes) -> None:
    """Refuse a member that occurs twice: an upstream could read the other one.

    Every member is known by now, so one that occurs twice is spelt twice, or with an escape.
    """
    is_simple = b"\\u" not in body and all(body.count(name) < 2 for name in _SPELT)
    if is_simple:
        return
    try:
        decode_strictly(body)
    except NotStrictJson as error:
        raise NotARequest(error.rule) from None


_SPELT: Final = tuple(f'"{name}"'.encode() for name in _MEMBERS)
