"""The gateway over HTTP: OpenAI's shapes, and a row before every answer."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.core.errors.registry import InvalidUpstream
from evenhand.core.gateway.circuit import FIRST_REST_SECONDS, THRESHOLD
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import InputKind, Purpose
from evenhand.core.gateway.request import RequestState, failed_part, is_public_id
from evenhand.core.identity.canonical import query_digest
from evenhand.core.registry.upstream import parse_upstream
from evenhand.hub.app import TABLE
from evenhand.hub.table import form_at
from evenhand.store.engine import create_engine
from tests.cases_runner import load
from tests.gateway_builders import a_scope
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import CLIENT, MODEL, Served, serve_model
from tests.upstream_server import (
    Scripted,
    ScriptedUpstream,
    embeddings,
    free_port,
    letters,
    serving,
)

CANARY = "canary-text-of-a-client"
ALLOWED = {"serve_upstream_allow": "127.0.0.1", "serve_upstream_batch": "2"}


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    """An upstream that knows the alphabet."""
    with serving(letters) as made:
        yield made


@pytest.fixture
def served(open_hub: Callable[..., Hub], database_url: str, upstream: ScriptedUpstream) -> Served:
    """A client, a hub, and a deployment behind it."""
    return serve_model(open_hub(database_url, **ALLOWED), upstream.url)


def refusal(answer: Any) -> tuple[int, str, str | None]:
    """Status, code and member of a refusal, which must have OpenAI's form and a public id."""
    assert answer.headers["content-type"] == "application/json"
    assert is_public_id(answer.headers["x-request-id"])
    (error,) = answer.json().values()
    assert set(error) == {"message", "type", "param", "code"}
    return answer.status_code, error["code"], error["param"]


# What is kept -------------------------------------------------------------------------------


@pytest.mark.proves("G-57", "C-72", "C-59", "C-76")
def test_an_answer_has_a_public_id_and_a_row_that_tells_of_it(served: Served) -> None:
    answer = served.ask("b")

    assert answer.status_code == 200
    assert [item["embedding"] for item in answer.json()["data"]] == [[2.0]]
    row = served.kept(answer)
    assert row.id != row.public_id
    assert row.capability.value == "rag.embedding@1"
    assert (row.caller.client_id, row.caller.project_id) == (
        served.client.id,
        served.client.project_id,
    )
    assert row.served is not None
    assert (row.served.route_id, row.served.route_name) == (served.route.id, "stable")
    assert row.served.deployment_id == served.deployment.id
    assert row.asked is not None
    assert (row.asked.kind, row.asked.count, row.asked.size) == (InputKind.TEXT, 1, 1)
    assert row.asked.query_digest == query_digest("b")
    assert (row.outcome.state, row.outcome.status) == (RequestState.COMPLETED, 200)
    assert row.outcome.prompt_tokens == 1
    assert [attempt.upstream_status for attempt in row.attempts] == [200]
    assert row.created_at < row.completed_at
    assert row.is_evidence


@only_sqlite
@pytest.mark.proves("C-58", "C-95", "C-96")
def test_the_digest_is_of_the_clients_text_and_the_prefix_goes_out_only(
    open_hub: Callable[..., Hub], database_url: str, upstream: ScriptedUpstream
) -> None:
    served = serve_model(
        open_hub(database_url, **ALLOWED),
        upstream.url,
        query_prefix="query: ",
        document_prefix="passage: ",
    )
    text = "  Wo wird die Pr\u00fcfung erfasst?\r\nz"
    query = served.kept(served.ask(text))
    document = served.kept(served.ask([text], input_type="document"))

    assert [got.json["input"] for got in upstream.received] == [
        "query: " + text,
        ["passage: " + text],
    ]
    assert query.asked is not None
    assert query.asked.query_digest == query_digest(text)
    assert document.asked is not None
    assert (document.asked.purpose, document.asked.query_digest) == (Purpose.DOCUMENT, None)
    assert not document.is_evidence


@only_sqlite
def test_no_text_of_a_client_or_an_upstream_is_kept_or_logged(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    def script(_: object) -> Scripted:
        return Scripted(body=embeddings([1.0], note=CANARY), headers={"X-Note": CANARY})

    with serving(script) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        assert served.ask(CANARY).status_code == 200
        assert served.ask(["a", ""], user=CANARY).status_code == 400
        assert served.embed({"model": CANARY, "input": CANARY}).status_code == 404
        assert served.embed(f'{{"model": "{CANARY}", "{CANARY}": 1'.encode()).status_code == 400
        upstream.answer = lambda _: Scripted(status=500, body=CANARY.encode())
        assert served.ask(CANARY).status_code == 502

    assert CANARY not in served.hub.log.getvalue()
    assert CANARY not in everything(served)
    assert served.count() == 5


def everything(served: Served) -> str:
    """Every value of every row of every table."""
    engine = create_engine(served.hub.parts.database_url)
    tables = sa.MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        held = [
            value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
            for table in tables.tables.values()
            for row in connection.execute(sa.select(table))
            for value in row
        ]
    engine.dispose()
    return "\n".join(held)


@only_sqlite
def test_a_refused_request_leaves_a_row_and_calls_nobody(
    served: Served, upstream: ScriptedUpstream
) -> None:
    answers = {
        "invalid_input": served.ask([]),
        "model_not_found": served.embed({"model": "nobody", "input": "a"}),
        "invalid_json": served.embed(b"{"),
    }

    assert upstream.received == []
    for code, answer in answers.items():
        row = served.kept(answer)
        assert refusal(answer)[1] == code
        assert (row.outcome.state, row.outcome.code) == (RequestState.REFUSED, code)
        assert row.outcome.status == answer.status_code
        assert row.served is None
        assert row.caller.client_id == served.client.id


@only_sqlite
def test_whoever_may_not_call_gets_openais_form_and_leaves_no_row(served: Served) -> None:
    served.hub.add_client("other")
    body = {"model": "stable", "input": "a"}

    assert refusal(served.embed(body, None)) == (401, "missing_credential", None)
    assert refusal(served.embed(body, "viewer"))[:2] == (403, "forbidden")
    assert refusal(served.embed(b"x" * 5000))[:2] == (413, "body_too_large")
    packed = served.hub.call("POST", "/v1/embeddings", CLIENT, content=b"{}")
    assert refusal(packed)[:2] == (415, "unsupported_media_type")
    assert served.count() == 0


@only_sqlite
@pytest.mark.proves("C-44")
def test_a_client_without_the_capability_is_refused(served: Served) -> None:
    from evenhand.core.access.roles import Capability

    served.hub.add_client("mute", Capability.EVENT, of=served.client)
    answer = served.embed({"model": "stable", "input": "a"}, "mute")

    assert refusal(answer)[:2] == (403, "capability_missing")


@only_sqlite
def test_a_client_of_another_project_does_not_see_the_route(served: Served) -> None:
    from evenhand.core.access.roles import Capability

    served.hub.add_client("stranger", Capability.EMBEDDING)
    answer = served.embed({"model": "stable", "input": "a"}, "stranger")

    assert refusal(answer) == (404, "model_not_found", None)
    models = served.hub.call("GET", "/v1/models", "stranger")
    assert models.json() == {"data": [], "object": "list"}


@only_sqlite
def test_models_are_the_routes_that_the_caller_may_name(served: Served) -> None:
    answer = served.hub.call("GET", "/v1/models", CLIENT)
    assert is_public_id(answer.headers["x-request-id"])
    (model,) = answer.json()["data"]

    assert (model["id"], model["object"], model["owned_by"]) == (
        "stable",
        "model",
        "caller-project",
    )
    assert model["created"] == int(served.route.created_at.timestamp())
    (shown,) = served.hub.call("GET", "/v1/models", "operator").json()["data"]
    assert shown["id"] == "caller-project/stable"
    for name in ("stable", shown["id"]):
        answer = served.embed({"model": name, "input": "a"}, "operator")
        assert answer.status_code == 200
        row = served.kept(answer)
        assert row.caller.client_id is None
        assert row.served is not None


# Cases ---------------------------------------------------------------------------------------


@only_sqlite
def test_b_089_vectors_are_written_as_they_were_asked_for(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-089")
    with serving(Scripted(body=json.dumps(case["given"]["upstream"]).encode())) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url, dimension=3)
        found = [
            served.embed({"model": "stable", **body}).json()["data"][0]["embedding"]
            for body in case["given"]["requests"]
        ]

    assert found == case["expected"]["embedding"]


@only_sqlite
def test_b_091_vectors_go_to_the_input_of_their_index(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-091")
    results, rows = [], []
    with serving(Scripted()) as upstream:
        more = ALLOWED | {"serve_upstream_batch": "9"}
        served = serve_model(open_hub(database_url, **more), upstream.url)
        for body in case["given"]["upstreams"]:
            upstream.answer = lambda _, body=body: Scripted(body=json.dumps(body).encode())  # type: ignore[misc]
            answer = served.ask(case["given"]["input"])
            result: dict[str, Any] = {"status": answer.status_code}
            if answer.status_code == 200:
                data = answer.json()["data"]
                result["data"] = [[item["index"], item["embedding"]] for item in data]
            results.append(result)
            rows.append(served.kept(answer).outcome.code)

    assert results == case["expected"]["results"]
    assert rows == [
        None,
        "duplicate_index",
        "index_out_of_range",
        "missing_index",
        "answer_unreadable",
    ]


@only_sqlite
def test_b_092_repeated_inputs_are_not_merged(served: Served) -> None:
    case = load("B-092")
    replies = [
        [[item["index"], item["embedding"]] for item in served.ask(texts).json()["data"]]
        for texts in case["given"]["requests"]
    ]

    assert replies == case["expected"]["replies"]


@only_sqlite
def test_b_094_an_empty_input_is_a_400_that_names_the_item_and_calls_nobody(
    served: Served, upstream: ScriptedUpstream
) -> None:
    case = load("B-094")
    answers = [served.ask(value) for value in case["given"]["inputs"]]
    missing = served.embed({"model": "stable"})

    for answer in (*answers, missing):
        assert refusal(answer) == (400, "invalid_input", "input")
        assert case["expected"]["status"] == f"{answer.status_code} each"
    for number, item in case["expected"]["item_named"].items():
        assert f"item {item}:" in answers[int(number)].json()["error"]["message"]
    assert len(upstream.received) == case["expected"]["upstream_calls"]


@only_sqlite
def test_b_095_token_ids_go_on_unchanged_and_what_is_none_is_refused(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-095")

    def script(got: Any) -> Scripted:
        found = got.json["input"]
        count = len(found) if isinstance(found[0], list) else 1
        return Scripted(body=embeddings(*[[1.0]] * count))

    with serving(script) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        first, second, *rest = [served.ask(value) for value in case["given"]["inputs"]]
        vectors = [len(answer.json()["data"]) for answer in (first, second)]
        sent = [got.json["input"] for got in upstream.received]

    assert vectors == case["expected"]["any_of"][0]["vectors"]
    assert sent == case["given"]["inputs"][:2]
    for answer in rest:
        assert refusal(answer) == (400, "invalid_input", "input")
    assert not served.kept(first).is_evidence


@only_sqlite
def test_b_097_a_busy_upstream_is_told_with_its_wait_and_nothing_else_of_it(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-097")
    hub = open_hub(database_url, **ALLOWED)
    statuses, waits, states = [], [], []
    with serving(Scripted()) as upstream:
        served = serve_model(hub, upstream.url)
        for given in case["given"]["upstreams"]:
            status = given.get("status")
            scripted = Scripted(raw=b"")
            if status is not None:
                scripted = Scripted(status=status, headers=given.get("headers", {}))
            upstream.answer = lambda _, scripted=scripted: scripted  # type: ignore[misc]
            answer = served.ask("a")
            refusal(answer)
            statuses.append(answer.status_code)
            waits.append(answer.headers.get("retry-after"))
            states.append(served.kept(answer).outcome.state)

    for found, expected in zip(statuses, case["expected"]["status"], strict=True):
        assert found in (expected if isinstance(expected, list) else [expected])
    assert waits == case["expected"]["retry_after"]
    assert set(states) == {RequestState.FAILED}


@only_sqlite
def test_b_097_an_upstream_that_is_not_there_is_a_502(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    served = serve_model(open_hub(database_url, **ALLOWED), f"http://127.0.0.1:{free_port()}/v1")
    answer = served.ask("a")

    assert refusal(answer)[:2] == (502, "upstream_unreachable")
    attempts = served.kept(answer).attempts
    assert [attempt.failure for attempt in attempts] == [Failure.CONNECT_FAILED] * 2


@only_sqlite
def test_a_deployment_that_keeps_failing_rests_and_readiness_tells_of_it(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    with serving(Scripted(status=500)) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        ready = [served.hub.call("GET", "/readyz").json()]
        codes = [refusal(served.ask("a"))[1] for _ in range(THRESHOLD)]
        resting = served.ask("a")
        ready.append(served.hub.call("GET", "/readyz").json())
        assert len(upstream.received) == THRESHOLD

    assert set(codes) == {"upstream_error"}
    assert refusal(resting)[:2] == (503, "circuit_open")
    assert 1 <= int(resting.headers["retry-after"]) <= FIRST_REST_SECONDS
    row = served.kept(resting)
    assert (row.outcome.code, row.attempts) == ("circuit_open", ())
    assert [one["resting_deployments"] for one in ready] == [0, 1]


@only_sqlite
def test_b_098_success_without_content_is_a_failure_with_a_row(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-098")
    statuses = []
    with serving(Scripted()) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        for given in case["given"]["upstreams"]:
            body = given.get("raw", json.dumps(given.get("body"))).encode()
            scripted = Scripted(
                status=given["status"], body=body if given["status"] != 204 else b""
            )
            upstream.answer = lambda _, scripted=scripted: scripted  # type: ignore[misc]
            answer = served.ask("a")
            refusal(answer)
            assert served.kept(answer).outcome.state is RequestState.FAILED
            statuses.append(answer.status_code)

    for found, expected in zip(statuses, case["expected"]["status"], strict=True):
        assert found in (expected if isinstance(expected, list) else [expected])
    assert served.count() == case["expected"]["failed_rows"]


@only_sqlite
def test_b_100_vectors_that_are_no_numbers_are_named_so_and_zeros_are_marked(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-100")
    answers = []
    with serving(Scripted()) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url, dimension=2)
        for raw in case["given"]["upstream_raw"]:
            upstream.answer = lambda _, raw=raw: Scripted(body=raw.encode())  # type: ignore[misc]
            answers.append(served.ask("a"))

    for answer, expected in zip(answers, case["expected"]["status"], strict=True):
        assert answer.status_code in (expected if isinstance(expected, list) else [expected])
    *wrong, zero = answers
    for answer in wrong:
        assert refusal(answer)[:2] == (502, "invalid_vector")
        assert served.kept(answer).outcome.code == "invalid_vector"
    assert zero.status_code == 200
    assert zero.headers["x-evenhand-zero-vectors"] == "1"
    assert served.kept(zero).outcome.zero_vectors == 1


@only_sqlite
def test_b_101_usage_that_is_unknown_is_kept_as_unknown_and_not_passed_on(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-101")
    recorded, statuses, told = [], [], []
    with serving(Scripted()) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        for usage in case["given"]["upstream_usage"]:
            body = embeddings([1.0], usage=usage)
            upstream.answer = lambda _, body=body: Scripted(body=body)  # type: ignore[misc]
            answer = served.ask("a")
            statuses.append(answer.status_code)
            recorded.append(served.kept(answer).outcome.prompt_tokens)
            told.append(answer.json().get("usage"))

    assert statuses == case["expected"]["status"]
    assert recorded == case["expected"]["recorded_prompt_tokens"]
    assert told == [case["given"]["upstream_usage"][0], None, None, None, None]


@only_sqlite
def test_b_103_a_long_request_is_split_and_fails_as_a_whole(
    served: Served, upstream: ScriptedUpstream
) -> None:
    case = load("B-103")
    given = case["given"]
    answer = served.ask(given["input"])
    indexes = [item["index"] for item in answer.json()["data"]]
    assert {"status": answer.status_code, "indexes": indexes} in case["expected"]["any_of"]
    assert [len(got.json["input"]) for got in upstream.received] == [2, 2, 1]
    assert len(served.kept(answer).attempts) == 3

    def script(got: Any) -> Scripted:
        return Scripted(status=500) if "c" in got.json["input"] else letters(got)

    upstream.answer = script
    failed = served.ask(given["input"])
    assert failed.status_code in case["expected"]["with_failing_part"]["status"]
    assert failed_part(served.kept(failed).attempts) == given["fail_part"] - 1


@only_sqlite
def test_b_103_more_inputs_than_the_stated_limit_are_refused(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-103")
    more = ALLOWED | {"serve_body_limit": str(2**22)}
    served = serve_model(open_hub(database_url, **more), "http://127.0.0.1:1/v1")
    answer = served.ask(["a"] * case["given"]["huge"])

    assert answer.status_code in case["expected"]["huge"]["status"]
    assert "2048" in answer.json()["error"]["message"]


@only_sqlite
def test_b_118_no_secret_of_an_upstream_is_in_reply_log_rows_or_metrics(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = load("B-118")
    canaries = case["expected"]["canaries"]
    secret = "SECRET-h"  # noqa: S105 -- a canary
    monkeypatch.setenv("GATEWAY_TEST_KEY", secret)
    answers = []
    with serving(Scripted()) as elsewhere, serving(Scripted()) as upstream:
        hub = open_hub(database_url, **ALLOWED, serve_upstream_secrets="GATEWAY_TEST_KEY")
        served = serve_model(hub, upstream.url, secret_env="GATEWAY_TEST_KEY")  # noqa: S106
        for given in case["given"]["stub_replies"]:
            headers = {"Location": f"{elsewhere.url}/?key=SECRET-q"}
            scripted = Scripted(
                status=given.get("status", 200),
                body=given.get("body", "").encode(),
                headers=headers if "headers" in given else {},
                raw=b"" if "connect" in given else None,
            )
            upstream.answer = lambda _, scripted=scripted: scripted  # type: ignore[misc]
            answers.append(served.ask("a"))
        echo = embeddings([1.0], model=secret, note=f"SECRET-q {secret}")
        upstream.answer = lambda _: Scripted(body=echo)
        echoed = served.ask("a")
        assert {got.headers["authorization"] for got in upstream.received} == {f"Bearer {secret}"}
        assert (elsewhere.connections > 0) is case["expected"]["redirect_followed"]

    with pytest.raises(InvalidUpstream) as refused:
        parse_upstream(case["given"]["upstream"])
    assert not any(canary in str(refused.value) for canary in canaries)
    metrics = hub.call("GET", "/metrics").text
    replies = [text for answer in answers for text in (answer.text, str(answer.headers))]
    places = {"reply": replies, "logs": [hub.log.getvalue()], "rows": [everything(served)]}
    for canary in canaries:
        found = {name: sum(canary in text for text in texts) for name, texts in places.items()}
        assert found == case["expected"]["found_in"]
        assert canary not in metrics
    assert echoed.status_code == 200
    assert secret not in echoed.text
    for answer in answers:
        assert "deployment small:" in answer.json()["error"]["message"]


@only_sqlite
@pytest.mark.parametrize(
    ("permitted", "is_called"),
    [
        ({}, False),
        ({"serve_upstream_secrets": "OTHER_KEY, GATEWAY_TEST"}, False),
        ({"serve_upstream_secrets": "GATEWAY_*"}, True),
    ],
)
def test_a_variable_is_sent_only_where_the_hub_is_permitted_to_read_it(
    open_hub: Callable[..., Hub],
    database_url: str,
    upstream: ScriptedUpstream,
    monkeypatch: pytest.MonkeyPatch,
    permitted: dict[str, str],
    is_called: bool,
) -> None:
    monkeypatch.setenv("GATEWAY_TEST_KEY", CANARY)
    hub = open_hub(database_url, **ALLOWED, **permitted)
    served = serve_model(hub, upstream.url, secret_env="GATEWAY_TEST_KEY")  # noqa: S106
    answer = served.ask("a")

    told = [json.loads(line) for line in hub.log.getvalue().splitlines()]
    named = [one["variable"] for one in told if one["event"] == "secret_not_permitted"]
    if is_called:
        assert answer.status_code == 200
        sent = [got.headers["authorization"] for got in upstream.received]
        assert (sent, named) == ([f"Bearer {CANARY}"], [])
    else:
        assert refusal(answer)[:2] == (502, "upstream_secret_missing")
        assert (upstream.received, named) == ([], ["GATEWAY_TEST_KEY"])
    assert CANARY not in hub.log.getvalue() + answer.text


# Byte for byte ---------------------------------------------------------------------------------


@only_sqlite
def test_a_body_goes_on_and_comes_back_byte_for_byte_where_nothing_has_to_change(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    body = b'{ "model":"upstream-1" ,\n"input" : ["z"] }'
    given = embeddings([1.0], usage={"prompt_tokens": 1, "total_tokens": 1}, id="e-1")
    with serving(Scripted(body=given)) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url, route=MODEL)
        answer = served.embed(body)

    assert upstream.received[0].body == body
    assert answer.content == given


# The database, and clients that leave ------------------------------------------------------------


@only_sqlite
def test_without_a_row_there_is_no_answer(
    served: Served, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenhand.core.errors.database import DatabaseUnavailable

    async def dead(_: object, **_options: object) -> None:
        raise DatabaseUnavailable("gone")

    monkeypatch.setattr(served.hub.app.state.parts.database, "run_async", dead)
    answer = served.ask("a")

    assert len(upstream.received) == 1
    assert refusal(answer)[:2] == (503, "database_unavailable")
    assert answer.headers["retry-after"] == "1"
    assert served.count() == 0


@only_sqlite
def test_an_error_that_nobody_foresaw_is_a_500_with_a_row_and_no_words(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(served.hub.app.state.parts.upstreams, "post", broken)
    answer = served.ask("a")

    assert refusal(answer)[:2] == (500, "internal_error")
    row = served.kept(answer)
    assert (row.outcome.state, row.outcome.code) == (RequestState.FAILED, "internal_error")
    assert CANARY not in served.hub.log.getvalue()
    assert "RuntimeError" in served.hub.log.getvalue()


@only_sqlite
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/embeddings", 405, "method_not_allowed"),
        ("OPTIONS", "/v1/embeddings", 405, "method_not_allowed"),
        ("HEAD", "/v1/models", 405, "method_not_allowed"),
        ("POST", "/v1/embeddings/", 404, "route_not_found"),
        ("POST", "/v1/chat/completions", 404, "route_not_found"),
        ("GET", "/v1", 404, "route_not_found"),
    ],
)
def test_what_is_not_there_is_refused_as_everything_else(
    served: Served, method: str, path: str, status: int, code: str
) -> None:
    answer = served.hub.call(method, path, CLIENT)

    assert answer.status_code == status
    assert is_public_id(answer.headers["x-request-id"])
    assert answer.headers["content-type"] == "application/json"
    if answer.content:
        assert refusal(answer) == (status, code, None)


def test_every_route_refuses_as_its_address_says() -> None:
    assert all(entry.form is form_at(entry.path) for entry in TABLE.entries)


@only_sqlite
def test_a_client_that_leaves_leaves_a_row(served: Served, upstream: ScriptedUpstream) -> None:
    import anyio

    hold = threading.Event()
    upstream.answer = lambda _: Scripted(hold=hold, body=embeddings([1.0]))
    body = json.dumps({"model": "stable", "input": "a"}).encode()
    scope = a_scope(served.hub.tokens[CLIENT])
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in messages:
            return message
        # It leaves when its request has arrived upstream.
        await anyio.to_thread.run_sync(upstream.arrived.acquire)
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        """Nobody hears it."""

    async def run() -> None:
        await served.hub.app(scope, receive, send)

    client = served.hub.client
    assert isinstance(client, TestClient)
    portal = client.portal
    assert portal is not None
    try:
        portal.call(run)
    finally:
        hold.set()

    engine = create_engine(served.hub.parts.database_url)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.text("SELECT state, http_status, error_code, deployment_id FROM gateway_request")
        ).all()
        calls = connection.execute(sa.text("SELECT part, number, failure FROM gateway_attempt"))
        called = [tuple(call) for call in calls]
    engine.dispose()
    # The upstream was called, and may have done its work.
    assert called == [(0, 0, "client_left")]
    assert [tuple(row) for row in rows] == [("aborted", None, "client_left", served.deployment.id)]


@only_sqlite
def test_an_embedder_in_process_answers_by_its_name(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenhand.adapters.embedders import registry
    from tests.adapters.upstream.test_in_process import Lengths

    monkeypatch.setattr(registry, "load_embedder", lambda *_: Lengths())
    served = serve_model(open_hub(database_url, **ALLOWED), None, embedder="minilm")
    answer = served.ask(["ab", "c"])

    assert [item["embedding"] for item in answer.json()["data"]] == [[2.0], [1.0]]
    assert "usage" not in answer.json()
    assert served.kept(answer).outcome.prompt_tokens is None
    assert refusal(served.ask([1, 2])) == (400, "invalid_input", "input")


@only_sqlite
@pytest.mark.skipif(not is_wordllama_installed(), reason="wordllama is not installed")
def test_a_bundled_model_answers_as_it_does_without_a_hub(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    from evenhand.adapters.embedders.static import WordLlamaEmbedder

    model = WordLlamaEmbedder()
    texts = ["Where is the office?", "Wo wird die Pr\u00fcfung erfasst?"]
    served = serve_model(
        open_hub(database_url, **ALLOWED), None, embedder="wordllama", dimension=model.dimension
    )
    answer = served.ask(texts)

    expected = model.embed(texts).tolist()
    assert [item["embedding"] for item in answer.json()["data"]] == expected
