"""What a collector hears of the gateway, and that no text, token or word of an upstream is in it."""

from collections.abc import Callable, Iterator

import pytest

from evenhand.core.errors import MissingExtra
from evenhand.core.identity.canonical import query_digest
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import CLIENT, Served, serve_model
from tests.upstream_server import Scripted, ScriptedUpstream, embeddings, serving

CANARY = "canary-text-of-a-client"
SENT = "canary-token-of-an-upstream"
KEY = "GATEWAY_TEST_KEY"
TRACE = "0af7651916cd43dd8448eb211c80319c"
ALLOWED = {"serve_upstream_allow": "127.0.0.1", "serve_upstream_secrets": KEY}


@pytest.fixture
def collector() -> Iterator[ScriptedUpstream]:
    with serving(Scripted()) as made:
        yield made


def bodies(collector: ScriptedUpstream) -> dict[str, bytes]:
    """What came, by the path that it came to."""
    found: dict[str, bytes] = {}
    for got in collector.received:
        found[got.path] = found.get(got.path, b"") + got.body
    return found


def ask_everything(served: Served, upstream: ScriptedUpstream) -> None:
    """Every kind of end, each with texts that must reach nobody."""
    headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "tracestate": f"x={CANARY}"}
    body = {"model": "stable", "input": CANARY, "user": CANARY}
    answer = served.hub.call("POST", "/v1/embeddings", CLIENT, json=body, headers=headers)
    assert answer.status_code == 200
    assert served.ask([CANARY, ""]).status_code == 400
    assert served.embed({"model": CANARY, "input": CANARY}).status_code == 404
    assert served.embed(f'{{"{CANARY}": 1'.encode()).status_code == 400
    upstream.answer = lambda _: Scripted(status=500, body=CANARY.encode())
    assert served.ask(CANARY).status_code == 502


@only_sqlite
def test_a_collector_hears_of_requests_and_of_nothing_that_they_said(
    open_hub: Callable[..., Hub],
    database_url: str,
    collector: ScriptedUpstream,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY, SENT)

    def script(_: object) -> Scripted:
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        body = embeddings([1.0], usage=usage, model=CANARY)
        return Scripted(body=body, headers={"X-Note": CANARY})

    with serving(script) as upstream:
        hub = open_hub(database_url, serve_otlp_url=collector.url.removesuffix("/v1"), **ALLOWED)
        served = serve_model(hub, upstream.url, secret_env=KEY)
        ask_everything(served, upstream)
        telemetry = hub.app.state.parts.telemetry
        assert telemetry is not None
        telemetry.close()

    heard = bodies(collector)
    assert set(heard) == {"/v1/traces", "/v1/metrics"}
    everything = b"".join(heard.values())
    for hidden in (CANARY, SENT, hub.tokens[CLIENT], query_digest(CANARY)):
        assert hidden.encode() not in everything
    assert heard["/v1/traces"].count(b"evenhand.request.id") == 5
    assert bytes.fromhex(TRACE) in heard["/v1/traces"]
    assert b"gen_ai.client.token.usage" in heard["/v1/metrics"]
    for code in (b"invalid_input", b"model_not_found", b"invalid_json", b"upstream_error"):
        assert code in heard["/v1/traces"]


@only_sqlite
def test_nobody_hears_anything_unless_it_is_configured(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The SDK's own variable is none of ours.
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    assert open_hub(database_url).app.state.parts.telemetry is None


@only_sqlite
def test_a_collector_that_takes_nothing_changes_no_answer(
    open_hub: Callable[..., Hub], database_url: str, collector: ScriptedUpstream
) -> None:
    collector.answer = lambda _: Scripted(status=400)
    with serving(Scripted(body=embeddings([1.0]))) as upstream:
        url = collector.url.removesuffix("/v1")
        hub = open_hub(database_url, serve_otlp_url=url, **ALLOWED)
        assert serve_model(hub, upstream.url).ask("a").status_code == 200
        hub.app.state.parts.telemetry.close()

    assert "/v1/traces" in bodies(collector)


@only_sqlite
def test_without_the_extra_a_hub_says_what_is_missing(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "evenhand.adapters.telemetry.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(MissingExtra, match="otel"):
        open_hub(database_url, serve_otlp_url="http://127.0.0.1:9")
