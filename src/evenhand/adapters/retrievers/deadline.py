"""How does a whole HTTP call end in time? Every wait of it gets what is left until a deadline.

The client's own time-outs are for one wait each: a server that sends a byte now and then, of the
headers or of the body, would never meet them. Only the look-up of a host's name is left to the
system, which gives no way to bound it.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import httpcore2
import httpx2

_WRITTEN_AT_ONCE: Final = 16_384

#: Of the call that this thread makes, on the monotonic clock.
_DEADLINE: ContextVar[float] = ContextVar("deadline")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let what is asked inside, through a `DeadlineTransport`, end after so many seconds.

    Args:
        seconds: above 0.
    """
    token = _DEADLINE.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class DeadlineTransport(httpx2.BaseTransport):
    """HTTP over connections that wait no longer than the deadline of the call.

    Safe to call from several threads: each call is one thread's, and so is its deadline. Errors
    are those of ``httpcore2``.
    """

    def __init__(self) -> None:
        context = httpx2.create_ssl_context(trust_env=False)
        self._pool = httpcore2.ConnectionPool(ssl_context=context, network_backend=_Backend())

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, whose body is still to be read."""
        url = request.url
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        answered = self._pool.handle_request(asked)
        return httpx2.Response(
            answered.status,
            headers=answered.headers,
            stream=_Body(answered),
            extensions=answered.extensions,
        )

    def close(self) -> None:
        """End the connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, answered: httpcore2.Response) -> None:
        self._answered = answered

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answered.iter_stream()

    def close(self) -> None:
        self._answered.close()


class _Backend(httpcore2.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to the first address of the host that takes one.

        Each address gets its share of the time, so that one that does not answer leaves some
        for the next.
        """
        del timeout
        addresses = _addresses(host, port)
        for index, address in enumerate(addresses, 1):
            share = _left(httpcore2.ConnectTimeout) / (len(addresses) - index + 1)
            try:
                return _Stream(
                    self._inner.connect_tcp(address, port, share, local_address, socket_options)
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if index == len(addresses):
                    raise
        raise httpcore2.ConnectError("the host has no address")


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        return self._inner.read(max_bytes, _left(httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        # In pieces: within one write the inner stream begins its time-out anew.
        for start in range(0, len(buffer), _WRITTEN_AT_ONCE):
            piece = buffer[start : start + _WRITTEN_AT_ONCE]
            self._inner.write(piece, _left(httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        del timeout
        left = _left(httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(over: type[httpcore2.TimeoutException]) -> float:
    """Seconds until the deadline; raises when it is over."""
    left = _DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise over
    return left


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore2.ConnectError("the host was not found") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
