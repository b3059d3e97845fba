"""Routes that hubs share: made when they are needed, and each request answered by its own hub."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fastapi.routing import APIRoute

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.hub import framework
from evenhand.hub.app import TABLE
from evenhand.hub.framework import EntryRoute
from evenhand.hub.threads import WriterThreads
from evenhand.store.migrate import upgrade
from tests.hub.conftest import Hub

T = TypeVar("T")


class Full(WriterThreads):
    """Threads that are all taken."""

    async def run(self, work: Callable[[], T]) -> T:
        """Refuse."""
        del work
        raise DatabaseUnavailable("all are taken", code="writer_full")


def test_hubs_of_one_process_share_routes_and_nothing_that_is_behind_them(
    open_hub: Callable[..., Hub], tmp_path: Path
) -> None:
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("left", "right")]
    for url in urls:
        upgrade(url)
    left, right = map(open_hub, urls)
    assert left.app.routes == right.app.routes

    assert _registered(left, "of-left") == 201
    assert _registered(right, "of-right") == 201
    right.app.state.writer_threads = Full()

    assert [_names(left), _names(right)] == [["of-left"], ["of-right"]]
    assert [_registered(left, "later"), _registered(right, "later")] == [201, 503]


def test_a_route_is_made_once_and_only_when_something_is_asked_of_it(monkeypatch: Any) -> None:
    made: list[str] = []

    def _counting(path: str, *of: Any, **stated: Any) -> APIRoute:
        made.append(path)
        return APIRoute(path, *of, **stated)

    monkeypatch.setattr(framework, "APIRoute", _counting)
    entry = next(entry for entry in TABLE.entries if entry.path == "/healthz")
    route = EntryRoute(entry)
    assert made == []

    assert route.made is route.made
    assert made == ["/healthz"]


def _registered(hub: Hub, name: str) -> int:
    status: int = hub.call("POST", "/api/v1/projects", "operator", json={"name": name}).status_code
    return status


def _names(hub: Hub) -> list[str]:
    found = hub.call("GET", "/api/v1/projects", "viewer").json()
    return [item["name"] for item in found["items"]]
