"""How does the gateway say no? In the form that clients of OpenAI's API read."""

from __future__ import annotations

from typing import Any, Final

import msgspec

MEDIA_TYPE: Final = "application/json"


#: Of a refusal, for the API's description.
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "additionalProperties": False,
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": "string"},
            },
        }
    },
}


class _Error(msgspec.Struct):
    message: str
    type: str
    param: str | None
    code: str


class _Body(msgspec.Struct):
    error: _Error


def encode_error(message: str, *, status: int, code: str, param: str | None = None) -> bytes:
    """The body of a refusal.

    Args:
        message: a rule or a fact in our words; never a value of the request, nor a word of an
            upstream.
        status: of HTTP; it decides the type.
        code: stable snake-case name.
        param: the member of the request that it is about.
    """
    told = _Error(message=message, type=_type(status), param=param, code=code)
    return _ENCODER.encode(_Body(error=told))


_ENCODER: Final = msgspec.json.Encoder()
_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
_FIRST_OF_THE_SERVER: Final = 500


def _type(status: int) -> str:
    server = "server_error" if status >= _FIRST_OF_THE_SERVER else "invalid_request_error"
    return _TYPES.get(status, server)
