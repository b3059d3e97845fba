"""After an interruption an operator looks at the program first, and the audit keeps who said so."""

from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.comparison.intent import Intent, IntentState, cancel, observe, restored
from evenhand.core.errors.comparison import ProcessNotLookedAt
from evenhand.store.uow import Database
from evenhand.usecases.intents.preparing import (
    LookedAt,
    Prepared,
    last_interrupted,
    prepare_intent,
)
from evenhand.usecases.ports import Refused
from tests.builders import START
from tests.comparison_builders import World, a_claim_of, add_world, an_intent
from tests.usecases.conftest import CountingIds

OPERATOR = Actor(kind=ActorKind.OPERATOR, id="01990000-0000-7000-9000-00000000000f")


def keep(database: Database, first: Intent, *rest: Intent) -> Intent:
    """Keep a comparison and each of its next states; the last of them."""

    def work(uow: Any) -> None:
        uow.intents.add(first)
        former = first
        for made in rest:
            uow.intents.save(former, made)
            former = made

    database.run(work)
    return (first, *rest)[-1]


def interrupted(world: World, number: int = 1) -> tuple[Intent, ...]:
    made = an_intent(world, number, now=START + timedelta(minutes=number))
    claimed = a_claim_of(made, f"token-{number}", now=made.created_at)
    return made, claimed, observe(claimed, made.created_at + timedelta(hours=2))


def prepared(database: Database, world: World, key: str, looked_at: LookedAt | None) -> Prepared:
    return database.run(
        lambda uow: prepare_intent(
            uow, world.request, key=key, actor=OPERATOR, ids=CountingIds(), looked_at=looked_at
        )
    )


def confirmations(database: Database) -> list[AuditEntry]:
    found = database.read(lambda uow: uow.audit.list_latest(limit=50))
    return [one for one in found if one.action == "confirm"]


@pytest.mark.proves("C-117")
def test_another_comparison_waits_until_somebody_says_that_the_program_was_looked_at(
    database: Database,
) -> None:
    world = database.run(add_world)
    former = keep(database, *interrupted(world))

    for said in (None, "01990000-0000-7000-b000-000000000099"):
        with pytest.raises(ProcessNotLookedAt) as refusal:
            prepared(database, world, "K9", LookedAt(intent_id=said))
        assert refusal.value.interrupted_id == former.id
    assert database.read(lambda uow: uow.intents.find_by_key(world.shop.project.id, "K9")) is None
    assert confirmations(database) == []

    made = prepared(database, world, "K9", LookedAt(intent_id=former.id))

    [entry] = confirmations(database)
    assert (entry.object_id, entry.related_id) == (former.id, made.intent.id)
    assert (entry.actor, entry.code) == (OPERATOR, "process_looked_at")
    assert (entry.from_state, entry.to_state) == ("interrupted", "interrupted")
    # Sent again it gives its record, and nothing is confirmed a second time.
    assert not prepared(database, world, "K9", LookedAt(intent_id=None)).is_new
    assert len(confirmations(database)) == 1


def test_who_is_not_asked_confirms_nothing(database: Database) -> None:
    world = database.run(add_world)
    keep(database, *interrupted(world))

    assert prepared(database, world, "K9", None).is_new
    assert confirmations(database) == []


@pytest.mark.parametrize("ended", ["failed", "never claimed", "nothing"])
def test_without_an_interruption_there_is_nothing_to_look_at(
    database: Database, ended: str
) -> None:
    world = database.run(add_world)
    waiting = an_intent(world)
    if ended == "failed":
        claimed = a_claim_of(waiting)
        keep(
            database,
            waiting,
            claimed,
            claimed.moved(IntentState.FAILED, START, error_code="X"),
        )
    if ended == "never claimed":
        keep(database, waiting, cancel(waiting, expected_version=1, now=START))

    assert prepared(database, world, "K9", LookedAt(intent_id=None)).is_new
    assert confirmations(database) == []


def test_a_comparison_that_nobody_claimed_hides_no_interruption(database: Database) -> None:
    world = database.run(add_world)
    former = keep(database, *interrupted(world, 1))
    later = an_intent(world, 2, now=START + timedelta(minutes=2))
    keep(database, later, cancel(later, expected_version=1, now=START))

    found = database.read(lambda uow: last_interrupted(uow, world.shop.binding.id))

    assert found == former


def test_after_a_restore_even_one_that_waited_is_looked_at(database: Database) -> None:
    world = database.run(add_world)
    waiting = an_intent(world)
    former = keep(database, waiting, restored(waiting, START))

    found = database.read(lambda uow: last_interrupted(uow, world.shop.binding.id))

    assert found == former


def test_a_refusal_leaves_the_interruption_of_an_expired_claim_behind(database: Database) -> None:
    world = database.run(add_world)
    waiting = an_intent(world, now=START - timedelta(hours=3))
    keep(database, waiting, a_claim_of(waiting, now=START - timedelta(hours=2)))

    def work(uow: Any) -> Any:
        done = prepare_intent(
            uow,
            world.request,
            key="K9",
            actor=OPERATOR,
            ids=CountingIds(),
            looked_at=LookedAt(intent_id=None),
        )
        assert isinstance(done, Refused)
        return done

    with pytest.raises(ProcessNotLookedAt):
        database.run(work)
    found = database.read(lambda uow: uow.intents.find(waiting.id))
    assert found is not None
    assert found.state is IntentState.INTERRUPTED
