"""Ask a gateway for embeddings over some connections, each as soon as it has its answer.

    python bench/gateway_load.py '{"url": …, "connections": 16, "warm": 1, "seconds": 3, …}'

It opens the connections, asks for as many seconds as warm up, prints a line and waits for one. Then
it asks for the seconds that are measured, and prints what came of it as one line of JSON. It speaks
as little HTTP as it can, so that it costs little beside what it measures.
"""

import asyncio
import json
import re
import statistics
import sys
import time
from urllib.parse import urlsplit

import uvloop

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_END = b"\r\n\r\n"
_OK = b"HTTP/1.1 200"
PATIENCE = 120


class Load:
    """What is sent, and what came of it.

    Args:
        asked: of the command line.
    """

    def __init__(self, asked: dict) -> None:
        self._address = urlsplit(asked["url"])
        body = json.dumps(asked["body"]).encode()
        head = (
            f"POST {self._address.path} HTTP/1.1\r\nHost: {self._address.netloc}\r\n"
            f"Authorization: Bearer {asked['token']}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}"
        )
        self.request = head.encode() + _END + body
        self.expected = asked.get("expected")
        self._asked = asked
        self.until = 0.0
        self.open = 0
        self.waits: list[float] = []
        self.wrong: list[str] = []
        self.done = asyncio.Event()

    async def run(self) -> dict:
        """Warm up, wait for a line, measure."""
        loop = asyncio.get_running_loop()
        made = [
            await loop.create_connection(
                lambda: _Connection(self), self._address.hostname, self._address.port
            )
            for _ in range(self._asked["connections"])
        ]
        connections = [connection for _, connection in made]
        await self._send(connections, self._asked["warm"])
        print("ready", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)
        cpu, began = time.process_time(), time.perf_counter()
        await self._send(connections, self._asked["seconds"])
        seconds = time.perf_counter() - began
        for transport, _ in made:
            transport.close()
        ordered = sorted(self.waits)
        return {
            "requests": len(ordered),
            "seconds": seconds,
            "p50_ms": statistics.median(ordered) * 1000,
            "p99_ms": ordered[int(len(ordered) * 0.99)] * 1000,
            "cpu_seconds": time.process_time() - cpu,
            "wrong": self.wrong[:3],
            "wrong_count": len(self.wrong),
        }

    async def _send(self, connections: list["_Connection"], seconds: float) -> None:
        self.until = time.perf_counter() + seconds
        self.waits, self.done, self.open = [], asyncio.Event(), len(connections)
        for connection in connections:
            connection.ask()
        await asyncio.wait_for(self.done.wait(), PATIENCE)


class _Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._pieces: list[bytes] = []
        self._size = 0
        self._whole: int | None = None
        self._began = 0.0
        self._is_waiting = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Keep where requests go."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """An answer that was waited for does not come."""
        if self._is_waiting:
            self._load.wrong.append(f"lost: {error!r}")
            self._load.done.set()

    def ask(self) -> None:
        """Send a request."""
        self._is_waiting = True
        self._began = time.perf_counter()
        self._transport.write(self._load.request)

    def data_received(self, data: bytes) -> None:
        """Go on when the answer is whole."""
        self._pieces.append(data)
        self._size += len(data)
        if self._whole is None:
            held = b"".join(self._pieces)
            self._pieces = [held]
            end = held.find(_END)
            if end < 0:
                return
            stated = _LENGTH.search(held, 0, end + 2)
            if stated is None:
                raise SystemExit("an answer without a length")
            self._whole = end + len(_END) + int(stated[1])
        if self._size >= self._whole:
            self._answered(b"".join(self._pieces))

    def _answered(self, answer: bytes) -> None:
        load = self._load
        now = time.perf_counter()
        load.waits.append(now - self._began)
        self._is_waiting = False
        self._pieces, self._size, self._whole = [], 0, None
        body = answer.partition(_END)[2]
        is_other = load.expected is not None and len(body) != load.expected
        if not answer.startswith(_OK) or is_other:
            load.wrong.append(answer[:300].decode("latin-1"))
        if now < load.until:
            self.ask()
            return
        load.open -= 1
        if load.open == 0:
            load.done.set()


def main() -> None:
    """Measure what the command line asks for."""
    load = Load(json.loads(sys.argv[1]))
    print(json.dumps(uvloop.run(load.run())), flush=True)


if __name__ == "__main__":
    main()
