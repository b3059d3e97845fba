"""Whatever body is sent, the gateway answers as it is described, and keeps a row."""

import asyncio
import json
import random  # noqa: TID251 -- seeded; five thousand bodies are too many to draw by hypothesis
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.request import is_public_id
from evenhand.hub.app import TABLE
from evenhand.wire.strict_json import decode_strictly
from tests.gateway_builders import a_scope
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import CLIENT, Served, serve_model
from tests.upstream_server import embeddings

#: The issue's million is for `make torture`: tools/torture_gateway.py.
BODIES = 5_000
TOGETHER = 50
SEED = 20260909

TEXTS = [
    "a",
    "",
    " ",
    "\x00",
    "\U0001f680",
    "\ud83d",
    "query: a",
    "x" * 300,
    "input",
    '"',
    "\u2028",
]
VALUES: list[Any] = [
    *TEXTS,
    *(0, 1, -1, 2**32, 2**64, 10**30, 1.0, 1.5, True, False, None),
    *([], {}, [[]], [None], {"a": 1}),
]
NAMES = [
    *("model", "input", "input_type", "encoding_format", "dimensions", "user"),
    *("Model", "inputs", "", "\x00"),
]
GOOD: dict[str, Callable[[random.Random], Any]] = {
    "model": lambda draw: draw.choice(["stable", "stable", "stable", "nobody", ""]),
    "input": lambda draw: draw.choice(["a", ["a"], ["a", "b"], [1, 2], [[1], [2, 3]]]),
    "input_type": lambda draw: draw.choice(["query", "document", None]),
    "encoding_format": lambda draw: draw.choice(["float", "base64", None]),
    "dimensions": lambda draw: draw.choice([1, 2, None]),
    "user": lambda draw: draw.choice(TEXTS),
}


def value(draw: random.Random, depth: int = 0) -> Any:
    if depth < 3 and draw.random() < 0.4:
        return [value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return draw.choice(VALUES)


def a_body(draw: random.Random, *, model: str = "stable") -> bytes:
    """A body that is right, wrong in a member, or wrong in its bytes."""
    members = {name: GOOD[name](draw) for name in ("model", "input")}
    if members["model"] == "stable":
        members["model"] = model
    for name in list(GOOD)[2:]:
        if draw.random() < 0.2:
            members[name] = GOOD[name](draw)
    if draw.random() < 0.5:
        members[draw.choice(NAMES)] = value(draw)
    if draw.random() < 0.1:
        members.pop(draw.choice(list(members)))
    body = bytearray(
        json.dumps(members, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass")
    )
    for _ in range(draw.choice([0, 0, 0, 1, 3])):
        at = draw.randrange(len(body) + 1)
        piece = bytes(draw.choice(b'{}[],:"\\0e-.\x00\xff\xed \xa0tn') for _ in range(2))
        body[at : at + draw.randrange(3)] = piece[: draw.randrange(3)]
    return bytes(body)


async def answering(_: Target, content: bytes, *, limit: int) -> Reply:
    """An upstream that gives what was asked for; the world begins here."""
    asked = json.loads(content)
    found = asked["input"]
    count = 1 if isinstance(found, str) or isinstance(found[0], int) else len(found)
    body = embeddings(*[[1.0] * (asked.get("dimensions") or 1)] * count)
    return Reply(body=body, status=200)


def an_answer(draw: random.Random, count: int) -> bytes:
    """An upstream's answer that is right, wrong in a member, or wrong in its bytes."""
    data = [{"index": index, "embedding": [1.0]} for index in range(count)]
    members: dict[str, Any] = {"object": "list", "data": data, "model": "m"}
    if draw.random() < 0.7:
        members["usage"] = {
            name: draw.choice([1, 1, *VALUES]) for name in ("prompt_tokens", "total_tokens")
        }
    if draw.random() < 0.3:
        draw.choice([members, data[0]])[draw.choice(["note", "model", "data", "index"])] = value(
            draw
        )
    text = json.dumps(members, ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.3:
        more = draw.choice(['"x":1,"x":2', '"x":1e999', '"x":NaN', '"x":"\\ud800"', '"model":"n"'])
        text = f"{text[:-1]},{more}}}"
    return text.encode("utf-8", "surrogatepass")


async def send(hub: Hub, body: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer of the application itself."""
    return await ask(hub.app, hub.tokens[CLIENT], body)


async def ask(app: ASGIApp, token: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    """The same of any application, to whoever shows this token."""
    scope = a_scope(token)
    incoming = iter([{"type": "http.request", "body": body, "more_body": False}])
    given: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        for message in incoming:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    async def tell(message: Any) -> None:
        given.append(message)

    await app(scope, receive, tell)
    begin, *rest = given
    told = {name.decode().lower(): text.decode() for name, text in begin["headers"]}
    return begin["status"], told, b"".join(one.get("body", b"") for one in rest)


def bodies(count: int) -> Iterator[list[bytes]]:
    draw = random.Random(SEED)  # noqa: S311 -- the same bodies each time
    for start in range(0, count, TOGETHER):
        yield [a_body(draw) for _ in range(min(TOGETHER, count - start))]


def fuzz(served: Served, monkeypatch: pytest.MonkeyPatch, count: int) -> dict[int, int]:
    """How often each status was answered; each answer is as it is described."""
    monkeypatch.setattr(served.hub.app.state.parts.upstreams, "post", answering)
    return answers_to(served, bodies(count))


def answers_to(served: Served, sent: Iterable[list[bytes]]) -> dict[int, int]:
    """How often each status was answered to some bodies; each answer is as it is described."""
    hub = served.hub
    entry = next(one for one in TABLE.entries if one.path == "/v1/embeddings")
    seen: dict[int, int] = {}
    assert isinstance(hub.client, TestClient)
    portal = hub.client.portal
    assert portal is not None

    async def together(some: list[bytes]) -> list[tuple[int, dict[str, str], bytes]]:
        return await asyncio.gather(*(send(hub, body) for body in some))

    for some in sent:
        for status, headers, body in portal.call(together, some):
            assert status in (200, *entry.possible_problems)
            assert status not in (500, 503)
            assert headers["content-type"] == "application/json"
            assert is_public_id(headers["x-request-id"])
            told = decode_strictly(body)
            assert ("data" in told) is (status == 200)
            assert ("error" in told) is (status != 200)
            seen[status] = seen.get(status, 0) + 1
    return seen


@pytest.fixture
def served(open_hub: Callable[..., Hub], database_url: str) -> Served:
    hub = open_hub(database_url, serve_upstream_allow="127.0.0.1")
    return serve_model(hub, "http://127.0.0.1:1/v1")


@only_sqlite
def test_no_body_gets_an_answer_that_is_not_described(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = fuzz(served, monkeypatch, BODIES)

    # The bodies reach every depth.
    assert set(seen) == {200, 400, 404}
    assert min(seen.values()) > BODIES // 50
    assert served.count() == BODIES


@only_sqlite
def test_no_answer_of_an_upstream_is_an_error_of_the_hub_or_passes_on_unless_it_is_strict(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(SEED)  # noqa: S311 -- the same answers each time

    async def saying(_: Target, content: bytes, *, limit: int) -> Reply:
        return Reply(body=an_answer(draw, len(json.loads(content)["input"])), status=200)

    monkeypatch.setattr(served.hub.app.state.parts.upstreams, "post", saying)
    sent = [[json.dumps({"model": "stable", "input": ["a", "b"]}).encode()] * TOGETHER] * 40
    seen = answers_to(served, sent)

    assert set(seen) == {200, 502}
    assert min(seen.values()) > 100
    assert served.count() == sum(seen.values())
