"""May a connection that was kept carry another call? Only where nothing has arrived since the last.

An answer has no name by which its call is known: on one connection the first answer belongs to the
first call. So one byte that nobody asked for would give every later call the answer of another.
"""

from __future__ import annotations

import functools
import select
import socket
from collections.abc import Callable
from typing import Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

#: How long a connection at rest is kept, in seconds: less than servers usually keep theirs.
_KEEP_SECONDS: Final = 4.0


class Listener(ResponseHandler):
    """What hears a server; it ends the connection at a byte that no call waits for.

    Attributes:
        is_at_rest: whether no call is out.
    """

    is_at_rest = True

    def data_received(self, data: bytes) -> None:
        """Read some bytes of an answer."""
        if self.is_at_rest:
            self.abort()
            return
        super().data_received(data)


class Connector(aiohttp.TCPConnector):
    """The connections to servers, each with a listener.

    Args:
        make_socket: of an address; asked for every connection.
    """

    def __init__(self, make_socket: Callable[[Any], socket.socket]) -> None:
        super().__init__(
            # How many are out at a time is counted by deployment, see `lane`.
            limit=0,
            keepalive_timeout=_KEEP_SECONDS,
            socket_factory=make_socket,
        )
        listener: type[ResponseHandler] = Listener
        self._factory = functools.partial(listener, loop=self._loop)


def listener_of(connection: Connection) -> Listener | None:
    """What hears a connection; None where it is closed."""
    protocol, transport = connection.protocol, connection.transport
    if protocol is None or transport is None or transport.is_closing():
        return None
    if not isinstance(protocol, Listener):
        raise TypeError("the connection is not one of Connector's")
    return protocol


def rest(connection: Connection) -> None:
    """Keep a connection for another call; it is closed where its answer was not read to its end."""
    listener = listener_of(connection)
    if listener is not None:
        listener.is_at_rest = True
    connection.release()


def is_silent(connection: Connection) -> bool:
    """Whether a connection at rest is open, and nothing waits to be read of it, nor its end."""
    transport = connection.transport
    if listener_of(connection) is None or transport is None:
        return False
    # What the loop has not read yet is asked of the system; a number above 1023 is none that
    # `select.select` takes.
    asked = select.poll()
    asked.register(transport.get_extra_info("socket").fileno(), select.POLLIN)
    return not asked.poll(0)
