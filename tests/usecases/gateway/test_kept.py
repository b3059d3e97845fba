"""Whom a name means for a caller, and what is kept of its request."""

from datetime import datetime, timedelta

import pytest

from evenhand.core.access.roles import Capability, Principal, Role
from evenhand.core.errors.gateway import ModelNotFound
from evenhand.core.gateway.request import Facts, GatewayRequest
from evenhand.store.uow import Database
from evenhand.usecases.gateway.requests import Ended, keep_requests
from evenhand.usecases.gateway.targets import find_target, list_models
from evenhand.usecases.ports import UnitOfWork
from tests.builders import a_credential
from tests.gateway_builders import a_gateway_request
from tests.registry_builders import (
    Shop,
    a_binding,
    a_client,
    a_deployment,
    a_project,
    a_route,
    add_all,
    add_shop,
)
from tests.usecases.conftest import CountingIds

OPERATOR = Principal(credential_id=a_credential().id, role=Role.OPERATOR)
CANARY = "canary"


def a_principal(shop: Shop) -> Principal:
    return Principal(
        credential_id=a_credential().id,
        role=Role.SERVICE_CLIENT,
        client_id=shop.client.id,
        project_id=shop.project.id,
        capabilities=frozenset({Capability.EMBEDDING}),
    )


@pytest.fixture
def shop(database: Database) -> Shop:
    """Two projects with a route of one name."""
    made = database.run(add_shop)
    project = a_project(2, name="other")
    binding = a_binding(2, of=project)
    deployment = a_deployment(2, of=project)
    route = a_route(2, of=binding, name=made.route.name, deployment_id=deployment.id)
    client = a_client(2, of=binding)
    database.run(lambda uow: add_all(uow, project, binding, deployment, route, client))
    return made


def found(database: Database, principal: Principal, model: str) -> str:
    return database.read(lambda uow: find_target(uow, principal, model)).served.project_id


def test_a_client_means_the_route_of_its_binding_and_a_person_says_of_which_project(
    database: Database, shop: Shop
) -> None:
    name = shop.route.name

    assert found(database, a_principal(shop), name) == shop.project.id
    assert found(database, OPERATOR, f"shop/{name}") == shop.project.id
    assert found(database, OPERATOR, f"other/{name}") != shop.project.id
    with pytest.raises(ModelNotFound) as refused:
        found(database, OPERATOR, name)
    assert refused.value.is_ambiguous
    assert [model.name for model in database.read(lambda uow: list_models(uow, OPERATOR))] == [
        f"other/{name}",
        f"shop/{name}",
    ]


@pytest.mark.parametrize(
    "model", [CANARY, "", "/", f"shop/{CANARY}", "other/live", "\x00", "a/b/c"]
)
def test_a_name_that_means_nobody_is_not_repeated(
    database: Database, shop: Shop, model: str
) -> None:
    with pytest.raises(ModelNotFound) as refused:
        found(database, a_principal(shop), model)
    assert CANARY not in str(refused.value)


class Ticking:
    """A clock for durations that a test sets; the time of day is nonsense."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        raise AssertionError("the host's clock counts for nothing")


@pytest.mark.proves("C-78")
def test_a_request_is_kept_with_the_databases_time_and_began_so_much_earlier(
    database: Database, shop: Shop
) -> None:
    database.run(lambda uow: uow.credentials.add(a_credential()))
    made = a_gateway_request(shop=shop)
    facts = Facts(
        public_id=made.public_id,
        caller=made.caller,
        served=made.served,
        asked=made.asked,
        outcome=made.outcome,
        attempts=made.attempts,
    )

    def keep(uow: UnitOfWork) -> tuple[GatewayRequest, datetime, datetime]:
        before = uow.now()
        ended = [Ended(facts=facts, began=2.0)]
        (kept,) = keep_requests(uow, ended, ids=CountingIds(), clock=Ticking(9.5))
        return kept, before, uow.now()

    kept, before, after = database.run(keep)

    assert before <= kept.completed_at <= after
    assert kept.completed_at - kept.created_at == timedelta(seconds=7.5)
    stored = database.read(lambda uow: uow.gateway_requests.find_by_public_id(made.public_id))
    assert stored == kept
