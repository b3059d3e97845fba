"""The answer of the gateway that holds vectors, as few steps from the server as it can be."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from evenhand.hub.problems import OK
from evenhand.usecases.gateway.forwarding import Given

_JSON: Final = b"application/json"
_ZEROS: Final = b"x-evenhand-zero-vectors"


class VectorsResponse(Response):
    """The answer with vectors, as few steps from the server as it can be.

    Args:
        given: what it holds.
    """

    def __init__(self, given: Given) -> None:
        # Of what the class begins with nothing is wanted: it looks for what nobody states here.
        self.status_code = OK
        self.body = given.content
        self.background = None
        self.raw_headers = [
            (b"content-length", str(len(given.content)).encode()),
            (b"content-type", _JSON),
        ]
        if given.zero_vectors:
            self.raw_headers.append((_ZEROS, str(given.zero_vectors).encode()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        head = {"type": "http.response.start", "status": OK, "headers": self.raw_headers}
        await send(head)
        await send({"type": "http.response.body", "body": self.body})
