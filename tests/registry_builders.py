"""Objects of the registry for tests; number *n* is made *n* minutes after `START`."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from evenhand.core.access.roles import Capability
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.binding import Binding, Stage
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import Route, RouteKind
from evenhand.core.registry.runtime import Runtime, RuntimeKind
from evenhand.core.registry.service_client import ServiceClient
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START


def registry_id(kind: int, number: int) -> str:
    return f"01990000-0000-7000-e00{kind}-{number:012d}"


def _made(kind: int, number: int, name: str) -> dict[str, Any]:
    return {
        "id": registry_id(kind, number),
        "created_at": START + timedelta(minutes=number),
        "name": f"{name}-{number}" if number > 1 else name,
    }


def a_project(number: int = 1, **stated: Any) -> Project:
    return Project(**_made(1, number, "shop") | stated)


def a_binding(number: int = 1, *, of: Project | None = None, **stated: Any) -> Binding:
    values = {
        "project_id": (of or a_project()).id,
        "capability": Capability.EMBEDDING,
        "stage": Stage.STABLE,
    }
    return Binding(**_made(2, number, "search") | values | stated)


def a_client(number: int = 1, *, of: Binding | None = None, **stated: Any) -> ServiceClient:
    binding = of or a_binding()
    values = {
        "project_id": binding.project_id,
        "binding_id": binding.id,
        "capabilities": frozenset({Capability.EMBEDDING}),
    }
    return ServiceClient(**_made(3, number, "worker") | values | stated)


def an_artifact(number: int = 1, **stated: Any) -> Artifact:
    values = {"digest": f"{number:064x}", "model": "minilm-l6"}
    return Artifact(**_made(4, number, "minilm") | values | stated)


def a_runtime(number: int = 1, **stated: Any) -> Runtime:
    values = {
        "kind": RuntimeKind.OPENAI_HTTP,
        "identity": "server-1.0",
        "base_url": "https://embeddings.example/v1",
        "secret_env": "EMBEDDINGS_KEY",
    }
    return Runtime(**_made(5, number, "server") | values | stated)


def an_embedder(number: int = 2, **stated: Any) -> Runtime:
    values = {"kind": RuntimeKind.IN_PROCESS, "identity": "onnx-1.0", "embedder": "minilm"}
    return Runtime(**_made(5, number, "embedder") | values | stated)


def a_deployment(number: int = 1, *, of: Project | None = None, **stated: Any) -> Deployment:
    values = {
        "project_id": (of or a_project()).id,
        "artifact_id": an_artifact().id,
        "runtime_id": a_runtime().id,
        "upstream_model": "sentence-transformers/all-MiniLM-L6-v2",
        "embedding_identity": "minilm-l6-v2",
        "dimension": 384,
        "query_prefix": "query: ",
        "document_prefix": "",
        "score_cutoff": 0.25,
    }
    return Deployment(**_made(6, number, "small") | values | stated)


def a_route(number: int = 1, *, of: Binding | None = None, **stated: Any) -> Route:
    binding = of or a_binding()
    values = {
        "project_id": binding.project_id,
        "binding_id": binding.id,
        "kind": RouteKind.STABLE,
        "deployment_id": a_deployment().id,
    }
    return Route(**_made(7, number, "live") | values | stated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """One of each, which belong together."""

    project: Project = field(default_factory=a_project)
    binding: Binding = field(default_factory=a_binding)
    client: ServiceClient = field(default_factory=a_client)
    artifact: Artifact = field(default_factory=an_artifact)
    runtime: Runtime = field(default_factory=a_runtime)
    deployment: Deployment = field(default_factory=a_deployment)
    route: Route = field(default_factory=a_route)


REPOSITORIES = {
    Project: "projects",
    Binding: "bindings",
    ServiceClient: "service_clients",
    Artifact: "artifacts",
    Runtime: "runtimes",
    Deployment: "deployments",
    Route: "routes",
}


def repository(uow: UnitOfWork, of: Registered | type[Registered]) -> Any:
    """The repository of objects of this kind."""
    return getattr(uow, REPOSITORIES[of if isinstance(of, type) else type(of)])


def add_all(uow: UnitOfWork, *objects: Registered) -> None:
    """Keep objects in this order."""
    for one in objects:
        repository(uow, one).add(one)


def add_shop(uow: UnitOfWork, shop: Shop | None = None) -> Shop:
    """Keep one of each."""
    kept = shop or Shop()
    add_all(
        uow,
        *(kept.project, kept.binding, kept.client, kept.artifact, kept.runtime, kept.deployment),
        kept.route,
    )
    return kept
