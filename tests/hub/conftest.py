"""A hub over a database of either kind, callers of each kind, and evaluations to read."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from evenhand.bootstrap import App
from evenhand.core.access.roles import Actor, ActorKind, Capability, Role
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.settings import load_settings
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import bindings, projects, service_clients
from tests.builders import a_record, an_evaluation

BODY_LIMIT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A hub in this process.

    Attributes:
        parts: what it is wired of.
        app: the application.
        client: without a credential.
        log: what it said.
        tokens: of each role that people have, and of clients that a test adds.
    """

    parts: App
    app: FastAPI
    client: TestClient
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


@pytest.fixture
def open_hub(tmp_path: Path) -> Iterator[Callable[..., Hub]]:
    """Opens hubs over databases that are ready."""
    opened: list[Hub] = []

    def _open(url: str, **more: str) -> Hub:
        flags = {"database_url": url, "serve_body_limit": str(BODY_LIMIT), **more}
        parts = App(load_settings(flags, start=tmp_path, environment={}))
        log = io.StringIO()
        app = parts.hub(log)
        roles = {"operator": Role.OPERATOR, "viewer": Role.VIEWER}
        number = len(opened)
        tokens = {
            name: made_token(parts, role, f"{name}-{number}") for name, role in roles.items()
        }
        client = TestClient(app, raise_server_exceptions=True)
        client.__enter__()
        hub = Hub(parts=parts, app=app, client=client, log=log, tokens=tokens)
        opened.append(hub)
        return hub

    yield _open
    for hub in opened:
        hub.client.__exit__()
        hub.parts.close()


@pytest.fixture
def hub(open_hub: Callable[..., Hub], database_url: str) -> Hub:
    """A hub over a database of either kind."""
    return open_hub(database_url)


only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
