"""What clients may still ask, on both databases: one row that processes share."""

import threading

import pytest

from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.gateway import RateLimited
from evenhand.store.uow import Database
from evenhand.usecases.gateway.admission import admit
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START
from tests.registry_builders import Shop, add_shop

CLIENT = Shop().client.id


@pytest.fixture
def shop(database: Database) -> Database:
    database.run(add_shop)
    return database


def hold(uow: UnitOfWork) -> object:
    return uow.gateway_allowances.hold(CLIENT)


def test_a_client_that_asked_nothing_has_no_time_and_one_that_did_has_it(shop: Database) -> None:
    assert shop.run(hold) is None
    shop.run(lambda uow: uow.gateway_allowances.save(CLIENT, START))
    assert shop.run(hold) == START


def test_nobody_but_a_client_has_an_allowance(shop: Database) -> None:
    with pytest.raises(ConstraintRefused):
        shop.run(lambda uow: uow.gateway_allowances.hold("01990000-0000-7000-e000-999999999999"))


def test_a_refusal_takes_nothing_off(shop: Database) -> None:
    shop.run(lambda uow: admit(uow, client_id=CLIENT, count=10, per_minute=10))
    before = shop.run(hold)

    with pytest.raises(RateLimited) as refused:
        shop.run(lambda uow: admit(uow, client_id=CLIENT, count=5, per_minute=10))

    assert 1 <= refused.value.retry_after <= 30
    assert shop.run(hold) == before


def test_of_many_who_ask_at_once_only_as_many_as_the_limit_are_let_through(
    shop: Database,
) -> None:
    let_through: list[bool] = []
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        for _ in range(5):
            try:
                shop.run(lambda uow: admit(uow, client_id=CLIENT, count=1, per_minute=8))
            except RateLimited:
                let_through.append(False)
            else:
                let_through.append(True)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(let_through) == 20
    # One more may have been refilled while they asked.
    assert sum(let_through) in (8, 9)
