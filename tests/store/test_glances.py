"""Reads without a thread and without a wait: the same values, and never older than the question."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.gateway.call import Target
from evenhand.store.uow import Database
from evenhand.usecases.ports import NotAtHand, UnitOfWork
from tests.builders import a_credential
from tests.hub.conftest import only_sqlite
from tests.registry_builders import Shop, add_shop

SHOP = Shop()


@pytest.fixture
def filled(database: Database) -> Database:
    database.run(lambda uow: uow.credentials.add(a_credential()))
    database.run(add_shop)
    return database


def looked_up(uow: UnitOfWork) -> tuple[Any, ...]:
    """What every request to the gateway looks up."""
    return (
        uow.credentials.find_by_digest(a_credential().digest),
        uow.service_clients.find_in_force(SHOP.client.id),
        targets(uow),
        uow.gateway_targets.list_for_all(SHOP.route.name, of=None),
        uow.gateway_targets.list_for_all(SHOP.route.name, of=SHOP.project.name),
    )


def targets(uow: UnitOfWork) -> tuple[Target, ...]:
    return uow.gateway_targets.list_for_client(SHOP.client.id, SHOP.route.name)


@only_sqlite
def test_at_a_glance_it_is_what_it_is_the_long_way(filled: Database) -> None:
    found = filled.glance(looked_up)

    assert found == filled.read(looked_up)
    assert all(found)


@only_sqlite
def test_what_another_connection_commits_is_seen_by_the_next(
    filled: Database, engine: Engine
) -> None:
    assert filled.glance(targets)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE route SET active = 0, version = version + 1"))

    assert not filled.glance(targets)


@only_sqlite
def test_where_it_would_have_to_wait_it_says_so_and_later_works_again(filled: Database) -> None:
    filled.glance(targets)
    filled.close()
    file = filled.engine.url.database
    with closing(sqlite3.connect(str(file), isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(NotAtHand):
            filled.glance(targets)

    assert filled.glance(targets)


@only_sqlite
def test_it_can_change_nothing(filled: Database) -> None:
    def change(uow: Any) -> None:
        uow._connection.driver.execute("DELETE FROM route")

    with pytest.raises(NotAtHand):
        filled.glance(change)
    assert filled.glance(targets)


def test_a_server_is_never_at_hand(filled: Database) -> None:
    if filled.engine.dialect.name == "sqlite":
        assert filled.glance(targets)
        return
    with pytest.raises(NotAtHand):
        filled.glance(targets)
