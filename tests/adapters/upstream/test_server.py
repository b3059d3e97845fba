"""A server of embeddings is called over kept connections, and nowhere else than allowed."""

import asyncio
import gzip
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from evenhand.adapters.upstream.server import Post, Server
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.failure import Failure
from evenhand.core.registry.upstream import PUBLIC_ONLY, UpstreamAllow, parse_upstream
from evenhand.core.registry.upstream import parse_upstream_allow as allowing
from tests.cases_runner import load
from tests.upstream_server import (
    Received,
    Scripted,
    ScriptedUpstream,
    embeddings,
    free_port,
    serving,
)

T = TypeVar("T")
LOOPBACK = allowing("127.0.0.1")
BODY = b'{"input": "a"}'
SECRET = "SECRET-h"  # noqa: S105 -- a canary


def using(
    url: str,
    work: Callable[[Server], Awaitable[T]],
    *,
    allow: UpstreamAllow = LOOPBACK,
    seconds: float = 30,
) -> T:
    """Result of some calls of a server, which is closed afterwards."""

    async def run() -> T:
        server = Server(parse_upstream(url), allow=allow, seconds=seconds)
        try:
            return await work(server)
        finally:
            await server.close()

    return asyncio.run(run())


def call(
    url: str,
    *,
    allow: UpstreamAllow = LOOPBACK,
    seconds: float = 30,
    limit: int = 10_000,
    secret: str | None = SECRET,
) -> Reply:
    post = Post(content=BODY, secret=secret, limit=limit)
    return using(url, lambda server: server.call(post), allow=allow, seconds=seconds)


def answered(scripted: Scripted, **options: Any) -> Reply:
    with serving(scripted) as upstream:
        return call(upstream.url, **options)


def test_the_body_goes_out_and_comes_back_byte_for_byte() -> None:
    body = embeddings([1.0])
    with serving(Scripted(body=body)) as upstream:
        reply = call(upstream.url)
    (got,) = upstream.received

    assert reply == Reply(body=body, status=200)
    assert (got.path, got.body) == ("/v1/embeddings", BODY)
    assert got.headers["authorization"] == f"Bearer {SECRET}"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["accept-encoding"] == "identity"


def test_a_server_that_needs_no_secret_is_sent_none() -> None:
    with serving(Scripted(body=b"{}")) as upstream:
        call(upstream.url, secret=None)

    assert "authorization" not in upstream.received[0].headers


def test_a_connection_is_kept() -> None:
    post = Post(content=BODY, secret=None, limit=1000)

    async def often(server: Server) -> list[bytes]:
        return [(await server.call(post)).body for _ in range(3)]

    with serving(Scripted(body=b"{}")) as upstream:
        assert using(upstream.url, often) == [b"{}"] * 3
        assert upstream.connections == 1


def test_b_097_what_a_busy_server_says_is_kept_as_a_word_and_a_number() -> None:
    case = load("B-097")
    expected = [
        Failure.BUSY,
        Failure.BUSY,
        Failure.UNAVAILABLE,
        Failure.SERVER_ERROR,
        Failure.CONNECT_FAILED,
        Failure.CREDENTIAL_REFUSED,
    ]
    replies = []
    for upstream in case["given"]["upstreams"]:
        if upstream.get("connect") == "refused":
            replies.append(call(f"http://127.0.0.1:{free_port()}/v1"))
            continue
        scripted = Scripted(status=upstream["status"], headers=upstream.get("headers", {}))
        replies.append(answered(scripted))

    assert [reply.failure for reply in replies] == expected
    waits = [None if reply.retry_after is None else str(reply.retry_after) for reply in replies]
    assert waits == case["expected"]["retry_after"]
    assert all(reply.body == b"" for reply in replies)


def test_b_118_a_redirect_is_not_followed_and_nothing_of_its_text_is_kept() -> None:
    case = load("B-118")
    with serving(Scripted(body=embeddings([1.0]))) as elsewhere:

        def script(_: Received) -> Scripted:
            location = f"{elsewhere.url}/embeddings?key=SECRET-q"
            return Scripted(status=307, headers={"Location": location})

        with serving(script) as upstream:
            reply = call(upstream.url)
        assert elsewhere.received == []

    assert reply.failure is Failure.REDIRECTED
    assert not any(canary in repr(reply) for canary in case["expected"]["canaries"])


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_b_118_the_text_of_an_error_is_not_kept(status: int) -> None:
    body = b"bad key SECRET-q in header Bearer SECRET-h"
    reply = answered(Scripted(status=status, body=body, headers={"Retry-After": "SECRET-q"}))

    assert "SECRET" not in repr(reply)
    assert reply.retry_after is None


def test_a_body_that_repeats_the_secret_is_marked() -> None:
    assert answered(Scripted(body=embeddings([1.0], note=SECRET))).echoes_secret
    assert not answered(Scripted(body=embeddings([1.0], note="SECRET"))).echoes_secret


def test_a_server_that_does_not_answer_in_time() -> None:
    hold = threading.Event()
    try:
        assert answered(Scripted(hold=hold), seconds=0.05).failure is Failure.TIMED_OUT
    finally:
        hold.set()


@pytest.mark.parametrize(
    ("scripted", "expected"),
    [
        (Scripted(raw=b""), Failure.DISCONNECTED),
        (Scripted(body=b"{}", missing=9), Failure.TRUNCATED),
        (Scripted(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), Failure.TRUNCATED),
        (Scripted(raw=b"SSH-2.0-nothing of HTTP\r\n\r\n"), Failure.NO_ANSWER),
        (Scripted(status=204), Failure.UNEXPECTED_STATUS),
    ],
)
def test_what_is_no_whole_answer_of_http(scripted: Scripted, expected: Failure) -> None:
    assert answered(scripted).failure is expected


@pytest.mark.parametrize("is_chunked", [True, False])
def test_the_limit_of_an_answer_is_exact(is_chunked: bool) -> None:
    scripted = Scripted(body=b"x" * 100, is_chunked=is_chunked)

    assert answered(scripted, limit=100).body == b"x" * 100
    too_large = answered(scripted, limit=99)
    assert (too_large.failure, too_large.body) == (Failure.TOO_LARGE, b"")


def test_a_packed_answer_is_not_unpacked() -> None:
    packed = gzip.compress(b"{}" + b" " * 100_000)
    reply = answered(Scripted(body=packed, headers={"Content-Encoding": "gzip"}))

    assert reply.body == packed


def reach(upstream: ScriptedUpstream, host: str, allow: UpstreamAllow) -> Failure | None:
    url = upstream.url.replace("127.0.0.1", host)
    return call(url, allow=allow).failure


def test_an_address_of_the_inside_is_not_connected_to_unless_it_is_listed() -> None:
    with serving(Scripted(body=b"{}")) as upstream:
        assert reach(upstream, "127.0.0.1", PUBLIC_ONLY) is Failure.ADDRESS_BLOCKED
        # A name is asked for its address when the connection is made.
        assert reach(upstream, "localhost", PUBLIC_ONLY) is Failure.ADDRESS_BLOCKED
        assert reach(upstream, "127.0.0.1", allowing("10.0.0.0/8")) is Failure.ADDRESS_BLOCKED
        assert upstream.connections == 0
        assert reach(upstream, "127.0.0.1", LOOPBACK) is None
        assert reach(upstream, "localhost", allowing("localhost")) is None


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Scripted(status=500)) as proxy, serving(Scripted(body=b"{}")) as upstream:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        assert call(upstream.url).failure is None
        assert proxy.connections == 0


def test_no_cookie_is_kept() -> None:
    post = Post(content=BODY, secret=None, limit=1000)

    async def twice(server: Server) -> None:
        await server.call(post)
        await server.call(post)

    with serving(Scripted(body=b"{}", headers={"Set-Cookie": "a=b"})) as upstream:
        using(upstream.url, twice)
    assert all("cookie" not in got.headers for got in upstream.received)


def test_a_plain_server_asked_for_tls_cannot_be_reached() -> None:
    with serving(Scripted(body=b"{}")) as upstream:
        assert call(upstream.url.replace("http:", "https:")).failure is Failure.CONNECT_FAILED


def test_the_scripted_server_answers_as_it_says() -> None:
    assert json.loads(embeddings([1.0], usage={"prompt_tokens": 1}))["usage"] == {
        "prompt_tokens": 1
    }
