"""How much a client may ask of the gateway, and how much a runtime takes at a time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.gateway.request import RequestState
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import MODEL, Served, serve_model
from tests.upstream_server import ScriptedUpstream, letters, serving

API = "/api/v1"
ALLOWED = {"serve_upstream_allow": "127.0.0.1", "serve_upstream_batch": "2"}


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with serving(letters) as made:
        yield made


@pytest.fixture
def served(open_hub: Callable[..., Hub], database_url: str, upstream: ScriptedUpstream) -> Served:
    return serve_model(open_hub(database_url, **ALLOWED), upstream.url)


def change(served: Served, noun: str, object_id: str, **stated: Any) -> None:
    """What an operator does, whatever the version is."""
    path = f"{API}/{noun}/{object_id}"
    version = served.hub.call("GET", path, "operator").json()["version"]
    body = {"expected_version": version, **stated}
    assert served.hub.call("PATCH", path, "operator", json=body).status_code == 200


def limit(served: Served, inputs: int | None) -> None:
    change(served, "service-clients", served.client.id, inputs_per_minute=inputs)


@pytest.mark.proves("G-53", "G-57")
def test_who_asks_too_much_is_told_to_wait_and_its_row_is_no_evidence(
    served: Served, upstream: ScriptedUpstream
) -> None:
    limit(served, 3)
    assert served.ask(["a", "b", "c"]).status_code == 200
    called = len(upstream.received)
    answer = served.ask("a")

    assert answer.status_code == 429
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("rate_limit_error", "rate_limited")
    assert "3 inputs a minute" in error["message"]
    assert 1 <= int(answer.headers["retry-after"]) <= 20
    assert len(upstream.received) == called
    row = served.kept(answer)
    assert (row.outcome.state, row.outcome.status) == (RequestState.REFUSED, 429)
    assert (row.outcome.code, row.attempts) == ("rate_limited", ())
    assert row.served is not None
    assert not row.is_evidence


@only_sqlite
def test_what_cannot_be_answered_takes_nothing_off(
    served: Served, upstream: ScriptedUpstream
) -> None:
    limit(served, 1)
    answer = served.ask("a", dimensions=2)

    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "dimensions")
    assert (served.kept(answer).outcome.state, upstream.received) == (RequestState.REFUSED, [])
    assert served.ask("a", dimensions=1).status_code == 200


@only_sqlite
def test_what_no_waiting_helps_is_a_400(served: Served, upstream: ScriptedUpstream) -> None:
    limit(served, 3)
    answer = served.ask(["a", "b", "c", "d"])

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
    assert "no more a minute" in answer.json()["error"]["message"]
    assert "retry-after" not in answer.headers
    assert upstream.received == []


@only_sqlite
def test_a_limit_is_of_one_client_and_counts_from_the_next_request_on(served: Served) -> None:
    limit(served, 1)
    assert [served.ask("a").status_code for _ in range(2)] == [200, 429]
    assert served.embed({"model": "stable", "input": "a"}, "operator").status_code == 200
    limit(served, 2)
    assert served.ask("a").status_code == 429
    limit(served, None)
    assert served.ask("a").status_code == 200


@only_sqlite
def test_what_is_wrong_takes_nothing_off(served: Served) -> None:
    limit(served, 1)
    assert served.ask("").status_code == 400
    assert served.embed({"model": "nobody", "input": "a"}).status_code == 404
    assert served.ask("a").status_code == 200


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_two_hubs_on_one_database_share_a_limit(
    open_hub: Callable[..., Hub], database_url: str, upstream: ScriptedUpstream
) -> None:
    served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
    other = open_hub(database_url, **ALLOWED)
    other.tokens.update(served.hub.tokens)
    limit(served, 4)

    turns = [served, replace(served, hub=other)] * 3
    assert [one.ask("a").status_code for one in turns] == [200] * 4 + [429] * 2


@only_sqlite
@pytest.mark.parametrize(("takes", "sizes"), [(None, [2, 2, 1]), (3, [3, 2]), (2048, [5])])
def test_a_runtime_says_how_many_inputs_it_takes_at_a_time(
    served: Served, upstream: ScriptedUpstream, takes: int | None, sizes: list[int]
) -> None:
    change(served, "runtimes", served.deployment.runtime_id, max_inputs=takes)
    answer = served.ask(list("abcde"))

    assert [item["embedding"] for item in answer.json()["data"]] == [
        [1.0],
        [2.0],
        [3.0],
        [4.0],
        [5.0],
    ]
    assert [len(got.json["input"]) for got in upstream.received] == sizes
    assert {got.json["model"] for got in upstream.received} == {MODEL}
