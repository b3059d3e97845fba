"""Ask a server for the same thing over some connections, each as soon as it has its answer.

    python bench/gateway_load.py '{"url": …, "connections": 16, "warm": 1, "seconds": 3, …}'

It opens the connections and asks without a pause. After the seconds that warm up it prints a line
and waits for one, then counts for the seconds that are measured, and prints what it counted as one
line of JSON. It speaks as little HTTP as it can, so that it costs little beside what it measures.

Where no body may come twice, "mark" is a text of the body in whose place a number of as many
digits stands; "status" is that of a right answer.
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
        self._request = head.encode() + _END + body
        self._mark = asked.get("mark", "").encode()
        self._sent = 0
        self.right = f"HTTP/1.1 {asked.get('status', 200)} ".encode()
        self.expected = asked.get("expected")
        self._asked = asked
        self.waits: list[float] = []
        self.wrong: list[str] = []

    def next_request(self) -> bytes:
        """What is sent next."""
        if not self._mark:
            return self._request
        self._sent += 1
        return self._request.replace(self._mark, b"%0*d" % (len(self._mark), self._sent))

    async def run(self) -> dict:
        """Warm up, wait for a line, measure."""
        loop = asyncio.get_running_loop()
        made = [
            await loop.create_connection(
                lambda: _Connection(self), self._address.hostname, self._address.port
            )
            for _ in range(self._asked["connections"])
        ]
        for _, connection in made:
            connection.ask()
        await self._count(self._asked["warm"])
        print("ready", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)
        self.waits = []
        cpu, began = time.process_time(), time.perf_counter()
        await self._count(self._asked["seconds"])
        seconds, used = time.perf_counter() - began, time.process_time() - cpu
        ordered = sorted(self.waits)
        for transport, _ in made:
            transport.abort()
        return {
            "requests": len(ordered),
            "seconds": seconds,
            "p50_ms": statistics.median(ordered) * 1000,
            "p99_ms": ordered[int(len(ordered) * 0.99)] * 1000,
            "cpu_seconds": used,
            "wrong": self.wrong[:3],
            "wrong_count": len(self.wrong),
        }

    async def _count(self, seconds: float) -> None:
        """Wait so long, and until there are as many answers as connections."""
        began = time.perf_counter()
        await asyncio.sleep(seconds)
        while len(self.waits) < self._asked["connections"] and not self.wrong:
            if time.perf_counter() - began > PATIENCE:
                raise SystemExit("no answers come")
            await asyncio.sleep(seconds / 10)


class _Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._pieces: list[bytes] = []
        self._size = 0
        self._whole: int | None = None
        self._began = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Keep where requests go."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """An answer that was waited for does not come; in the end nobody counts it."""
        self._load.wrong.append(f"lost: {error!r}")

    def ask(self) -> None:
        """Send a request."""
        self._began = time.perf_counter()
        self._transport.write(self._load.next_request())

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
        load.waits.append(time.perf_counter() - self._began)
        self._pieces, self._size, self._whole = [], 0, None
        body = answer.partition(_END)[2]
        is_other = load.expected is not None and len(body) != load.expected
        if not answer.startswith(load.right) or is_other:
            load.wrong.append(answer[:300].decode("latin-1"))
        self.ask()


def main() -> None:
    """Measure what the command line asks for."""
    load = Load(json.loads(sys.argv[1]))
    print(json.dumps(uvloop.run(load.run())), flush=True)


if __name__ == "__main__":
    main()
