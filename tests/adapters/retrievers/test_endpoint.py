import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.endpoint import HttpRetriever, require_url
from evenhand.adapters.retrievers.registry import resolve
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import RetrievalFailed
from evenhand.core.identity.provenance import RetrievalProvenance, take_provenance
from evenhand.usecases.ports import ScoredRetriever
from tests.adapters.retrievers.support import a_context


class Server(ThreadingHTTPServer):
    """Answers each POST with what the test put down, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: tuple[int, bytes, dict[str, str]] = (200, b'{"ids": []}', {})
        self.is_silent = False
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append((self.path, dict(self.headers), msgspec.json.decode(body)))
        if self.server.is_silent:
            self.server.released.wait(30)
        status, content, headers = self.server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its own name
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def retriever(server: Server) -> Iterator[HttpRetriever]:
    opened = HttpRetriever("there", f"{server.url}/search?top=1", timeout_seconds=30)
    yield opened
    opened.close()


def code_of(retriever: HttpRetriever) -> str:
    with pytest.raises(RetrievalFailed) as caught:
        retriever.retrieve("canary", 12)
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value.code


def test_question_and_limit_are_posted_as_json(retriever: HttpRetriever, server: Server) -> None:
    server.answer = (200, b'{"ids": ["a", "b"]}', {})

    assert retriever.retrieve("where? é", 7) == ["a", "b"]
    ((path, headers, body),) = server.asked
    assert path == "/search?top=1"
    assert body == {"question": "where? é", "limit": 7}
    assert headers["content-type"] == "application/json"
    assert "authorization" not in {name.lower() for name in headers}


def test_token_is_sent_as_a_bearer_header(server: Server) -> None:
    retriever = HttpRetriever("there", server.url, token="s3cret")  # noqa: S106 -- made up
    retriever.retrieve("q", 12)
    retriever.close()

    assert server.asked[0][1]["authorization"] == "Bearer s3cret"


def test_scores_come_with_the_option(server: Server) -> None:
    server.answer = (200, b'{"results": [["a", 2], ["b", 0.5]]}', {})
    retriever = HttpRetriever("there", server.url, scored=True)

    assert isinstance(retriever, ScoredRetriever)
    assert retriever.retrieve_scored("q", 12) == [("a", 2.0), ("b", 0.5)]
    assert retriever.retrieve("q", 12) == ["a", "b"]
    retriever.close()


@pytest.mark.proves("P-07")
def test_stated_declaration_is_there_without_a_request(server: Server, tmp_path: Path) -> None:
    stated = Declaration(corpus="c", model="m", chunking="n", pipeline="p", execution="e")
    retriever: Any = resolve(server.url, a_context(tmp_path, declared=stated))

    assert take_provenance(retriever) == RetrievalProvenance("c", "m", "n", "p+d12", "e")
    assert server.asked == []
    retriever.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((503, b'{"ids": ["a"]}', {}), "http_503"),
        ((404, b"canary", {}), "http_404"),
        ((201, b'{"ids": ["a"]}', {}), "http_201"),
        ((200, b"canary", {}), "malformed_answer"),
        ((200, b'{"error": "BUSY"}', {}), "BUSY"),
    ],
)
def test_other_answer_fails_the_question_with_a_code(
    retriever: HttpRetriever, server: Server, answer: tuple[int, bytes, dict[str, str]], code: str
) -> None:
    server.answer = answer

    assert code_of(retriever) == code


def test_redirect_is_a_failure_and_is_not_followed(
    retriever: HttpRetriever, server: Server
) -> None:
    server.answer = (307, b"", {"location": f"{server.url}/elsewhere"})

    assert code_of(retriever) == "http_307"
    assert [path for path, _, _ in server.asked] == ["/search?top=1"]


def test_answer_that_is_too_large_is_a_failure(retriever: HttpRetriever, server: Server) -> None:
    server.answer = (200, b" " * (16 * 2**20) + b'{"ids": []}', {})

    assert code_of(retriever) == "answer_too_large"


def test_silence_is_a_timeout(server: Server) -> None:
    server.is_silent = True
    retriever = HttpRetriever("there", server.url, timeout_seconds=0.05)

    assert code_of(retriever) == "timeout"
    retriever.close()


def test_nobody_there_is_a_failed_connection(server: Server) -> None:
    retriever = HttpRetriever("there", server.url)
    server.server_close()

    assert code_of(retriever) == "connection_failed"
    retriever.close()


@pytest.mark.parametrize("url", ["http://localhost:8000/search", "https://example.test/a?top=3"])
def test_plain_url_is_taken(url: str) -> None:
    assert require_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://canary@example.test/",
        "https://user:canary@example.test/",
        "https://example.test/?api_key=canary",
        "https://example.test/?a=1&token=canary",
        "https://example.test/search#canary",
        "https:///canary",
        "https://example.test:99999/canary",
        "https://example.test/can ary",
        "ftp://example.test/canary",
        "https://example.test/\ncanary",
    ],
)
def test_url_with_a_credential_or_without_a_host_is_refused_unrepeated(url: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        require_url(url)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "ä"])
def test_token_that_no_header_can_hold_is_refused_unrepeated(token: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        HttpRetriever("there", "http://localhost/", token=token)
    assert caught.value.name == "token_env"
    assert not token or token not in str(caught.value)
