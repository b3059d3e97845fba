"""The verbs of the registry on both databases: each change is told of once, in its transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import (
    Action,
    Actor,
    ActorKind,
    Capability,
    Principal,
    Role,
    require,
)
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.registry import (
    InvalidUpstream,
    ReferenceRefused,
    StableRouteExists,
    VersionConflict,
)
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import RouteKind
from evenhand.core.registry.runtime import RuntimeKind
from evenhand.store.uow import Database
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import (
    artifacts,
    bindings,
    deployments,
    projects,
    routes,
    runtimes,
    service_clients,
)
from tests.registry_builders import Shop
from tests.usecases.access_parts import CountingSecrets
from tests.usecases.conftest import CountingIds

OPERATOR = Actor(kind=ActorKind.OPERATOR, id="an-operator")
BASE_URL = "https://embeddings.example/v1"


@dataclass
class Registry:
    """The verbs, each in a transaction of its own."""

    database: Database
    ids: CountingIds

    def __call__(self, verb: Callable[..., Any], *arguments: object, **values: object) -> Any:
        return self.database.run(
            lambda uow: verb(uow, *arguments, actor=OPERATOR, ids=self.ids, **values)
        )

    def shop(self, name: str = "shop") -> Shop:
        project = self(projects.create, name=name)
        binding = self(
            bindings.create,
            project_id=project.id,
            name="search",
            capability=Capability.EMBEDDING,
            stage=Stage.STABLE,
        )
        artifact = self(artifacts.create, name=name, digest="0" * 64, model="minilm")
        runtime = self(
            runtimes.create,
            name=name,
            kind=RuntimeKind.OPENAI_HTTP,
            identity="server-1",
            base_url=BASE_URL,
        )
        deployment = self.deployment(project.id, artifact.id, runtime.id, "small")
        return Shop(
            project=project,
            binding=binding,
            client=self(service_clients.create, binding_id=binding.id, name="worker"),
            artifact=artifact,
            runtime=runtime,
            deployment=deployment,
            route=self(
                routes.create,
                binding_id=binding.id,
                name="live",
                kind=RouteKind.STABLE,
                deployment_id=deployment.id,
            ),
        )

    def deployment(self, project_id: str, artifact_id: str, runtime_id: str, name: str) -> Any:
        return self(
            deployments.create,
            project_id=project_id,
            artifact_id=artifact_id,
            runtime_id=runtime_id,
            name=name,
            upstream_model="minilm",
            embedding_identity="minilm-l6",
            dimension=384,
        )

    def another(self, shop: Shop) -> Any:
        return self.deployment(shop.project.id, shop.artifact.id, shop.runtime.id, "large")

    def told(self, *kinds: str) -> list[AuditEntry]:
        """The audit, oldest first."""
        found = self.database.read(lambda uow: uow.audit.list_latest(limit=99))
        return [one for one in reversed(found) if not kinds or one.object_kind in kinds]


@pytest.fixture
def registry(database: Database) -> Registry:
    return Registry(database, CountingIds())


def facts(entry: AuditEntry) -> tuple[object, ...]:
    return (entry.action, entry.from_state, entry.to_state, entry.code, entry.version)


@pytest.mark.proves("G-60")
def test_each_new_object_is_told_of_once_with_what_it_belongs_to(registry: Registry) -> None:
    shop = registry.shop()
    made: list[Registered] = [
        *(shop.project, shop.binding, shop.artifact, shop.runtime, shop.deployment),
        *(shop.client, shop.route),
    ]
    told = registry.told()
    assert [one.object_id for one in told] == [one.id for one in made]
    assert {one.actor for one in told} == {OPERATOR}
    assert {one.action for one in told} == {"create"}
    assert [one.version for one in told] == [1, 1, None, 1, 1, 1, 1]
    related = {one.object_kind: one.related_id for one in told}
    assert related["binding"] == related["deployment"] == shop.project.id
    assert related["service_client"] == shop.binding.id
    assert related["route"] == shop.deployment.id


@pytest.mark.proves("G-60")
def test_each_change_is_told_of_once_with_states_version_and_what_changed(
    registry: Registry,
) -> None:
    shop = registry.shop()
    before = len(registry.told())
    registry(projects.change, shop.project.id, expected_version=1, active=False)
    registry(projects.change, shop.project.id, expected_version=2, active=True)
    registry(
        bindings.change,
        shop.binding.id,
        expected_version=1,
        stage=Stage.EXPERIMENTAL,
        active=False,
    )
    registry(deployments.change, shop.deployment.id, expected_version=1, score_cutoff=0.5)
    registry(deployments.change, shop.deployment.id, expected_version=2, score_cutoff=None)
    told = registry.told()[before:]
    assert [facts(one) for one in told] == [
        ("change", "active", "inactive", "active", 2),
        ("change", "inactive", "active", "active", 3),
        ("change", "active", "inactive", "active_and_stage", 2),
        ("change", "active", "active", "score_cutoff", 2),
        ("change", "active", "active", "score_cutoff", 3),
    ]


def test_what_changes_nothing_is_not_told_of(registry: Registry) -> None:
    shop = registry.shop()
    before = registry.told()
    same = registry(projects.change, shop.project.id, expected_version=1, active=True)
    unsaid = registry(deployments.change, shop.deployment.id, expected_version=1)
    there = registry(
        routes.change, shop.route.id, expected_version=1, deployment_id=shop.deployment.id
    )
    assert (same, unsaid, there) == (shop.project, shop.deployment, shop.route)
    assert registry.told() == before


def test_a_refused_change_changes_nothing_and_is_not_told_of(registry: Registry) -> None:
    shop = registry.shop()
    before = registry.told()
    for verb, one in (
        (projects.change, shop.project),
        (bindings.change, shop.binding),
        (service_clients.change, shop.client),
        (runtimes.change, shop.runtime),
        (deployments.change, shop.deployment),
        (routes.change, shop.route),
    ):
        with pytest.raises(VersionConflict):
            registry(verb, one.id, expected_version=2, active=False)
    assert registry.told() == before


@pytest.mark.proves("G-60")
def test_a_change_that_cannot_be_told_of_is_not_made(registry: Registry) -> None:
    shop = registry.shop()
    taken = registry.told()[0].id

    class OneId:
        def new(self) -> str:
            return taken

    def change(uow: UnitOfWork) -> object:
        return projects.change(
            uow, shop.project.id, expected_version=1, active=False, actor=OPERATOR, ids=OneId()
        )

    with pytest.raises(ConstraintRefused) as refused:
        registry.database.run(change)
    assert refused.value.constraint == "pk_audit_entry"
    assert registry.database.read(lambda uow: uow.projects.get(shop.project.id)) == shop.project


# Production.


@pytest.mark.proves("C-10", "G-60")
def test_production_changes_with_the_stable_route_and_the_audit_says_to_what(
    registry: Registry,
) -> None:
    shop = registry.shop()
    candidate = registry.another(shop)
    moved = registry(routes.change, shop.route.id, expected_version=1, deployment_id=candidate.id)
    assert (moved.deployment_id, moved.version) == (candidate.id, 2)
    told = registry.told("route")
    assert [one.related_id for one in told] == [shop.deployment.id, candidate.id]
    assert facts(told[-1]) == ("change", "active", "active", "deployment_id", 2)


def test_a_binding_has_one_active_stable_route(registry: Registry) -> None:
    shop = registry.shop()
    stated = {
        "binding_id": shop.binding.id,
        "kind": RouteKind.STABLE,
        "deployment_id": shop.deployment.id,
    }
    with pytest.raises(StableRouteExists):
        registry(routes.create, name="second", **stated)
    registry(routes.change, shop.route.id, expected_version=1, active=False)
    registry(routes.create, name="second", **stated)
    with pytest.raises(StableRouteExists):
        registry(routes.change, shop.route.id, expected_version=2, active=True)


def test_a_route_comes_back_only_with_a_deployment_in_use(registry: Registry) -> None:
    shop = registry.shop()
    registry(routes.change, shop.route.id, expected_version=1, active=False)
    registry(deployments.change, shop.deployment.id, expected_version=1, active=False)
    with pytest.raises(ReferenceRefused) as refused:
        registry(routes.change, shop.route.id, expected_version=2, active=True)
    assert refused.value.code == "inactive_deployment"
    off = registry(routes.change, shop.route.id, expected_version=2, active=False)
    assert off.version == 2


@pytest.mark.proves("G-47")
def test_unknown_and_foreign_references_are_refused_alike(registry: Registry) -> None:
    shop, other = registry.shop(), registry.shop("other")
    said = set()
    for deployment_id in (other.deployment.id, shop.project.id, "x", "a\0"):
        with pytest.raises(ReferenceRefused) as refused:
            registry(
                routes.create,
                binding_id=shop.binding.id,
                name="r",
                kind=RouteKind.EXPERIMENT,
                deployment_id=deployment_id,
            )
        said.add((refused.value.code, str(refused.value)))
    assert said == {
        ("unknown_deployment", "deployment_id: names nothing that is known here"),
    }


# Upstreams.


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]"])
def test_an_address_inside_is_not_registered(registry: Registry, host: str) -> None:
    with pytest.raises(InvalidUpstream):
        registry(
            runtimes.create,
            name="inside",
            kind=RuntimeKind.OPENAI_HTTP,
            identity="x",
            base_url=f"http://{host}/v1",
        )
    assert registry.told() == []


def test_no_secret_is_in_any_row(registry: Registry, engine: Engine) -> None:
    registry.shop()
    with engine.connect() as connection:
        columns = sa.inspect(connection).get_columns("runtime")
    assert [one["name"] for one in columns if "secret" in one["name"]] == ["secret_env"]


# Clients.


@dataclass
class Clients:
    """Clients and their tokens."""

    registry: Registry
    secrets: CountingSecrets

    def token(self, client_id: str, name: str = "worker") -> str:
        issued = self.registry(
            access.create,
            name=name,
            role=Role.SERVICE_CLIENT,
            client_id=client_id,
            secrets=self.secrets,
        )
        token: str = issued.token
        return token

    def who(self, token: str) -> Principal:
        return self.registry.database.read(lambda uow: access.authenticate(uow, token))


@pytest.fixture
def clients(registry: Registry) -> Clients:
    return Clients(registry, CountingSecrets())


@pytest.mark.proves("C-09", "C-45")
def test_a_client_belongs_to_exactly_one_binding_and_is_told_from_every_other(
    clients: Clients,
) -> None:
    shop = clients.registry.shop()
    second = clients.registry(service_clients.create, binding_id=shop.binding.id, name="second")
    found = [clients.who(clients.token(one.id, one.name)) for one in (shop.client, second)]
    assert [one.client_id for one in found] == [shop.client.id, second.id]
    assert {one.project_id for one in found} == {shop.project.id}
    assert {one.capabilities for one in found} == {frozenset({Capability.EMBEDDING})}
    # Of each there is one binding, and no verb that moves it.
    with pytest.raises(TypeError):
        clients.registry(
            service_clients.change, second.id, expected_version=1, binding_id=shop.binding.id
        )


@pytest.mark.proves("C-44")
def test_a_client_may_what_its_capabilities_say_now(clients: Clients) -> None:
    shop = clients.registry.shop()
    token = clients.token(shop.client.id)
    require(clients.who(token), Action.CONSUME_COMPARISON)
    clients.registry(
        service_clients.change,
        shop.client.id,
        expected_version=1,
        capabilities=[Capability.EVENT],
    )
    require(clients.who(token), Action.INGEST_EVENT)
    with pytest.raises(Forbidden) as refused:
        require(clients.who(token), Action.CONSUME_COMPARISON)
    assert refused.value.code == "capability_missing"


@pytest.mark.proves("G-58")
@pytest.mark.parametrize("noun", ["client", "binding", "project"])
def test_a_token_is_like_an_unknown_one_while_what_it_belongs_to_is_out_of_use(
    clients: Clients, noun: str
) -> None:
    verbs: dict[str, Callable[..., Any]] = {
        "client": service_clients.change,
        "binding": bindings.change,
        "project": projects.change,
    }
    shop = clients.registry.shop()
    token = clients.token(shop.client.id)
    one = getattr(shop, noun)
    clients.registry(verbs[noun], one.id, expected_version=1, active=False)
    with pytest.raises(Unauthenticated, match="no such token is in force"):
        clients.who(token)
    with pytest.raises(ReferenceRefused) as refused:
        clients.token(shop.client.id, "late")
    assert refused.value.code == "inactive_service_client"
    clients.registry(verbs[noun], one.id, expected_version=2, active=True)
    assert clients.who(token).client_id == shop.client.id


@pytest.mark.proves("G-60")
def test_the_audit_says_to_which_client_a_token_belongs(clients: Clients) -> None:
    shop = clients.registry.shop()
    clients.token(shop.client.id)
    clients.registry(access.rotate, "worker", secrets=clients.secrets)
    told = clients.registry.told(access.OBJECT_KIND)
    assert [(one.action, one.code, one.related_id) for one in told] == [
        (action, "service_client", shop.client.id) for action in ("create", "rotate", "create")
    ]
