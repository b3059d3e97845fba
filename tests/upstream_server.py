"""A server of embeddings whose answers a test writes, on loopback."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request that came.

    Attributes:
        path: of it.
        headers: lowercase names.
        body: as it came.
    """

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as it reads."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One answer.

    Attributes:
        status, body, headers: of it.
        raw: bytes to send instead of an answer of HTTP; empty closes the connection at once.
        missing: how many bytes less are sent than are announced; then the connection is closed.
        is_chunked: whether the length is not announced.
        hold: waited for before anything is sent.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    missing: int = 0
    is_chunked: bool = False
    hold: threading.Event | None = None


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def setup(self) -> None:
        """Count it."""
        self.server.outer.connections += 1
        super().setup()

    def do_POST(self) -> None:
        """Keep what came, and answer as the test says."""
        outer = self.server.outer
        length = int(self.headers.get("Content-Length", "0"))
        got = Received(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        outer.received.append(got)
        outer.arrived.release()
        given = outer.answer(got)
        if given.hold is not None:
            given.hold.wait()
        if given.raw is None:
            self._answer(given)
        else:
            self.wfile.write(given.raw)
        if given.raw is not None or given.missing:
            self.close_connection = True
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def _answer(self, given: Scripted) -> None:
        self.send_response(given.status)
        for name, value in given.headers.items():
            self.send_header(name, value)
        if given.is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(given.body), given.body)
        else:
            self.send_header("Content-Length", str(len(given.body) + given.missing))
            body = given.body
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    outer: "ScriptedUpstream"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that leaves is part of some tests."""


class ScriptedUpstream:
    """The server.

    Attributes:
        answer: what it answers to a request; may be changed.
        received: in the order in which they came.
        connections: how many there were.
        arrived: released once for each request.
    """

    def __init__(
        self, answer: Callable[[Received], Scripted], certificate: Path | None = None
    ) -> None:
        self.answer = answer
        self.received: list[Received] = []
        self.connections = 0
        self.arrived = threading.Semaphore(0)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.outer = self
        self._scheme = "http" if certificate is None else "https"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


#: A key and a certificate of 127.0.0.1 that nobody signed; it is no secret.
SELF_SIGNED = Path(__file__).parent / "self_signed.pem"


@contextmanager
def serving(
    answer: Callable[[Received], Scripted] | Scripted, certificate: Path | None = None
) -> Iterator[ScriptedUpstream]:
    """A server for the time of a block, over TLS where it has a certificate (with its key)."""
    made = ScriptedUpstream(answer if callable(answer) else lambda _: answer, certificate)
    try:
        yield made
    finally:
        made.close()


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def embeddings(*vectors: Any, usage: Any = None, **members: Any) -> bytes:
    """The body of an answer with these vectors, in order."""
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    body = {"object": "list", "data": data, "model": "upstream-1", **members}
    return json.dumps(body | ({} if usage is None else {"usage": usage})).encode()


def letters(got: Received) -> Scripted:
    """Each text's vector is the position of its last character in the alphabet (case B-092)."""
    texts = got.json["input"]
    found = [texts] if isinstance(texts, str) else texts
    vectors = [[float(ord(text[-1]) - ord("a") + 1)] for text in found]
    usage = {"prompt_tokens": len(found), "total_tokens": len(found)}
    return Scripted(body=embeddings(*vectors, usage=usage))
