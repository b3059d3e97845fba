"""What stands before every route: credential, authority, size, media type and strict JSON.

The order is that of statements C.3. The framework parses a body only after all of it, so that a
caller without a credential never learns whether its JSON was right, nor makes the hub parse it.
"""

from __future__ import annotations

from collections.abc import Iterable
from email.message import Message as MediaType
from typing import Final
from urllib.parse import unquote_plus

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.core.access.roles import require
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.access import Unauthenticated
from evenhand.core.gateway.request import public_id
from evenhand.hub.callers import Callers
from evenhand.hub.parts import ARRIVAL, BODY, ENTRY, KNOWN, PRINCIPAL, Arrival, HubParts
from evenhand.hub.problems import INVALID_REQUEST, Refusal
from evenhand.hub.refusals import refusal_response
from evenhand.hub.table import Body, Entry, Form, Table, form_at
from evenhand.wire.strict_json import NotStrictJson, decode_strictly

_SCHEME: Final = "bearer"
_JSON: Final = "application/json"
_MOST_DIGITS: Final = 19
_LENGTH: Final = b"content-length"
_TYPE: Final = b"content-type"
_ENCODING: Final = b"content-encoding"
_LOOKED_AT: Final = frozenset({_LENGTH, _TYPE, _ENCODING})


class _Stated:
    """What a request states in the headers that are looked at; of one that it repeats the first.

    Args:
        headers: names in lowercase and values.

    Attributes:
        authorization: each time that it is stated.
        content_length, content_type: empty where it is not.
        content_encoding: None where it is not.
    """

    __slots__ = ("authorization", "content_encoding", "content_length", "content_type")

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.authorization: list[str] = []
        first: dict[bytes, str] = {}
        for name, value in headers:
            if name == b"authorization":
                self.authorization.append(value.decode("latin-1"))
            elif name in _LOOKED_AT:
                first.setdefault(name, value.decode("latin-1"))
        self.content_length = first.get(_LENGTH, "")
        self.content_type = first.get(_TYPE, "")
        self.content_encoding = first.get(_ENCODING)


class Gate:
    """Lets through what a route may see.

    A plain route is called from here: nothing of the framework has a part in it.

    Args:
        app: what comes behind it.
        table: which routes there are.
        parts: of the hub.
        callers: who knows whoever asks.
    """

    def __init__(self, app: ASGIApp, *, table: Table, parts: HubParts, callers: Callers) -> None:
        self._app = app
        self._table = table
        self._parts = parts
        self._callers = callers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request or refuse it with a problem."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # Nothing here speaks anything else.
            await send({"type": "websocket.close", "code": 1000})
            return
        try:
            body = await self._admit(scope, receive)
            entry: Entry = scope[ENTRY]
            if not entry.is_plain:
                answer = self._app
            else:
                scope[BODY] = body
                answer = await entry.endpoint(Request(scope, receive))
        except (Refusal, EvenhandError) as error:
            answer, body = refusal_response(error, scope), None
        await answer(scope, receive if body is None else _replay(body, receive), send)

    async def _admit(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body that a route may see; None where it is not read here."""
        # What no route fits has its id, too.
        if form_at(scope["path"]) is Form.OPENAI:
            scope[ARRIVAL] = Arrival(
                public_id=public_id(self._parts.secrets.new()),
                began=self._parts.clock.monotonic(),
            )
        entry = scope[ENTRY] = self._table.find(scope["method"], scope["path"])
        headers = _Stated(scope["headers"])
        if entry.action is not None:
            known = scope[KNOWN] = await self._callers.know(_bearer_token(headers))
            principal = scope[PRINCIPAL] = known.principal
            require(principal, entry.action)
        body = None
        if entry.body is not Body.IGNORED:
            body = await self._read(entry, headers, receive)
            _check(entry, headers, body)
        if scope["query_string"] and INVALID_REQUEST in entry.possible_problems:
            _require_said_once(scope["query_string"])
        return body

    async def _read(self, entry: Entry, headers: _Stated, receive: Receive) -> bytes:
        limit = self._parts.body_limit
        if entry.most_bytes is not None:
            limit = min(limit, entry.most_bytes)
        declared = headers.content_length
        # What is declared decides before a byte is read; what comes is counted all the same.
        # Python reads no number of thousands of digits.
        if len(declared) > _MOST_DIGITS or (declared.isdecimal() and int(declared) > limit):
            raise _too_large(limit)
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal("invalid_json", detail="the body ended early")
            body += message.get("body", b"")
            if len(body) > limit:
                raise _too_large(limit)
            if not message.get("more_body", False):
                return bytes(body)


def _bearer_token(headers: _Stated) -> str | None:
    """What was shown, None for nothing.

    Raises:
        Unauthenticated: two headers, or another scheme.
    """
    given = headers.authorization
    if not given:
        return None
    scheme, _, token = given[0].partition(" ")
    if len(given) > 1 or scheme.lower() != _SCHEME:
        raise Unauthenticated
    return token.strip(" ")


def _require_said_once(query: bytes) -> None:
    """Refuse an address that gives a parameter twice: which of the two counts is a guess."""
    stated = query.decode("latin-1").split("&")
    names = [unquote_plus(one.partition("=")[0]) for one in stated if one]
    if len(set(names)) < len(names):
        raise Refusal("invalid_request", detail="a parameter of the address is given twice")


def _check(entry: Entry, headers: _Stated, body: bytes) -> None:
    """Refuse a body that is not one strict JSON object, or that a route takes none of."""
    if entry.body is Body.EMPTY and not body:
        return
    if not _is_json(headers):
        raise Refusal("unsupported_media_type")
    if entry.body is Body.BYTES:
        return
    try:
        value = decode_strictly(body)
    except NotStrictJson as refused:
        raise Refusal("invalid_json", detail=str(refused)) from None
    if entry.body is Body.EMPTY and value:
        raise Refusal("invalid_request", detail="the body must be empty")


def _is_json(headers: _Stated) -> bool:
    if headers.content_type == _JSON and headers.content_encoding is None:
        # As nearly all say it, and that needs no parser of mail headers.
        return True
    stated = MediaType()
    stated["content-type"] = headers.content_type
    charset = stated.get_param("charset", "utf-8")
    # One body, one meaning: nothing is unpacked, and no other encoding is read.
    plain = (headers.content_encoding or "identity").lower() == "identity"
    return (
        stated["content-type"] != ""
        and stated.get_content_type() == _JSON
        and str(charset).lower() == "utf-8"
        and plain
    )


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever the server still has to say."""
    is_told = False

    async def _again() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return _again


def _too_large(limit: int) -> Refusal:
    # The rest of the body is not waited for.
    return Refusal(
        "body_too_large", detail=f"at most {limit} bytes", headers={"Connection": "close"}
    )
