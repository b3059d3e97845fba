"""A model behind a hub's gateway: what a test registers, calls and finds kept."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evenhand.core.access.roles import Actor, ActorKind, Capability
from evenhand.core.gateway.request import GatewayRequest
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.route import Route, RouteKind
from evenhand.core.registry.runtime import RuntimeKind
from evenhand.core.registry.service_client import ServiceClient
from evenhand.store.engine import create_engine
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import artifacts, deployments, routes, runtimes
from tests.hub.conftest import Hub

CLIENT = "caller"
MODEL = "upstream-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a client calls.

    Attributes:
        hub: that it calls.
        client: who calls; its token has the name `CLIENT`.
        deployment, route: what is called, under which name.
    """

    hub: Hub
    client: ServiceClient
    deployment: Deployment
    route: Route

    def embed(self, body: Any, caller: str | None = CLIENT, **request: Any) -> Any:
        """The answer to a request; a body that is bytes goes as it is."""
        how = {"content": body} if isinstance(body, bytes) else {"json": body}
        headers = {"Content-Type": "application/json"}
        return self.hub.call("POST", "/v1/embeddings", caller, headers=headers, **how, **request)

    def ask(self, value: Any, **members: Any) -> Any:
        """The answer to an input."""
        return self.embed({"model": self.route.name, "input": value, **members})

    def kept(self, answer: Any) -> GatewayRequest:
        """The row of an answer; there is one."""
        public_id = answer.headers["x-request-id"]
        found = self.hub.parts.database.read(
            lambda uow: uow.gateway_requests.find_by_public_id(public_id)
        )
        assert found is not None
        return found

    def count(self) -> int:
        """How many rows there are."""
        engine = create_engine(self.hub.parts.database_url)
        with engine.connect() as connection:
            number: int = connection.scalar(sa.text("SELECT count(*) FROM gateway_request")) or 0
        engine.dispose()
        return number


def serve_model(hub: Hub, base_url: str | None, **stated: Any) -> Served:
    """Register a deployment of dimension 1 and a stable route to it, and a client that may call.

    Args:
        hub: where.
        base_url: of the upstream; None for an embedder in process.
        stated: other parts of the deployment; ``secret_env`` and ``embedder`` of its runtime, and
            ``route`` for the name of the route.
    """
    client = hub.add_client(CLIENT, Capability.EMBEDDING)
    deployment, route = hub.parts.database.run(
        lambda uow: _register(uow, hub, client, base_url, stated)
    )
    return Served(hub=hub, client=client, deployment=deployment, route=route)


def _register(
    uow: UnitOfWork, hub: Hub, client: ServiceClient, base_url: str | None, stated: dict[str, Any]
) -> tuple[Deployment, Route]:
    by: Any = {"actor": Actor(kind=ActorKind.COMMAND_LINE), "ids": hub.parts.ids}
    values = {"dimension": 1, "embedding_identity": "e1", **stated}
    name = values.pop("route", "stable")
    embedder = values.pop("embedder", None)
    runtime = runtimes.create(
        uow,
        name="server",
        kind=RuntimeKind.OPENAI_HTTP if embedder is None else RuntimeKind.IN_PROCESS,
        identity="r1",
        base_url=base_url,
        secret_env=values.pop("secret_env", None),
        embedder=embedder,
        allow=hub.parts.settings.serve_upstream_allow,
        **by,
    )
    deployment = deployments.create(
        uow,
        project_id=client.project_id,
        name="small",
        artifact_id=artifacts.create(uow, name="m", digest="0" * 64, model="m", **by).id,
        runtime_id=runtime.id,
        **{"upstream_model": MODEL if embedder is None else None, **values},
        **by,
    )
    route = routes.create(
        uow,
        binding_id=client.binding_id,
        name=name,
        kind=RouteKind.STABLE,
        deployment_id=deployment.id,
        **by,
    )
    return deployment, route
