"""Rows of requests to the gateway: what comes back, what is refused, what cannot be changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.gateway.listing import Wanted
from evenhand.core.gateway.request import Caller, GatewayRequest, Outcome, RequestState
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from tests.builders import a_credential
from tests.gateway_builders import (
    REFUSED,
    a_gateway_request,
    an_attempt,
    asked,
    served_by,
)
from tests.registry_builders import (
    Shop,
    a_binding,
    a_client,
    a_project,
    a_route,
    add_all,
    add_shop,
)

Execute = Callable[..., None]
Rows = Callable[..., list[tuple[Any, ...]]]
SHOP = Shop()


@pytest.fixture
def shop(database: Database) -> Shop:
    """A registry to call, and somebody who calls."""
    database.run(lambda uow: uow.credentials.add(a_credential()))
    return database.run(add_shop)


def keep(database: Database, *added: GatewayRequest) -> None:
    for one in added:
        database.run(lambda uow, one=one: uow.gateway_requests.add_all([one]))  # type: ignore[misc]


def found(database: Database, public_id: str) -> GatewayRequest | None:
    return database.read(lambda uow: uow.gateway_requests.find_by_public_id(public_id))


FAILED = Outcome(state=RequestState.FAILED, status=502, code="wrong_count")
LEFT = Outcome(state=RequestState.ABORTED, status=None, code="client_left")


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"asked": asked(["a", "b"]), "attempts": (an_attempt(count=2),)},
        {"asked": asked([1, 2], purpose=Purpose.DOCUMENT)},
        {"outcome": FAILED, "attempts": (an_attempt(failure=Failure.WRONG_COUNT),)},
        {"outcome": REFUSED, "served": None, "asked": None, "attempts": ()},
        {"outcome": LEFT, "attempts": ()},
        {
            "outcome": Outcome(
                state=RequestState.COMPLETED,
                status=200,
                zero_vectors=1,
                from_cache=True,
                from_fallback=True,
            )
        },
        {
            "attempts": (
                an_attempt(upstream_status=None, failure=Failure.CONNECT_FAILED),
                an_attempt(number=1),
            )
        },
        {
            "caller": Caller(
                credential_id=a_credential().id,
                client_id=SHOP.client.id,
                project_id=SHOP.project.id,
            ),
            "outcome": REFUSED,
            "served": None,
            "attempts": (),
        },
    ],
)
def test_a_request_comes_back_with_every_field(
    database: Database, shop: Shop, database_url: str, stated: dict[str, Any]
) -> None:
    made = a_gateway_request(shop=shop, **stated)
    keep(database, made)

    assert found(database, made.public_id) == made
    assert codes(database_url) == []


@pytest.mark.proves("C-72", "G-57")
def test_the_id_of_a_row_finds_nothing(database: Database, shop: Shop) -> None:
    made = a_gateway_request(shop=shop)
    keep(database, made)

    assert found(database, made.public_id) == made
    assert made.id != made.public_id
    assert found(database, made.id) is None
    assert found(database, made.public_id.upper()) is None
    assert found(database, "req_" + "f" * 32) is None


def test_a_public_id_is_given_once(database: Database, shop: Shop) -> None:
    made = a_gateway_request(shop=shop)
    keep(database, made)
    again = replace(a_gateway_request(2, shop=shop), public_id=made.public_id)

    with pytest.raises(ConstraintRefused) as refused:
        keep(database, again)
    assert refused.value.constraint == "uq_gateway_request_public_id"


def test_a_route_of_one_project_and_a_deployment_of_another_are_refused(
    database: Database, shop: Shop
) -> None:
    other = a_project(2)
    database.run(lambda uow: add_all(uow, other))
    wrong = replace(served_by(shop), project_id=other.id)

    with pytest.raises(ConstraintRefused):
        keep(database, a_gateway_request(served=wrong))
    assert found(database, a_gateway_request().public_id) is None


@pytest.mark.parametrize("table", ["gateway_request", "gateway_attempt"])
def test_no_row_can_be_changed_or_taken_away(
    database: Database, shop: Shop, execute: Execute, table: str
) -> None:
    keep(database, a_gateway_request(shop=shop))

    for statement in (f"UPDATE {table} SET input_count = 1", f"DELETE FROM {table}"):  # noqa: S608
        with pytest.raises(sa.exc.DBAPIError, match=f"append_only_{table}"):
            execute(statement)


@pytest.mark.parametrize(
    "values",
    [
        {"state": "completed", "error_code": "x"},
        {"state": "failed"},
        {"state": "aborted", "error_code": "x"},
        {"query_digest": "0" * 64, "input_count": 2, "input_kind": "texts"},
        {"query_digest": "0" * 64, "purpose": "document"},
        {"query_digest": "0" * 63},
        {"route_id": None},
        {"input_kind": None},
        {"input_count": 0},
        {"created_at": "2099-09-01T00:00:00.000000Z"},
        {"prompt_tokens": -1},
        {"public_id": "0" * 36},
        {"state": "running"},
    ],
)
def test_the_database_refuses_a_row_that_contradicts_itself(
    database: Database, shop: Shop, engine: Engine, values: dict[str, Any]
) -> None:
    keep(database, a_gateway_request(shop=shop))
    with engine.connect() as connection:
        (row,) = connection.execute(sa.text("SELECT * FROM gateway_request")).mappings()
    other = {**row, "id": "x" * 36, "public_id": "req_" + "e" * 32, **values}
    columns = ", ".join(other)
    names = ", ".join(f":{name}" for name in other)
    statement = sa.text(f"INSERT INTO gateway_request ({columns}) VALUES ({names})")  # noqa: S608

    with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
        connection.execute(statement, other)


# What `db check` finds ------------------------------------------------------------------------


def codes(url: str) -> list[str]:
    """What is found of the gateway; the registry here has no audit."""
    return [finding.code for finding in check(url) if finding.code.startswith("gateway")]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"attempts": (an_attempt(number=1),)}, "gateway_attempts"),
        ({"attempts": (an_attempt(part=1),)}, "gateway_attempts"),
        ({"attempts": (an_attempt(failure=Failure.BUSY),)}, "gateway_attempts"),
        ({"attempts": (an_attempt(count=2),)}, "gateway_attempts"),
        ({"attempts": ()}, "gateway_attempts"),
    ],
)
def test_calls_that_do_not_belong_to_their_request_are_found(
    database: Database,
    shop: Shop,
    database_url: str,
    stated: dict[str, Any],
    expected: str,
) -> None:
    keep(database, a_gateway_request(shop=shop, **stated))

    assert set(codes(database_url)) == {expected}


def test_a_row_that_does_not_read_back_is_found(
    database: Database, shop: Shop, engine: Engine, database_url: str
) -> None:
    keep(database, a_gateway_request(shop=shop))
    with engine.begin() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO gateway_attempt VALUES (:id, 0, 1, 1, 0.5, NULL, 'no such failure')"
            ),
            {"id": a_gateway_request().id},
        )

    assert codes(database_url) == ["gateway_request_unreadable"]


# What is looked for ---------------------------------------------------------------------------


def numbers_of(requests: Sequence[GatewayRequest]) -> list[int]:
    return [int(one.id[-12:]) for one in requests]


def by_a_client(number: int, **stated: Any) -> GatewayRequest:
    caller = Caller(
        credential_id=a_credential().id, client_id=SHOP.client.id, project_id=SHOP.project.id
    )
    return a_gateway_request(number, shop=SHOP, caller=caller, **stated)


@pytest.fixture
def seven(database: Database, shop: Shop) -> Database:
    """Requests 1 to 7, of which 2 and 3 failed, 4 was refused and 5 to 7 are a client's."""
    failed = {"outcome": FAILED, "attempts": (an_attempt(failure=Failure.WRONG_COUNT),)}
    refused = {"outcome": REFUSED, "served": None, "asked": None, "attempts": ()}
    keep(
        database,
        a_gateway_request(1, shop=shop),
        a_gateway_request(2, shop=shop, **failed),
        a_gateway_request(3, shop=shop, **failed),
        a_gateway_request(4, shop=shop, **refused),
        *(by_a_client(number) for number in (5, 6, 7)),
    )
    return database


WANTED = {
    "everything": (Wanted(), [7, 6, 5, 4, 3, 2, 1]),
    "of a client": (Wanted(client_id=SHOP.client.id), [7, 6, 5]),
    "of a deployment": (Wanted(deployment_id=SHOP.deployment.id), [7, 6, 5, 3, 2, 1]),
    "failed": (Wanted(state=RequestState.FAILED), [3, 2]),
    "completed": (Wanted(state=RequestState.COMPLETED), [7, 6, 5, 1]),
    "failed, of a client": (
        Wanted(state=RequestState.FAILED, client_id=SHOP.client.id),
        [],
    ),
    "of nobody": (Wanted(client_id="\x00"), []),
    "since and until": (
        Wanted(
            since=a_gateway_request(2).created_at,
            until=a_gateway_request(5).created_at,
        ),
        [4, 3, 2],
    ),
}


@pytest.mark.parametrize("name", WANTED)
def test_what_is_looked_for_is_found_newest_first(seven: Database, name: str) -> None:
    wanted, expected = WANTED[name]
    found = seven.read(lambda uow: uow.gateway_requests.list_latest(wanted, limit=10))
    assert numbers_of(found) == expected


def test_a_page_leads_on_and_back_without_a_gap(seven: Database) -> None:
    def page(**edge: GatewayRequest) -> tuple[GatewayRequest, ...]:
        places = {name: (one.created_at, one.id) for name, one in edge.items()}
        return seven.read(
            lambda uow: uow.gateway_requests.list_latest(Wanted(), limit=3, **places)
        )

    first = page()
    second = page(after=first[-1])
    assert numbers_of((*first, *second, *page(after=second[-1]))) == [7, 6, 5, 4, 3, 2, 1]
    assert page(before=second[0]) == first
    assert second[0].attempts == ()
    assert second[1].attempts == (an_attempt(failure=Failure.WRONG_COUNT),)


# Whom a name means ----------------------------------------------------------------------------


def test_a_client_finds_the_routes_of_its_own_binding_only(database: Database, shop: Shop) -> None:
    other = a_binding(2)
    strange = a_route(2, of=other)
    foreign = a_client(2, of=other)
    database.run(lambda uow: add_all(uow, other, foreign, strange))

    def names(client: str, *asked_for: str) -> list[int]:
        return database.read(
            lambda uow: [
                len(uow.gateway_targets.list_for_client(client, name)) for name in asked_for
            ]
        )

    assert names(shop.client.id, shop.route.name, strange.name, "", "\x00") == [1, 0, 0, 0]
    assert names(foreign.id, shop.route.name, strange.name) == [0, 1]
    models = database.read(lambda uow: uow.gateway_targets.list_models_of_client(shop.client.id))
    assert [model.name for model in models] == [shop.route.name]
    everything = database.read(lambda uow: uow.gateway_targets.list_models())
    assert [model.name for model in everything] == ["shop/live", "shop/live-2"]
    assert everything[0].created_at == shop.route.created_at


def test_a_target_is_what_the_registry_says(database: Database, shop: Shop) -> None:
    (target,) = database.read(
        lambda uow: uow.gateway_targets.list_for_all(shop.route.name, of=None)
    )
    deployment, runtime = shop.deployment, shop.runtime

    assert target.served == served_by(shop)
    assert (target.deployment_name, target.dimension) == (deployment.name, deployment.dimension)
    assert (target.query_prefix, target.document_prefix) == (deployment.query_prefix, "")
    assert (target.upstream_model, target.runtime_id) == (deployment.upstream_model, runtime.id)
    assert (target.base_url, target.secret_env) == (runtime.base_url, runtime.secret_env)
    assert not target.is_in_process


@pytest.mark.parametrize("noun", ["route", "binding", "project", "deployment", "runtime"])
def test_whatever_is_inactive_cannot_be_called(database: Database, noun: str) -> None:
    made = Shop()
    inactive: dict[str, Any] = {noun: replace(getattr(made, noun), active=False)}
    database.run(lambda uow: add_shop(uow, replace(made, **inactive)))

    def count(uow: Any) -> tuple[int, int, int]:
        targets = uow.gateway_targets
        return (
            len(targets.list_for_client(made.client.id, made.route.name)),
            len(targets.list_for_all(made.route.name, of="shop")),
            len(targets.list_models()),
        )

    assert database.read(count) == (0, 0, 0)
