"""What can be chosen for a comparison, on both databases."""

from datetime import timedelta

import pytest

from evenhand.core.access.roles import Capability
from evenhand.core.errors.registry import RegisteredNotFound
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.registered import Changeable
from evenhand.core.registry.route import RouteKind
from evenhand.store.uow import Database
from evenhand.usecases.intents.choosing import Choices, find_choices, list_bindings
from tests.builders import START
from tests.comparison_builders import World, a_claim_of, add_world, an_intent, another_client
from tests.registry_builders import a_binding, a_client, a_deployment, a_route, repository


def chosen(database: Database, world: World) -> Choices:
    return database.read(lambda uow: find_choices(uow, world.shop.binding.id))


def end_use(database: Database, former: Changeable) -> None:
    made = former.changed(expected_version=1, active=False)
    database.run(lambda uow: repository(uow, former).save(made))


@pytest.mark.proves("C-08", "C-10", "C-12")
def test_offered_is_what_may_be_pinned(database: Database) -> None:
    world = World()
    database.run(lambda uow: add_world(uow, world, another_client(world)))

    found = chosen(database, world)

    assert (found.project, found.binding) == (world.shop.project, world.shop.binding)
    assert found.production is not None
    assert found.production.route == world.shop.route
    assert found.production.deployment == world.shop.deployment
    assert [one.route for one in found.candidates] == [world.trial]
    assert [one.deployment for one in found.candidates] == [world.candidate]
    assert {one.id for one in found.clients} == {world.client.id, another_client(world).id}
    assert [one.revision for one in found.revisions] == [world.suite.revision]
    assert (found.has_active, found.interrupted) == (False, None)


def test_what_may_not_be_pinned_is_not_offered(database: Database) -> None:
    world = World()
    elsewhere = a_binding(2)
    more = (
        # Of another binding, to what is in production, and a client that may not embed.
        elsewhere,
        a_route(
            3,
            of=elsewhere,
            name="theirs",
            kind=RouteKind.EXPERIMENT,
            deployment_id=a_deployment(2).id,
        ),
        a_route(4, name="same", kind=RouteKind.EXPERIMENT),
        a_client(3, of=world.shop.binding, capabilities=frozenset({Capability.EVENT})),
    )
    database.run(lambda uow: add_world(uow, world, *more))

    found = chosen(database, world)

    assert [one.route.name for one in found.candidates] == ["trial"]
    assert [one.id for one in found.clients] == [world.client.id]
    for ended in (world.candidate, world.client):
        end_use(database, ended)
    after = chosen(database, world)
    assert (after.candidates, after.clients) == ((), ())
    end_use(database, world.shop.route)
    assert chosen(database, world).production is None


def test_what_stands_in_the_way_is_told(database: Database) -> None:
    world = database.run(add_world)
    waiting = an_intent(world)
    database.run(lambda uow: uow.intents.add(waiting))
    assert chosen(database, world).has_active

    claimed = a_claim_of(waiting)
    ended = claimed.moved(
        claimed.state.INTERRUPTED, START + timedelta(hours=1), token_digest=None, error_code="X"
    )
    database.run(lambda uow: uow.intents.save(waiting, claimed))
    database.run(lambda uow: uow.intents.save(claimed, ended))

    found = chosen(database, world)
    assert (found.has_active, found.interrupted) == (False, ended)


def test_the_bindings_are_those_that_a_comparison_may_be_prepared_on(database: Database) -> None:
    world = World()
    others = (
        a_binding(2, stage=Stage.EXPERIMENTAL),
        a_binding(3, capability=Capability.EVENT),
        a_binding(4, active=False),
    )
    database.run(lambda uow: add_world(uow, world, *others))

    assert database.read(list_bindings) == (world.shop.binding,)
    with pytest.raises(RegisteredNotFound):
        database.read(lambda uow: find_choices(uow, "nothing"))
