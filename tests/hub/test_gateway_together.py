"""Requests to the gateway that come at the same time: known anew each time, and kept together."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.gateway import batches
from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.request import GatewayRequest
from evenhand.store.gateway_requests import SqlGatewayRequests
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import routes
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import CLIENT, Served, serve_model
from tests.hub.test_gateway_fuzz import answering, send
from tests.upstream_server import embeddings

#: Nobody listens there.
UPSTREAM = "http://127.0.0.1:1/v1"


@pytest.fixture
def served(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Served:
    """A deployment whose upstream gives what was asked for."""
    served = serve_model(open_hub(database_url, serve_upstream_allow="127.0.0.1"), UPSTREAM)
    monkeypatch.setattr(served.hub.app.state.parts.upstreams, "post", answering)
    return served


def together(served: Served, count: int, *more: str) -> list[tuple[int, dict[str, str], bytes]]:
    """The answers to so many requests at once, and to some with other texts behind them."""

    async def run() -> list[tuple[int, dict[str, str], bytes]]:
        bodies = [
            json.dumps({"model": "stable", "input": text}).encode()
            for text in (*["a"] * count, *more)
        ]
        return await asyncio.gather(*(send(served.hub, body) for body in bodies))

    client: Any = served.hub.client
    found: list[tuple[int, dict[str, str], bytes]] = client.portal.call(run)
    return found


def test_many_at_once_have_a_row_each(served: Served) -> None:
    answers = together(served, 100)

    assert {status for status, _, _ in answers} == {200}
    assert len({headers["x-request-id"] for _, headers, _ in answers}) == 100
    assert served.count() == 100


@only_sqlite
def test_a_row_that_the_database_refuses_is_told_to_its_own_request_only(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_all = SqlGatewayRequests.add_all
    seen: list[str] = []

    def doubled(self: SqlGatewayRequests, added: Sequence[GatewayRequest]) -> None:
        """The last of the first of several has the id of the one before it."""
        if len(added) > 1 and not seen:
            seen.append(added[-1].public_id)
        taken = [one for one in added if one.public_id in seen]
        add_all(self, [*added, *taken])

    monkeypatch.setattr(SqlGatewayRequests, "add_all", doubled)
    answers = together(served, 9)

    refused = [headers["x-request-id"] for status, headers, _ in answers if status != 200]
    assert refused == seen
    assert served.count() == 8


def test_a_number_that_the_database_cannot_hold_is_told_to_its_own_request_only(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def counting(_: Target, content: bytes, *, limit: int) -> Reply:
        tokens = 2**63 if json.loads(content)["input"] == "many" else 1
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return Reply(body=embeddings([1.0], usage=usage), status=200)

    monkeypatch.setattr(served.hub.app.state.parts.upstreams, "post", counting)
    # What is read is within bounds; whatever else a row might hold is the fault of one request.
    monkeypatch.setattr(batches, "MAX_TOKENS", 2**64)
    answers = together(served, 20, *(["many"] * 3))

    assert sorted(status for status, _, _ in answers)[:20] == [200] * 20
    assert all(status != 200 for status, _, _ in answers[20:])
    assert served.count() == 20


def test_what_another_process_revokes_or_changes_counts_for_the_next_request(
    served: Served,
) -> None:
    hub, actor = served.hub, Actor(kind=ActorKind.COMMAND_LINE)

    def change(work: Callable[[UnitOfWork], object]) -> None:
        # By a connection of its own, of which the hub's parts know nothing.
        hub.parts.database.run(work)

    assert [status for status, _, _ in together(served, 3)] == [200] * 3
    change(
        lambda uow: routes.change(
            uow,
            served.route.id,
            expected_version=served.route.version,
            active=False,
            actor=actor,
            ids=hub.parts.ids,
        )
    )
    assert [status for status, _, _ in together(served, 3)] == [404] * 3
    change(lambda uow: access.revoke(uow, CLIENT, actor=actor, ids=hub.parts.ids))
    assert [status for status, _, _ in together(served, 3)] == [401] * 3
