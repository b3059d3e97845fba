"""What the hub says of itself: log, numbers, health; never a body, a token or an id."""

import json
import logging
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.registry.upstream import PUBLIC_ONLY
from evenhand.hub.app import build_hub
from evenhand.hub.parts import HubParts
from evenhand.hub.serving import _Lines
from evenhand.store.engine import create_engine
from tests.hub.conftest import Hub, everywhere, only_sqlite


def lines(hub: Hub) -> list[dict[str, Any]]:
    return [json.loads(line) for line in hub.log.getvalue().splitlines()]


@only_sqlite
def test_a_line_tells_route_status_and_caller_and_nothing_of_the_request(hub: Hub) -> None:
    answer = hub.call("GET", "/api/v1/evaluations/canary-1?canary=2", "viewer")

    [line] = lines(hub)
    assert line["request_id"] == answer.headers["x-request-id"]
    assert (line["method"], line["status"], line["role"]) == ("GET", 404, "viewer")
    assert line["route"] == "/api/v1/evaluations/{evaluation_id}"
    assert set(line) == {
        *("event", "level", "timestamp", "request_id", "method", "route", "status"),
        *("milliseconds", "role", "credential_id"),
    }
    assert "canary" not in hub.log.getvalue()
    assert hub.tokens["viewer"] not in hub.log.getvalue()


@only_sqlite
def test_numbers_are_of_routes_and_never_of_addresses(hub: Hub) -> None:
    hub.call("GET", "/api/v1/evaluations/canary-1", "viewer")
    hub.call("GET", "/canary-2")
    hub.call("CANARY", "/healthz")

    answer = hub.call("GET", "/metrics")

    assert answer.headers["content-type"].startswith("text/plain")
    assert "canary" not in answer.text.lower()
    for sample in (
        'evenhand_http_requests_total{method="GET",route="/api/v1/evaluations/{evaluation_id}",status="404"} 1.0',
        'evenhand_http_requests_total{method="GET",route="other",status="404"} 1.0',
        'evenhand_http_requests_total{method="other",route="other",status="405"} 1.0',
        "evenhand_http_requests_open 1.0",
    ):
        assert sample in answer.text


class Broken:
    """A database that fails in a way that nobody foresaw, or in one that is known."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def run(self, work: object) -> Any:
        raise self.error

    read = glance = run

    async def run_async(self, work: object, *, only_adds: bool = False) -> Any:
        raise self.error

    def close(self) -> None:
        """Nothing is open."""


def broken(hub: Hub, error: Exception) -> TestClient:
    def fail() -> None:
        raise error

    parts = HubParts(
        database=Broken(error),
        clock=hub.parts.clock,
        ids=hub.parts.ids,
        secrets=hub.parts.secrets,
        release="0",
        body_limit=99,
        policy=hub.parts.policy,
        max_failed_share=hub.parts.settings.max_failed_share,
        log=hub.log,
        upstream_allow=PUBLIC_ONLY,
        is_current=fail,
        upstreams=hub.app.state.parts.upstreams,
        upstream_batch=1,
        emitter=hub.parts.emitter,
    )
    return TestClient(build_hub(parts))


@only_sqlite
def test_an_unforeseen_error_shows_class_and_place_in_the_log_only(hub: Hub) -> None:
    client = broken(hub, RuntimeError("canary"))
    for path in ("/readyz", "/api/v1/evaluations"):
        answer = client.get(path, headers={"Authorization": "Bearer x"})

        assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
        assert answer.headers["x-request-id"]
        assert "canary" not in answer.text
    failed = [line for line in lines(hub) if line["event"] == "failed"]
    assert [line["error"] for line in failed] == ["RuntimeError", "RuntimeError"]
    assert failed[0]["place"].startswith("test_observe.py:")
    assert "canary" not in hub.log.getvalue()


@only_sqlite
def test_a_database_that_does_not_answer_is_told_and_the_process_stays_alive(hub: Hub) -> None:
    client = broken(hub, DatabaseUnavailable("gone"))

    ready = client.get("/readyz")

    assert (ready.status_code, ready.json()["code"]) == (503, "database_unavailable")
    assert ready.headers["retry-after"] == "1"
    assert client.get("/healthz").json() == {"status": "ok"}


@everywhere
def test_a_hub_is_ready_when_its_database_is(hub: Hub) -> None:
    assert hub.call("GET", "/readyz").json() == {"status": "ok", "resting_deployments": 0}


@only_sqlite
def test_lines_of_the_server_hold_no_values(hub: Hub) -> None:
    record = logging.LogRecord(
        "uvicorn.error", logging.WARNING, "x.py", 1, "Refused %s", ("canary",), None
    )

    _Lines(hub.log).handle(record)

    assert lines(hub)[-1]["message"] == "Refused %s"


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
@only_sqlite
def test_every_answer_bears_the_id_of_its_request(hub: Hub, path: str) -> None:
    ids = {hub.call("GET", path).headers["x-request-id"] for _ in range(2)}

    assert len(ids) == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_connections_that_were_lost_are_made_anew_unseen(hub: Hub, database_url: str) -> None:
    assert hub.call("GET", "/api/v1/evaluations", "viewer").status_code == 200
    engine = create_engine(database_url)
    with engine.connect() as connection:
        ended = connection.scalar(
            sa.text(
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    engine.dispose()

    answers = [hub.call("GET", "/api/v1/evaluations", "viewer") for _ in range(3)]

    assert ended >= 1
    assert [one.status_code for one in answers] == [200, 200, 200]
