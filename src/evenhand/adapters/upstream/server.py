"""How is a server of embeddings called? Over connections that are kept, and never elsewhere.

No text of the server leaves this module but a body with status 200 and a number of seconds to
wait: an error may repeat the very key that was sent. No redirect is followed, no proxy of the
environment is used, no cookie is kept, and each connection asks the guard about the very address
that it goes to, so that a name which changes its address leads nowhere inside.
"""

from __future__ import annotations

import asyncio
import socket
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.failure import Failure, failure_of_status, read_retry_after
from evenhand.core.registry.upstream import Upstream, UpstreamAllow, is_allowed_address

_PATH: Final = "/embeddings"
_OK: Final = 200
#: How long a connection may take to come about, in seconds.
_CONNECT_SECONDS: Final = 5.0
#: How long a connection at rest is kept, in seconds: less than servers usually keep theirs.
_KEEP_SECONDS: Final = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One call of a server.

    Attributes:
        content: the body, JSON.
        secret: for the header ``Authorization``; None for a server that needs none.
        limit: how many bytes the answer may have, at least 1.
    """

    content: bytes
    secret: str | None
    limit: int


@dataclass(slots=True)
class _Noted:
    """What is known of a call while it is out.

    Attributes:
        was_reused: whether its connection had carried another one before.
        status: of the answer, once it has begun.
    """

    was_reused: bool = True
    status: int | None = None


#: The call for which a connection is being made, where one is.
_CALL: Final[ContextVar[_Noted]] = ContextVar("call")


class Server:
    """One server and the connections to it, of one event loop.

    Args:
        upstream: its address.
        allow: what may be called although it is not public.
        seconds: how long a call may take, above 0.
    """

    def __init__(self, upstream: Upstream, *, allow: UpstreamAllow, seconds: float) -> None:
        self._upstream = upstream
        self._allow = allow
        host = f"[{upstream.host}]" if ":" in upstream.host else upstream.host
        self._url = f"{upstream.scheme}://{host}:{upstream.port}{upstream.path}{_PATH}"
        self._session = aiohttp.ClientSession(
            # How many are out at a time is counted by deployment, see `lane`.
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_KEEP_SECONDS, socket_factory=self._socket
            ),
            timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            # Nothing is unpacked: a small body could become a very large one.
            auto_decompress=False,
            trust_env=False,
            headers={"Accept-Encoding": "identity", "Content-Type": "application/json"},
        )

    async def call(self, post: Post) -> Reply:
        """What the server answered, or why there is no answer."""
        noted = _Noted()
        _CALL.set(noted)
        try:
            return await self._post(post, noted)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            failure = _failure_of(error, has_begun=noted.status is not None)
        # Outside the clause: the message of the error may hold the address.
        return Reply(failure=failure, status=noted.status, was_reused=noted.was_reused)

    async def close(self) -> None:
        """End every connection."""
        await self._session.close()

    async def _post(self, post: Post, noted: _Noted) -> Reply:
        headers = {} if post.secret is None else {"Authorization": f"Bearer {post.secret}"}
        async with self._session.post(
            self._url,
            data=post.content,
            headers=headers,
            allow_redirects=False,
        ) as response:
            noted.status = response.status
            failure = failure_of_status(response.status)
            if failure is not None:
                wait = read_retry_after(response.headers.get("Retry-After"))
                return _failed(failure, noted, wait)
            body = await _read(response, post.limit)
        if body is None:
            return _failed(Failure.TOO_LARGE, noted)
        return Reply(
            body=body,
            status=_OK,
            was_reused=noted.was_reused,
            echoes_secret=bool(post.secret) and str(post.secret).encode() in body,
        )

    def _socket(self, info: Any) -> socket.socket:
        """A socket for an address that the guard lets through; asked for every connection."""
        _CALL.get().was_reused = False
        family, kind, protocol, _, address = info
        if not is_allowed_address(address[0], host=self._upstream.host, allow=self._allow):
            raise AddressBlockedError
        return socket.socket(family, kind, protocol)


class AddressBlockedError(OSError):
    """The guard does not let an address through."""


async def _read(response: aiohttp.ClientResponse, limit: int) -> bytes | None:
    """The body, None where it is larger than the limit; no more than that is held."""
    if response.content_length is not None and response.content_length > limit:
        return None
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)


def _failed(failure: Failure, noted: _Noted, wait: int | None = None) -> Reply:
    return Reply(
        failure=failure, status=noted.status, retry_after=wait, was_reused=noted.was_reused
    )


def _failure_of(error: Exception, *, has_begun: bool) -> Failure:
    """What an error of the client means.

    Args:
        error: as it was raised.
        has_begun: whether an answer had begun to arrive.
    """
    if isinstance(error, aiohttp.ClientConnectorError):
        is_blocked = isinstance(error.os_error, AddressBlockedError)
        return Failure.ADDRESS_BLOCKED if is_blocked else Failure.CONNECT_FAILED
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Failure.CONNECT_FAILED
    if isinstance(error, asyncio.TimeoutError):
        return Failure.TIMED_OUT
    if isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError | OSError):
        return Failure.TRUNCATED if has_begun else Failure.DISCONNECTED
    return Failure.NO_ANSWER
