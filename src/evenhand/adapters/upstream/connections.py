"""May a connection that was kept carry another call? Only where nothing has arrived since the last.

An answer has no name by which its call is known: on one connection the first answer belongs to the
first call. So one byte that nobody asked for would give every later call the answer of another.

The library makes connections: addresses, TLS and the names in certificates are its business.
`answers` reads what comes over them, and which of them rest is known here: the library's own pool
and streams do more for each call than reading an answer costs.
"""

from __future__ import annotations

import asyncio
import functools
import select
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from evenhand.adapters.upstream.answers import Answer

#: How long a connection at rest is kept, in seconds: less than servers usually keep theirs.
_KEEP_SECONDS: Final = 4.0


class Listener(ResponseHandler):
    """What hears a server; it ends the connection at a byte that no call waits for."""

    _answer: Answer | None = None
    _poll: select.poll | None = None

    def expect(self, answer: Answer) -> None:
        """Let what comes from now on be an answer's."""
        self._answer = answer

    def rest(self) -> None:
        """Nothing is waited for any more."""
        self._answer = None

    def is_silent(self) -> bool:
        """Whether nothing waits to be read, nor the end; of a connection that is open.

        What the loop has not read yet is asked of the system.
        """
        if self._poll is None:
            assert self.transport is not None  # noqa: S101 -- it is open
            # A number above 1023 is none that `select.select` takes.
            self._poll = select.poll()
            self._poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not self._poll.poll(0)

    def data_received(self, data: bytes) -> None:
        """Read some bytes of an answer."""
        if self._answer is None:
            self.abort()
        else:
            self._answer.feed(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Tell whoever waits that nothing more comes."""
        super().connection_lost(exc)
        if self._answer is not None:
            self._answer.end(exc)


class Connector(aiohttp.TCPConnector):
    """Makes connections to servers, each with a listener; it keeps none.

    Args:
        make_socket: of an address; asked for every connection.
    """

    def __init__(self, make_socket: Callable[[Any], socket.socket]) -> None:
        super().__init__(
            # How many are out at a time is counted by deployment, see `lane`.
            limit=0,
            force_close=True,
            socket_factory=make_socket,
        )
        listener: type[ResponseHandler] = Listener
        self._factory = functools.partial(listener, loop=self._loop)


class Resting:
    """The connections to one server that carry no call; of one event loop."""

    def __init__(self) -> None:
        #: With the moment since which it rests; the last one is taken first.
        self._connections: deque[tuple[float, Connection]] = deque()
        self._closing: asyncio.TimerHandle | None = None

    def take(self) -> Connection | None:
        """One over which nothing has come and which is not closed; None where there is none."""
        while self._connections:
            _, connection = self._connections.pop()
            listener = listener_of(connection)
            if listener is not None and listener.is_silent():
                return connection
            connection.close()
        return None

    def add(self, connection: Connection) -> None:
        """Keep one, the answer of whose call was read to its end."""
        loop = asyncio.get_running_loop()
        self._connections.append((loop.time(), connection))
        if self._closing is None:
            self._closing = loop.call_later(_KEEP_SECONDS, self._close_old)

    def close(self) -> None:
        """End all of them."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        while self._connections:
            self._connections.pop()[1].close()

    def _close_old(self) -> None:
        self._closing = None
        loop = asyncio.get_running_loop()
        before = loop.time() - _KEEP_SECONDS
        while self._connections and self._connections[0][0] <= before:
            self._connections.popleft()[1].close()
        if self._connections:
            self._closing = loop.call_at(self._connections[0][0] + _KEEP_SECONDS, self._close_old)


def listener_of(connection: Connection) -> Listener | None:
    """What hears a connection; None where it is closed."""
    protocol, transport = connection.protocol, connection.transport
    if protocol is None or transport is None or transport.is_closing():
        return None
    if not isinstance(protocol, Listener):
        raise TypeError("the connection is not one of Connector's")
    return protocol
