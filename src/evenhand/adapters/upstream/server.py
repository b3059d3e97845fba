"""How is a server of embeddings called? Over connections that are kept, and never elsewhere.

No text of the server leaves this module but a body with status 200 and a number of seconds to
wait: an error may repeat the very key that was sent. No redirect is followed, no proxy of the
environment is used, no cookie is kept, and each connection asks the guard about the very address
that it goes to, so that a name which changes its address leads nowhere inside.

Of the library there is what makes connections. Its session, its pool and its streams are not on
this path: what they do for every call (redirects, cookies, headers that are merged, traces) takes
more time than all else that the gateway does for a request, and none of it is wanted.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import aiohttp
from aiohttp.connector import Connection
from yarl import URL

from evenhand.adapters.upstream.answers import Answer
from evenhand.adapters.upstream.connections import Connector, Resting, listener_of
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.failure import Failure, failure_of_status, read_retry_after
from evenhand.core.registry.upstream import Upstream, UpstreamAllow, is_allowed_address

_PATH: Final = "/embeddings"
#: How long a connection may take to come about, in seconds.
_CONNECT_SECONDS: Final = 5.0
_CONNECT_TIMEOUT: Final = aiohttp.ClientTimeout(sock_connect=_CONNECT_SECONDS)
_LENGTH: Final = "Content-Length"


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
        status: of the answer, once it has begun.
    """

    status: int | None = None


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
        self._seconds = seconds
        self._connector = Connector(self._socket)
        self._resting = Resting()

    async def call(self, post: Post) -> Reply:
        """What the server answered, or why there is no answer."""
        noted = _Noted()
        try:
            return await self._post(post, noted)
        except (
            aiohttp.ClientError,
            OSError,
            TimeoutError,
            ValueError,
        ) as error:
            failure = _failure_of(error, has_begun=noted.status is not None)
        # Outside the clause: the message of the error may hold the address.
        return Reply(failure=failure, status=noted.status)

    async def close(self) -> None:
        """End every connection."""
        self._resting.close()
        await self._connector.close()

    async def _post(self, post: Post, noted: _Noted) -> Reply:
        until = asyncio.get_running_loop().time() + self._seconds
        connection = self._resting.take() or await self._connect()
        answer = None
        try:
            answer = await self._over(connection, post, noted, until)
            reply = _reply(answer, post.secret)
        finally:
            if answer is not None and answer.may_stay:
                self._resting.add(connection)
            else:
                # Nobody knows what is still to come over it.
                connection.close()
        return reply

    async def _connect(self) -> Connection:
        """A new connection."""
        async with asyncio.timeout(self._seconds):
            try:
                return await self._connector.connect(self._request, [], _CONNECT_TIMEOUT)
            except TimeoutError:
                failure = aiohttp.ConnectionTimeoutError()
            raise failure

    async def _over(
        self, connection: Connection, post: Post, noted: _Noted, until: float
    ) -> Answer:
        """The answer to a call that goes out over a connection."""
        listener, transport = listener_of(connection), connection.transport
        if listener is None or transport is None:
            raise aiohttp.ServerDisconnectedError
        loop = asyncio.get_running_loop()
        answer = Answer(post.limit, loop)
        listener.expect(answer)
        transport.write(self._head + _head_of(post) + post.content)
        ending = loop.call_at(until, answer.give_up)
        try:
            await answer.done
        finally:
            ending.cancel()
            listener.rest()
            noted.status = answer.status
        return answer

    @cached_property
    def _request(self) -> aiohttp.ClientRequest:
        """What every call has in common; it is never sent itself."""
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        return aiohttp.ClientRequest("POST", URL(self._url), headers=headers)

    @cached_property
    def _head(self) -> bytes:
        """The lines of a call that are the same for all."""
        request = self._request
        lines = [f"POST {request.url.raw_path_qs} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in request.headers.items() if name != _LENGTH]
        return "".join(f"{line}\r\n" for line in lines).encode()

    def _socket(self, info: Any) -> socket.socket:
        """A socket for an address that the guard lets through; asked for every connection."""
        family, kind, protocol, _, address = info
        if not is_allowed_address(address[0], host=self._upstream.host, allow=self._allow):
            raise AddressBlockedError
        return socket.socket(family, kind, protocol)


class AddressBlockedError(OSError):
    """The guard does not let an address through."""


def _head_of(post: Post) -> bytes:
    """The lines of a call that are its own, and the empty one."""
    secret = "" if post.secret is None else f"Authorization: Bearer {post.secret}\r\n"
    return f"{secret}{_LENGTH}: {len(post.content)}\r\n\r\n".encode()


def _reply(answer: Answer, secret: str | None) -> Reply:
    """What an answer says that has come."""
    assert answer.status is not None  # noqa: S101 -- it has begun
    failure = failure_of_status(answer.status)
    if failure is not None:
        wait = read_retry_after(answer.retry_after)
        return Reply(failure=failure, status=answer.status, retry_after=wait)
    if answer.is_too_large:
        return Reply(failure=Failure.TOO_LARGE, status=answer.status)
    body = answer.body
    return Reply(
        body=body,
        status=answer.status,
        echoes_secret=bool(secret) and str(secret).encode() in body,
    )


def _failure_of(error: Exception, *, has_begun: bool) -> Failure:
    """What an error of the client means.

    Args:
        error: as it was raised.
        has_begun: whether an answer had begun to arrive.
    """
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Failure.CERTIFICATE_REFUSED
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
