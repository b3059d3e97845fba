"""A database that goes away and comes back heals without a restart of the hub (B-136)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.migrate import upgrade
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from tests import postgres
from tests.callers import PATIENCE, Callers, Work
from tests.cases_runner import load
from tests.conftest import require_or_skip
from tests.hub.conftest import Hub, only_sqlite

PATH = "/api/v1/credentials"
B_136 = load("B-136")


def named(name: str) -> dict[str, str]:
    return {"name": name, "role": "viewer"}


def refusal(answer: Any) -> tuple[int, str, str | None]:
    """Status, code, and when to ask again."""
    return answer.status_code, answer.json()["code"], answer.headers.get("retry-after")


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """A server of this test's own."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(postgres.server())
        except postgres.PostgresMissingError as error:
            require_or_skip(present=False, what=f"PostgreSQL: {error}")
            raise
        yield running


def create(hub: Hub, name: str) -> Work:
    """What makes a token: two rows."""
    return partial(
        access.create,
        name=name,
        role=Role.VIEWER,
        actor=Actor(kind=ActorKind.COMMAND_LINE),
        ids=hub.parts.ids,
        secrets=hub.parts.secrets,
    )


@contextmanager
def at_work(callers: Callers, work: Work) -> Iterator[None]:
    """A function has written and is not committed for the length of the block."""
    begun, ended = threading.Event(), threading.Event()

    def _work(uow: UnitOfWork) -> None:
        work(uow)
        begun.set()
        assert ended.wait(PATIENCE)

    callers.start(_work)
    assert begun.wait(PATIENCE)
    yield
    ended.set()


def rows_of(hub: Hub, name: str) -> int:
    """How many rows tell of a token: itself, and its entry of the audit."""
    engine = hub.parts.database.engine
    with engine.connect() as connection:
        found = connection.execute(
            sa.text(
                "SELECT (SELECT count(*) FROM credential WHERE name = :name) + (SELECT count(*)"
                " FROM audit_entry WHERE object_id IN (SELECT id FROM credential WHERE"
                " name = :name))"
            ),
            {"name": name},
        )
        number: int = found.scalar_one()
        return number


def test_a_server_that_is_restarted_under_the_hub_is_used_again(
    server: postgres.Server, open_hub: Callable[..., Hub]
) -> None:
    given, expected = B_136["given"], B_136["expected"]
    cluster = postgres.Cluster(server.address)
    url = cluster.url(cluster.create())
    upgrade(url)
    hub = open_hub(url)
    with ExitStack() as warm:
        for _ in range(given["warm_connections"]):
            warm.enter_context(hub.parts.database.engine.connect())

    callers = Callers(hub.parts._writer)
    with at_work(callers, create(hub, "interrupted")):
        server.stop()
    assert [type(one) for one in callers.answers()] == [DatabaseUnavailable]
    for answer in (
        hub.call("GET", "/api/v1/evaluations", "viewer"),
        hub.call("POST", PATH, "operator", json=named("meanwhile")),
        hub.call("GET", "/readyz"),
    ):
        status, code, again = refusal(answer)
        assert (status, code) == (expected["during_outage"], "database_unavailable")
        assert again == "1"
    assert hub.call("GET", "/healthz").status_code == 200

    server.start()

    rows = rows_of(hub, "interrupted")
    answers = [hub.call("POST", PATH, "operator", json=named("interrupted"))]
    while len(answers) < given["requests"]:
        number = len(answers)
        answers.append(hub.call("GET", "/readyz"))
        answers.append(hub.call("POST", PATH, "operator", json=named(f"after-{number}")))
        answers.append(hub.call("GET", "/api/v1/evaluations", "viewer"))
    # Lost while committing it may be there or not; what was cut off before is not.
    assert rows in expected["publication_rows"]
    assert answers[0].status_code == (201 if rows == 0 else 409)
    assert {one.status_code // 100 for one in answers[1 : given["requests"]]} == {2}
    assert rows_of(hub, "interrupted") == max(expected["publication_rows"])
    assert rows_of(hub, "meanwhile") == 0


@only_sqlite
def test_a_file_that_stays_locked_is_told_and_reads_go_on(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    hub, other = open_hub(database_url), open_hub(database_url)

    @sa.event.listens_for(hub.parts.database.engine, "checkout")
    def _on_checkout(connection: Any, *_: object) -> None:
        # A hundredth of what it waits otherwise.
        connection.execute("PRAGMA busy_timeout = 100")

    with other.parts.database.engine.begin():
        refused = [
            hub.call("POST", PATH, "operator", json=named(f"locked-{number}"))
            for number in range(2)
        ]
        assert hub.call("GET", "/api/v1/evaluations", "viewer").status_code == 200
        assert hub.call("GET", "/readyz").status_code == 200

    assert list(map(refusal, refused)) == [(503, "database_busy", "1")] * 2
    assert hub.call("POST", PATH, "operator", json=named("locked-0")).status_code == 201
