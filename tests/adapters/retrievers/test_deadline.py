"""A call over HTTP ends in time, however slowly and steadily a server says something."""

import socket
import threading
import time
from collections.abc import Iterator

import httpcore2
import httpx2
import pytest

from evenhand.adapters.retrievers.deadline import DeadlineTransport, within
from evenhand.adapters.retrievers.endpoint import HttpRetriever
from evenhand.core.errors.retrieval import RetrievalFailed

#: The server says a byte this often, and the call may take so long: many bytes fit in between.
PAUSE, DEADLINE = 0.01, 0.2
#: A client that has no deadline gets its whole answer after so many bytes, well over the deadline.
BYTES = 100
HEAD = b"HTTP/1.1 200 OK\r\n"
WHOLE = b'{"ids": []}'
ANSWER = HEAD + b"content-length: %d\r\n\r\n" % (BYTES + len(WHOLE))


class Dripping:
    """A server that says a beginning at once and then a byte now and then, up to its end."""

    def __init__(self, beginning: bytes, drop: bytes, end: bytes) -> None:
        self._said = (beginning, drop, end)
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def end(self) -> None:
        self._over.set()
        # A server that still waits for somebody is let go.
        socket.create_connection(self._socket.getsockname()).close()
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            if self._over.is_set():
                return
            asked = b""
            while not asked.endswith(b"}"):
                # To its end: what is left unread would break the connection when it closes.
                asked += connection.recv(65_536)
            beginning, drop, end = self._said
            try:
                connection.sendall(beginning)
                for _ in range(BYTES):
                    if self._over.wait(PAUSE):
                        return
                    connection.sendall(drop)
                connection.sendall(end)
            except OSError:
                # The client is gone, as it should be.
                return


@pytest.fixture
def dripping(request: pytest.FixtureRequest) -> Iterator[Dripping]:
    server = Dripping(*request.param)
    yield server
    server.end()


@pytest.mark.parametrize(
    "dripping",
    [
        pytest.param((HEAD + b"x: ", b"a", b"\r\ncontent-length: 11\r\n\r\n" + WHOLE), id="head"),
        pytest.param((HEAD[:3], b"", HEAD[3:]), id="status"),
        pytest.param((ANSWER, b" ", WHOLE), id="body"),
        pytest.param(
            (HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n", b"0\r\n\r\n"),
            id="chunks",
        ),
    ],
    indirect=True,
)
def test_a_server_that_drips_is_a_timeout_of_the_whole_call(dripping: Dripping) -> None:
    retriever = HttpRetriever("there", dripping.url, timeout_seconds=DEADLINE)
    started = time.monotonic()

    with pytest.raises(RetrievalFailed) as caught:
        retriever.retrieve("q", 12)
    assert caught.value.code == "timeout"
    assert time.monotonic() - started >= DEADLINE
    retriever.close()


@pytest.mark.parametrize(
    "dripping", [pytest.param((ANSWER, b" ", WHOLE), id="body")], indirect=True
)
def test_a_slow_server_that_ends_in_time_is_heard_to_the_end(dripping: Dripping) -> None:
    retriever = HttpRetriever("there", dripping.url, timeout_seconds=60)

    assert retriever.retrieve("q", 12) == []
    retriever.close()


def test_each_call_has_a_deadline_of_its_own() -> None:
    with within(60):
        with within(1e-9), pytest.raises(httpcore2.TimeoutException):
            DeadlineTransport().handle_request(httpx2.Request("GET", "http://127.0.0.1:1/"))
        with pytest.raises(httpcore2.ConnectError):
            DeadlineTransport().handle_request(httpx2.Request("GET", "http://127.0.0.1:1/"))


def test_a_host_that_nobody_knows_is_a_failed_connection() -> None:
    retriever = HttpRetriever("there", "http://a..b/", timeout_seconds=60)

    with pytest.raises(RetrievalFailed) as caught:
        retriever.retrieve("q", 12)
    assert caught.value.code == "connection_failed"
    retriever.close()


def test_the_next_address_of_a_host_is_tried_where_one_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Dripping(ANSWER, b" ", WHOLE)
    port = int(server.url.rpartition(":")[2])
    # A host with two addresses, of which the first one refuses.
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
        for address in ("127.0.0.2", "127.0.0.1")
    ]
    original = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest, **named: (
            found if host == "two.test" else original(host, *rest, **named)
        ),
    )
    retriever = HttpRetriever("there", f"http://two.test:{port}/", timeout_seconds=60)

    assert retriever.retrieve("q", 12) == []
    retriever.close()
    server.end()
