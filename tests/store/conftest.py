"""A migrated database of either kind, its runner, and a way to statements of one's own."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.store.engine import create_engine
from evenhand.store.evaluation_rows import record_to_row
from evenhand.store.tables import evaluation as evaluation_table
from evenhand.store.uow import Database
from tests.builders import FakeClock, a_record, an_evaluation

only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


class CountingIds:
    """Ids of retention actions: apart from `builders.row_id`, and in order."""

    def __init__(self) -> None:
        self._number = 0

    def new(self) -> str:
        self._number += 1
        return f"01990000-0000-7000-9000-{self._number:012d}"


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = create_engine(database_url)
    yield made
    made.dispose()


@pytest.fixture
def database(engine: Engine) -> Database:
    return Database(engine, clock=FakeClock(), ids=CountingIds())


@pytest.fixture
def add(database: Database) -> Callable[..., EvaluationRecord]:
    """Store an evaluation as the use case would, with explicit parts; gives its record."""

    def _add(
        evaluation: Evaluation | None = None,
        *,
        privacy: PrivacyLevel = PrivacyLevel.METADATA,
        rankings: Sequence[StoredRanking] = (),
        details: str | None = None,
        **stated: Any,
    ) -> EvaluationRecord:
        whole = evaluation or an_evaluation()
        record = a_record(whole, privacy=privacy, **stated)
        database.run(
            lambda uow: uow.evaluations.add(
                record,
                outcomes=whole.outcomes if privacy.keeps_outcomes else None,
                rankings=tuple(rankings) if privacy.keeps_run else None,
                details=details,
            )
        )
        return record

    return _add


@pytest.fixture
def insert_raw(engine: Engine) -> Callable[..., str]:
    """Insert a row that the product would not write: a record's row with other values."""

    def _insert(record: EvaluationRecord, **values: object) -> str:
        with engine.begin() as connection:
            connection.execute(
                evaluation_table.insert().values(record_to_row(record, None) | values)
            )
        return record.id

    return _insert


@pytest.fixture
def rows(engine: Engine) -> Callable[..., list[tuple[Any, ...]]]:
    """The rows that a query gives, as tuples."""

    def _rows(query: str, **values: object) -> list[tuple[Any, ...]]:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(query), values)]

    return _rows


@pytest.fixture
def execute(engine: Engine) -> Callable[..., None]:
    """Execute statements in one transaction of their own."""

    def _execute(*statements: str) -> None:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))

    return _execute
