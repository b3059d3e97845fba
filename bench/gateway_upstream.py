"""A server of embeddings that does nothing: every text has the same vector.

    python bench/gateway_upstream.py --dimension 384 --wait 0.02

It prints its address, and answers until it is told to stop. Whatever the path, the answer is
OpenAI's, to as many inputs as the body's list has items. A body is hardly looked at, so that the
server costs as little as it can: what is measured is what stands before it.
"""

import argparse
import asyncio
import json
import re
from functools import cache

import uvloop

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_END = b"\r\n\r\n"


class Answers:
    """The bytes of each answer.

    Args:
        dimension: of the vectors.
    """

    def __init__(self, dimension: int) -> None:
        self._vector = [round(0.001 * (number % 97) - 0.0483, 6) for number in range(dimension)]
        self.to = cache(self._to)

    def _to(self, count: int) -> bytes:
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector}
            for index in range(count)
        ]
        usage = {"prompt_tokens": count, "total_tokens": count}
        body = json.dumps(
            {"object": "list", "data": data, "model": "constant", "usage": usage},
            separators=(",", ":"),
        ).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        return head.encode() + _END + body


class Connection(asyncio.Protocol):
    """One client.

    Args:
        answers: what it is given.
        wait: seconds before it is given it.
    """

    def __init__(self, answers: Answers, wait: float) -> None:
        self._answers = answers
        self._wait = wait
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Keep where answers go."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self._held += data
        while (end := self._held.find(_END)) >= 0:
            stated = _LENGTH.search(self._held, 0, end + 2)
            begin = end + len(_END)
            whole = begin + (int(stated[1]) if stated else 0)
            if len(self._held) < whole:
                return
            body, self._held = self._held[begin:whole], self._held[whole:]
            answer = self._answers.to(_count(body))
            if self._wait:
                asyncio.get_running_loop().call_later(self._wait, self._write, answer)
            else:
                self._write(answer)

    def _write(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def _count(body: bytes) -> int:
    """How many texts a body of the benchmark has; they hold no comma and no bracket."""
    begin = body.find(b"[")
    return 1 if begin < 0 else body.count(b",", begin, body.find(b"]", begin)) + 1


async def serve(dimension: int, wait: float) -> None:
    """Answer until the process is ended."""
    answers = Answers(dimension)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers, wait), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--wait", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    uvloop.run(serve(options.dimension, options.wait))


if __name__ == "__main__":
    main()
