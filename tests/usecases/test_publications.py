"""Two calls with one key in two processes: the database lets one in, the other looks again."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.engine import Engine

from evenhand.adapters.system import UuidV7Ids
from evenhand.core.access.roles import Principal
from evenhand.core.errors.publication import IdempotencyConflict
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.store.engine import create_engine
from evenhand.store.uow import Database
from evenhand.usecases import publications
from evenhand.usecases.ports import Ids
from evenhand.usecases.publications import Published, Report
from tests.builders import RELEASE
from tests.event_builders import an_emitter
from tests.store.conftest import only_postgresql
from tests.usecases.conftest import SettableClock
from tests.usecases.test_privacy_canaries import PLAIN
from tests.usecases.test_publication_canaries import a_report
from tests.usecases.test_publication_canaries import principal as principal


class Interrupted:
    """Ids whose first one comes only after something else was done."""

    def __init__(self, first: Callable[[], Any]) -> None:
        self._first: Callable[[], Any] | None = first
        self._ids = UuidV7Ids()

    def new(self) -> str:
        if self._first is not None:
            first, self._first = self._first, None
            first()
        return self._ids.new()


def published(database: Database, principal: Principal, report: Report, ids: Ids) -> Published:
    return publications.once(
        database,
        lambda uow: publications.publish(
            uow,
            report,
            project="search",
            principal=principal,
            ids=ids,
            policy=LevelPolicy(level=PrivacyLevel.METADATA),
            release=RELEASE,
            emitter=an_emitter(ids),
        ),
    )


@pytest.fixture
def beside(database_url: str, clock: SettableClock) -> Any:
    """Another process on the same database."""
    engine: Engine = create_engine(database_url)
    yield Database(engine, clock=clock, ids=UuidV7Ids())
    engine.dispose()


@only_postgresql
@pytest.mark.proves("G-44")
def test_of_two_calls_with_one_key_the_slower_finds_what_the_other_stored(
    database: Database, beside: Database, principal: Principal
) -> None:
    report, quick = a_report(PLAIN), UuidV7Ids()
    won: list[Published] = []
    # The key was looked up, and is taken before the row is written.
    slow = Interrupted(lambda: won.append(published(beside, principal, report, quick)))

    found = published(database, principal, report, slow)

    assert (won[0].is_new, found.is_new) == (True, False)
    assert found.record == won[0].record
    stored = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert [one.id for one in stored] == [found.record.id]


@only_postgresql
@pytest.mark.proves("G-44")
def test_the_slower_call_with_another_input_conflicts(
    database: Database, beside: Database, principal: Principal
) -> None:
    quick = UuidV7Ids()
    slow = Interrupted(lambda: published(beside, principal, a_report(PLAIN), quick))

    with pytest.raises(IdempotencyConflict):
        published(database, principal, a_report(PLAIN, digest="1" * 64), slow)
