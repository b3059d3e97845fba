"""Rows of the registry on both databases: what comes back, what is refused, who is first of two."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.access.roles import Capability
from evenhand.core.errors import EvenhandError, InvalidText
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.registry import (
    NameTaken,
    RegisteredNotFound,
    StableRouteExists,
    VersionConflict,
)
from evenhand.core.registry.registered import Changeable, Registered
from evenhand.core.registry.route import RouteKind
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START
from tests.registry_builders import (
    REPOSITORIES,
    Shop,
    a_binding,
    a_client,
    a_deployment,
    a_project,
    a_route,
    a_runtime,
    add_all,
    add_shop,
    an_artifact,
    an_embedder,
    repository,
)

SHOP = Shop()
OTHER_PROJECT = a_project(2)
#: One of each kind, and another one that differs in nothing that must differ but its id.
EACH: list[Registered] = [getattr(SHOP, name) for name in Shop.__dataclass_fields__]
CHANGEABLE = [one for one in EACH if isinstance(one, Changeable)]


def names(one: object) -> str:
    return type(one).__name__


@pytest.fixture
def shop(database: Database) -> Database:
    """A database with one of each."""
    database.run(add_shop)
    return database


def found(database: Database, one: Registered) -> Any:
    return database.read(lambda uow: repository(uow, one).find(one.id))


def save(database: Database, changed: Registered) -> None:
    database.run(lambda uow: repository(uow, changed).save(changed))


@pytest.mark.parametrize("one", EACH, ids=names)
def test_an_object_comes_back_with_every_field(shop: Database, one: Registered) -> None:
    assert found(shop, one) == one


def test_what_may_be_absent_comes_back_absent(shop: Database) -> None:
    embedder = an_embedder()
    plain = a_deployment(
        2, runtime_id=embedder.id, upstream_model=None, score_cutoff=None, query_prefix="a\n\té: "
    )
    free = a_runtime(3, secret_env=None, max_inputs=96)
    everything = a_client(2, capabilities=frozenset(Capability), inputs_per_minute=600)
    shop.run(lambda uow: add_all(uow, embedder, plain, free, everything))
    for one in (embedder, plain, free, everything):
        assert found(shop, one) == one


@pytest.mark.parametrize("kind", REPOSITORIES, ids=lambda kind: kind.__name__)
def test_what_is_not_there_is_not_found_and_not_repeated(
    shop: Database, kind: type[Registered]
) -> None:
    for reference in ("evh_op_pasted", "a\0", "\ud800"):
        assert shop.read(lambda uow, r=reference: repository(uow, kind).find(r)) is None  # type: ignore[misc]
        assert shop.read(lambda uow, r=reference: repository(uow, kind).find_named(r)) is None  # type: ignore[misc]
        with pytest.raises(RegisteredNotFound) as refused:
            shop.read(lambda uow, r=reference: repository(uow, kind).get(r))  # type: ignore[misc]
        assert "pasted" not in str(refused.value)
        assert refused.value.code.endswith("_not_found")


@pytest.mark.parametrize("one", EACH, ids=names)
def test_a_name_is_found_in_its_project(shop: Database, one: Registered) -> None:
    project_id = getattr(one, "project_id", None)
    assert (
        shop.read(lambda uow: repository(uow, one).find_named(one.name, project_id=project_id))
        == one
    )
    if project_id is not None:
        elsewhere = shop.read(
            lambda uow: repository(uow, one).find_named(one.name, project_id=OTHER_PROJECT.id)
        )
        assert elsewhere is None


@pytest.mark.parametrize("one", EACH, ids=names)
def test_a_name_is_taken_once_and_refused_without_the_driver_s_error(
    shop: Database, one: Registered
) -> None:
    again = replace(one, id=one.id[:-1] + "9")
    if one is SHOP.route:
        again = a_route(9, name=one.name, kind=RouteKind.EXPERIMENT)
    with pytest.raises(NameTaken) as refused:
        shop.run(lambda uow: repository(uow, one).add(again))
    # PostgreSQL's message repeats the row.
    assert refused.value.__context__ is None
    assert refused.value.name == one.name


def test_two_projects_may_use_one_name(shop: Database) -> None:
    binding = a_binding(2, of=OTHER_PROJECT, name=SHOP.binding.name)
    deployment = a_deployment(2, of=OTHER_PROJECT, name=SHOP.deployment.name)
    others = (
        OTHER_PROJECT,
        binding,
        a_client(2, of=binding, name=SHOP.client.name),
        deployment,
        a_route(2, of=binding, name=SHOP.route.name, deployment_id=deployment.id),
    )
    shop.run(lambda uow: add_all(uow, *others))
    assert [found(shop, one) for one in others] == list(others)


@pytest.mark.parametrize(
    "foreign",
    [
        a_client(2, project_id=OTHER_PROJECT.id),
        a_route(2, project_id=OTHER_PROJECT.id, kind=RouteKind.EXPERIMENT),
        a_binding(2, project_id=a_project(3).id),
        a_deployment(2, artifact_id=an_artifact(9).id),
        a_deployment(2, runtime_id=a_runtime(9).id),
    ],
    ids=["client", "route", "binding", "artifact", "runtime"],
)
def test_nothing_belongs_to_two_projects_or_to_nothing(
    shop: Database, foreign: Registered
) -> None:
    shop.run(lambda uow: add_all(uow, OTHER_PROJECT))
    with pytest.raises(ConstraintRefused):
        shop.run(lambda uow: repository(uow, foreign).add(foreign))


@pytest.mark.parametrize("one", CHANGEABLE, ids=names)
def test_a_change_is_written_with_the_next_version(shop: Database, one: Changeable) -> None:
    made = one.changed(expected_version=1, active=False)
    save(shop, made)
    assert found(shop, one) == made
    assert (made.version, made.active) == (2, False)


@pytest.mark.parametrize("one", CHANGEABLE, ids=names)
def test_a_change_of_another_version_is_refused(shop: Database, one: Changeable) -> None:
    made = one.changed(expected_version=1, active=False)
    save(shop, made)
    for stale in (made, replace(made, version=4), replace(made, id=OTHER_PROJECT.id)):
        with pytest.raises(VersionConflict):
            save(shop, stale)
    assert found(shop, one) == made


def test_of_two_who_change_it_at_once_one_is_refused(shop: Database) -> None:
    together = threading.Barrier(2)
    done: list[str] = []

    def change(deployment: int) -> None:
        together.wait(timeout=60)
        made = replace(SHOP.deployment, version=2, score_cutoff=float(deployment))
        try:
            save(shop, made)
            done.append("changed")
        except EvenhandError as error:
            done.append(error.code)

    in_threads(change, 1, 2)
    assert sorted(done) == ["changed", "version_conflict"]


def test_a_binding_has_one_active_stable_route(shop: Database) -> None:
    second = a_route(2, name="second")
    with pytest.raises(StableRouteExists):
        shop.run(lambda uow: uow.routes.add(second))
    shop.run(lambda uow: uow.routes.add(replace(second, active=False)))
    with pytest.raises(StableRouteExists):
        save(shop, replace(second, version=2))
    save(shop, SHOP.route.changed(expected_version=1, active=False))
    save(shop, replace(second, version=2))
    experiments = [a_route(n, kind=RouteKind.EXPERIMENT) for n in (3, 4)]
    shop.run(lambda uow: add_all(uow, *experiments))
    active = shop.read(lambda uow: uow.routes.list_active(SHOP.project.id))
    assert active == (replace(second, version=2), *experiments)
    assert shop.read(lambda uow: uow.routes.list_active("a\0")) == ()


def test_of_two_who_take_a_binding_s_stable_place_at_once_one_is_refused(
    database: Database,
) -> None:
    database.run(lambda uow: add_all(uow, *EACH[:-1]))
    together = threading.Barrier(2)
    done: list[str] = []

    def take(number: int) -> None:
        together.wait(timeout=60)
        try:
            database.run(lambda uow: uow.routes.add(a_route(number)))
            done.append("made")
        except EvenhandError as error:
            done.append(error.code)

    in_threads(take, 1, 2)
    assert sorted(done) == ["made", "stable_route_exists"]


def in_threads(work: Callable[[int], None], *numbers: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)


def test_a_text_that_no_database_holds_is_refused(shop: Database) -> None:
    with pytest.raises(InvalidText):
        shop.run(lambda uow: uow.projects.add(replace(OTHER_PROJECT, id="a\0")))


@pytest.mark.parametrize("together", [True, False], ids=["equal times", "times"])
def test_pages_over_equal_times_hold_every_one_once(database: Database, together: bool) -> None:
    made = [
        a_project(number, **({"created_at": START} if together else {})) for number in range(1, 8)
    ]
    for one in (*made[::2], *made[1::2]):
        database.run(partial(_add, one))
    seen: list[Registered] = []
    while True:
        after = (seen[-1].created_at, seen[-1].id) if seen else None
        page = database.read(lambda uow, a=after: uow.projects.list_latest(limit=3, after=a))  # type: ignore[misc]
        if not page:
            break
        seen += page
    assert seen == list(reversed(made))


def _add(one: Registered, uow: UnitOfWork) -> None:
    add_all(uow, one)


def test_lists_are_of_a_project_or_of_a_binding(shop: Database) -> None:
    other = a_binding(2)
    clients = [a_client(number, of=other) for number in (2, 3)]
    foreign = a_binding(3, of=OTHER_PROJECT)
    shop.run(lambda uow: add_all(uow, other, *clients, OTHER_PROJECT, foreign))

    def listed(**chosen: Any) -> tuple[Registered, ...]:
        return shop.read(lambda uow: uow.service_clients.list_latest(limit=9, **chosen))

    assert listed() == (*reversed(clients), SHOP.client)
    assert listed(binding_id=other.id) == tuple(reversed(clients))
    assert listed(project_id=OTHER_PROJECT.id) == ()
    assert listed(project_id="a\0") == ()
    bindings = shop.read(lambda uow: uow.bindings.list_latest(project_id=SHOP.project.id, limit=9))
    assert bindings == (other, SHOP.binding)


@pytest.mark.parametrize("noun", ["client", "binding", "project"])
def test_a_client_is_in_force_while_it_its_binding_and_its_project_are(
    shop: Database, noun: str
) -> None:
    assert shop.read(lambda uow: uow.service_clients.find_in_force(SHOP.client.id)) == SHOP.client
    off = getattr(SHOP, noun).changed(expected_version=1, active=False)
    save(shop, off)
    assert shop.read(lambda uow: uow.service_clients.find_in_force(SHOP.client.id)) is None
    save(shop, off.changed(expected_version=2, active=True))
    assert shop.read(lambda uow: uow.service_clients.find_in_force(SHOP.client.id)) is not None


@pytest.mark.parametrize(
    ("table", "change", "constraint"),
    [
        ("project", "version = 0", "ck_project_version"),
        ("project", "name = ''", "ck_project_name"),
        ("project", f"name = '{'a' * 64}'", "ck_project_name"),
        ("project", "created_at = 'x'", "ck_project_created_at"),
        ("binding", "stage = 'x'", "ck_binding_stage"),
        ("binding", "capability = ''", "ck_binding_capability"),
        ("service_client", "capabilities = ''", "ck_service_client_capabilities"),
        ("artifact", "digest = 'x'", "ck_artifact_digest"),
        ("runtime", "kind = 'x'", "ck_runtime_"),
        ("runtime", "base_url = NULL", "ck_runtime_parts"),
        ("runtime", "embedder = 'x'", "ck_runtime_parts"),
        ("deployment", "dimension = 0", "ck_deployment_dimension"),
        ("deployment", "dimension = 65537", "ck_deployment_dimension"),
        ("deployment", f"query_prefix = '{'a' * 2001}'", "ck_deployment_prefixes"),
        ("route", "kind = 'x'", "ck_route_kind"),
    ],
)
def test_the_database_itself_keeps_the_ranges(
    shop: Database, engine: Engine, table: str, change: str, constraint: str
) -> None:
    with pytest.raises(sa.exc.IntegrityError, match=constraint), engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {table} SET {change}"))  # noqa: S608
    assert found(shop, SHOP.project) == SHOP.project
