"""A hub over a database of either kind, callers of each kind, and evaluations to read.

On PostgreSQL every test of the fixture ``hub`` runs twice: with one application, and with two that
share nothing but the database and get the requests in turn. A test that is marked `everywhere`
runs a third time: against two processes behind a round-robin. It must look at answers only, not at
the log or the clock of this process.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from evenhand.bootstrap import App
from evenhand.core.access.roles import Actor, ActorKind, Capability, Role
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.settings import load_settings
from evenhand.usecases import access
from evenhand.usecases.ports import Clock, UnitOfWork
from evenhand.usecases.registry import bindings, projects, service_clients
from tests.builders import a_record, an_evaluation
from tests.hub.processes import PATIENCE, Process, RoundRobin

BODY_LIMIT = 4096
INSTANCES: Final = ("one", "two", "processes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A hub in this process.

    Attributes:
        parts: what it is wired of; of several the first.
        app: the application; of several the first.
        client: without a credential; of several it asks each in turn.
        log: what it said.
        tokens: of each role that people have, and of clients that a test adds.
    """

    parts: App
    app: FastAPI
    client: httpx2.Client
    log: io.StringIO
    tokens: dict[str, str]

    def call(self, method: str, path: str, role: str | None = None, **request: Any) -> Any:
        """The answer to a caller of this role; None has no credential."""
        headers = dict(request.pop("headers", {}))
        if role is not None:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        return self.client.request(method, path, headers=headers, **request)

    def add_client(
        self, name: str, *capabilities: Capability, of: ServiceClient | None = None
    ) -> ServiceClient:
        """A service client of a project of its own, or of another one's binding; with a token.

        Its token is found under its name, as that of a role is.
        """
        made = self.parts.database.run(lambda uow: self._client(uow, name, capabilities, of))
        self.tokens[name] = made_token(self.parts, Role.SERVICE_CLIENT, name, client_id=made.id)
        return made

    def _client(
        self,
        uow: UnitOfWork,
        name: str,
        capabilities: tuple[Capability, ...],
        of: ServiceClient | None,
    ) -> ServiceClient:
        by: Any = {"actor": Actor(kind=ActorKind.COMMAND_LINE), "ids": self.parts.ids}
        if of is None:
            project = projects.create(uow, name=f"{name}-project", **by)
            binding_id = bindings.create(
                uow,
                project_id=project.id,
                name="search",
                capability=Capability.EMBEDDING,
                stage=Stage.STABLE,
                **by,
            ).id
        else:
            binding_id = of.binding_id
        return service_clients.create(
            uow, binding_id=binding_id, name=name, capabilities=capabilities or None, **by
        )

    def add(
        self,
        evaluation: Evaluation | None = None,
        *,
        privacy: PrivacyLevel = PrivacyLevel.METADATA,
        **stated: Any,
    ) -> EvaluationRecord:
        """Store an evaluation as the use case would."""
        whole = evaluation or an_evaluation()
        record = a_record(whole, privacy=privacy, **stated)
        outcomes = whole.outcomes if privacy.keeps_outcomes else None
        self.parts.database.run(
            lambda uow: uow.evaluations.add(record, outcomes=outcomes, rankings=None, details=None)
        )
        return record


def made_token(parts: App, role: Role, name: str, client_id: str | None = None) -> str:
    """A token that the command line made."""
    issued = parts.database.run(
        lambda uow: access.create(
            uow,
            name=name,
            role=role,
            client_id=client_id,
            actor=Actor(kind=ActorKind.COMMAND_LINE),
            ids=parts.ids,
            secrets=parts.secrets,
        )
    )
    return issued.token


class InTurn:
    """Puts each request to the next of several applications."""

    def __init__(self, apps: list[FastAPI]) -> None:
        self._first = apps[0]
        self._turn = cycle(apps)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._first if scope["type"] == "lifespan" else next(self._turn)
        await app(scope, receive, send)


@pytest.fixture
def open_hub(tmp_path: Path) -> Iterator[Callable[..., Hub]]:
    """Opens hubs over databases that are ready; ``instances`` is one of `INSTANCES`."""
    with ExitStack() as opened:
        numbers = count()

        def _parts(url: str, more: dict[str, str], clock: Clock | None) -> App:
            flags = {"database_url": url, "serve_body_limit": str(BODY_LIMIT), **more}
            parts = App(load_settings(flags, start=tmp_path, environment={}), clock=clock)
            opened.callback(parts.close)
            return parts

        def _open(
            url: str, instances: str = "one", clock: Clock | None = None, **more: str
        ) -> Hub:
            parts, log, number = _parts(url, more, clock), io.StringIO(), next(numbers)
            app = parts.hub(log)
            roles = {"operator": Role.OPERATOR, "viewer": Role.VIEWER}
            tokens = {
                name: made_token(parts, role, f"{name}-{number}") for name, role in roles.items()
            }
            client: httpx2.Client
            if instances == "processes":
                client = opened.enter_context(_processes(url, tmp_path))
            else:
                apps = [app, *([_parts(url, more, clock).hub(log)] if instances == "two" else [])]
                client = TestClient(InTurn(apps), raise_server_exceptions=True)
                opened.enter_context(client)
            return Hub(parts=parts, app=app, client=client, log=log, tokens=tokens)

        yield _open


@contextmanager
def _processes(url: str, folder: Path) -> Iterator[httpx2.Client]:
    """A client of two processes."""
    settings = {"EVENHAND_SERVE_BODY_LIMIT": str(BODY_LIMIT)}
    with ExitStack() as running:
        started = [Process(folder, "--database-url", url, **settings) for _ in range(2)]
        for process in started:
            running.callback(process.close)
        transport = RoundRobin([process.said["address"] for process in started])
        client = httpx2.Client(transport=transport, base_url="http://testserver", timeout=PATIENCE)
        yield running.enter_context(client)
        assert [process.end() for process in started] == [0, 0]


@pytest.fixture(params=INSTANCES[:2])
def instances(request: pytest.FixtureRequest) -> str:
    """How many applications there are, and where."""
    found: str = request.param
    return found


@pytest.fixture
def hub(open_hub: Callable[..., Hub], database_url: str, instances: str) -> Hub:
    """A hub over a database of either kind."""
    return open_hub(database_url, instances)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several instances share a server only: one process is meant for a file."""
    left_out = {item for item in items if _shares_a_file(item) or _is_alone_on_a_server(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _shares_a_file(item: pytest.Item) -> bool:
    given = _params(item)
    return given.get("database_url") == "sqlite" and given.get("instances") in INSTANCES[1:]


def _is_alone_on_a_server(item: pytest.Item) -> bool:
    """Of comparisons, what holds for two applications on a server is not asked of one again."""
    given = _params(item)
    is_one = (given.get("database_url"), given.get("instances")) == ("postgresql", "one")
    return is_one and "comparing" in getattr(item, "fixturenames", ())


def _params(item: pytest.Item) -> dict[str, Any]:
    given = getattr(item, "callspec", None)
    return {} if given is None else dict(given.params)


everywhere = pytest.mark.parametrize("instances", INSTANCES, indirect=True)
only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
