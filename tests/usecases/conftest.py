"""A real database of either kind under the use cases; only clock and ids are the test's own."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from sqlalchemy.engine import Engine

from evenhand.core.privacy import LevelPolicy, PrivacyLevel, PrivacyPolicy
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.store.engine import create_engine
from evenhand.store.uow import Database
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Recorded
from tests.builders import RELEASE, START, row_id


class SettableClock:
    """Says the time that it was set to."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0


class CountingIds:
    """Ids in order, apart from those of `builders.row_id`."""

    def __init__(self) -> None:
        self._number = 0

    def new(self) -> str:
        self._number += 1
        return f"01990000-0000-7000-9000-{self._number:012d}"


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = create_engine(database_url)
    yield made
    made.dispose()


@pytest.fixture
def database(engine: Engine, clock: SettableClock) -> Database:
    return Database(engine, clock=clock, ids=CountingIds())


@pytest.fixture
def record(database: Database) -> Callable[..., Recorded]:
    """Store an evaluation as number *n*, by default at metadata, in a transaction of its own."""

    def _record(
        evaluation: Evaluation,
        number: int = 1,
        policy: PrivacyPolicy | PrivacyLevel = PrivacyLevel.METADATA,
    ) -> Recorded:
        applied = LevelPolicy(level=policy) if isinstance(policy, PrivacyLevel) else policy
        return database.run(
            lambda uow: evaluations.record(
                uow, evaluation, id=row_id(number), policy=applied, release=RELEASE
            )
        )

    return _record
