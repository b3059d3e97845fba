"""A connection over which anything came that no call waits for carries no other call."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from evenhand.adapters.upstream.server import Post, Server
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.failure import Failure
from evenhand.core.registry.upstream import parse_upstream, parse_upstream_allow

POST = Post(content=b"{}", secret=None, limit=1000)
#: More turns of the loop than it takes to read what has arrived.
TURNS = 20


def an_answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Raw:
    """A server of bytes that a test plays, and what calls it.

    Attributes:
        server: that calls it.
        connections: as they were accepted.
    """

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.setblocking(False)
        url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        self.server = Server(
            parse_upstream(url), allow=parse_upstream_allow("127.0.0.1"), seconds=30
        )
        self.connections: list[socket.socket] = []

    async def accept(self) -> socket.socket:
        accepted, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        self.connections.append(accepted)
        return accepted

    async def call(self, connection: socket.socket | None, *said: bytes) -> Reply:
        """What a call came to for which the server says this over a connection, None for new."""
        loop = asyncio.get_running_loop()
        called = loop.create_task(self.server.call(POST))
        taken = await self.accept() if connection is None else connection
        assert await loop.sock_recv(taken, 65536)
        for one in said:
            taken.sendall(one)
        return await called

    async def close(self) -> None:
        await self.server.close()
        for one in (*self.connections, self._listening):
            one.close()


def playing(play: Callable[[Raw], Awaitable[None]]) -> None:
    async def run() -> None:
        raw = Raw()
        try:
            # Who waits for a connection that is not made fails, and does not hang.
            async with asyncio.timeout(30):
                await play(raw)
        finally:
            await raw.close()

    asyncio.run(run())


@pytest.mark.parametrize("turns", [0, TURNS])
@pytest.mark.parametrize(
    "unasked", [an_answer(b"old"), b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 408 Late\r\n", b""]
)
def test_what_nobody_asked_for_is_no_answer_to_the_next_call(turns: int, unasked: bytes) -> None:
    async def play(raw: Raw) -> None:
        assert (await raw.call(None, an_answer(b"first"))).body == b"first"
        # It has arrived: read by the loop, where that has its turns, or by nobody yet.
        kept = raw.connections[0]
        kept.sendall(unasked) if unasked else kept.shutdown(socket.SHUT_WR)
        for _ in range(turns):
            await asyncio.sleep(0)

        second = await raw.call(None, an_answer(b"second"))
        assert (second.body, len(raw.connections)) == (b"second", 2)
        # Over that one nothing came, so it is kept.
        assert (await raw.call(raw.connections[1], an_answer(b"third"))).body == b"third"

    playing(play)


def test_an_answer_that_came_twice_is_no_answer_to_the_next_call() -> None:
    async def play(raw: Raw) -> None:
        assert (await raw.call(None, an_answer(b"first") * 2)).body == b"first"
        assert (await raw.call(None, an_answer(b"second"))).body == b"second"

    playing(play)


@pytest.mark.parametrize(
    "said",
    [(), (b"HTTP/1.1 200 OK\r\nContent-Le",), (b"HTTP/1.1 100 Continue\r\n\r\n",)],
    ids=["nothing", "half a head", "continue"],
)
def test_a_call_that_went_out_is_not_told_to_be_unsent_however_its_connection_ends(
    said: tuple[bytes, ...],
) -> None:
    async def play(raw: Raw) -> None:
        await raw.call(None, an_answer(b"first"))
        kept = raw.connections[0]
        loop = asyncio.get_running_loop()
        called = loop.create_task(raw.server.call(POST))
        await loop.sock_recv(kept, 65536)
        for one in said:
            kept.sendall(one)
        kept.close()
        failure = (await called).failure
        assert failure is Failure.DISCONNECTED
        assert not failure.is_unsent

    playing(play)
