"""Lists that go on: behind a time and an id, or behind a position."""

from collections.abc import Callable
from datetime import datetime

import pytest
from sqlalchemy.engine import Engine

from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.uow import Database
from evenhand.usecases.ports.browsing import EvaluationFilter
from tests.builders import START, a_baseline, an_evaluation, row_id
from tests.store.conftest import only_sqlite
from tests.store.test_indexes import explained

Add = Callable[..., EvaluationRecord]


def page(
    database: Database, limit: int, after: EvaluationRecord | None, retriever: str | None = None
) -> list[EvaluationRecord]:
    place = None if after is None else (after.created_at, after.id)
    return list(
        database.read(
            lambda uow: uow.evaluations.list_latest(
                set_identifier=None, retriever=retriever, limit=limit, after=place
            )
        )
    )


def all_pages(database: Database, limit: int, retriever: str | None = None) -> list[str]:
    found: list[EvaluationRecord] = []
    while more := page(database, limit, found[-1] if found else None, retriever):
        found += more
    return [record.id for record in found]


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_pages_over_equal_times_hold_every_row_once(
    database: Database, add: Add, limit: int
) -> None:
    for number in range(1, 8):
        add(number=number, created_at=START)

    assert all_pages(database, limit) == [row_id(number) for number in range(7, 0, -1)]


def test_pages_go_from_the_newest_to_the_oldest(database: Database, add: Add) -> None:
    # The ids against the times: the time decides.
    for number in range(1, 6):
        add(number=6 - number)

    assert all_pages(database, 2) == [row_id(number) for number in range(5, 0, -1)]


def test_pages_of_a_retriever_hold_nothing_else(database: Database, add: Add) -> None:
    for number in range(1, 7):
        add(an_evaluation(identifier="odd" if number % 2 else "even"), number=number)

    assert all_pages(database, 2, "odd") == [row_id(5), row_id(3), row_id(1)]


@only_sqlite
def test_a_page_far_behind_is_found_by_the_index(
    engine: Engine, database: Database, add: Add
) -> None:
    last = add(number=3)
    with explained() as plans:
        page(database, 3, last)

    assert plans[0] == "SEARCH evaluation USING INDEX ix_evaluation_time ((created_at,id)<(?,?))"


@pytest.mark.parametrize(("after", "limit", "positions"), [(-1, 9, [0, 1, 2, 3]), (1, 1, [2])])
def test_outcomes_go_on_behind_a_position(
    database: Database, add: Add, after: int, limit: int, positions: list[int]
) -> None:
    add(number=1)
    found = database.read(
        lambda uow: uow.evaluations.list_outcomes(row_id(1), after=after, limit=limit)
    )
    whole = database.read(lambda uow: uow.evaluations.get_outcomes(row_id(1)))

    assert found is not None
    assert whole is not None
    assert [outcome.position for outcome in found] == positions
    assert found == tuple(whole[position] for position in positions)


def test_outcomes_that_were_not_kept_are_none_of_any_page(database: Database, add: Add) -> None:
    add(number=1, privacy=PrivacyLevel.NONE)

    assert (
        database.read(lambda uow: uow.evaluations.list_outcomes(row_id(1), after=-1, limit=9))
        is None
    )
    with pytest.raises(EvaluationNotFound):
        database.read(lambda uow: uow.evaluations.list_outcomes(row_id(2), after=-1, limit=9))


def test_oldest_come_first_and_go_on_behind_a_place(database: Database, add: Add) -> None:
    for number in range(1, 6):
        add(number=number, created_at=START)

    def read(after: tuple[datetime, str] | None) -> tuple[EvaluationRecord, ...]:
        return database.read(
            lambda uow: uow.evaluation_pages.list_oldest(EvaluationFilter(), limit=3, after=after)
        )

    first = read(None)
    rest = read((first[-1].created_at, first[-1].id))
    assert [one.id for one in (*first, *rest)] == [row_id(number) for number in range(1, 6)]


def test_sets_and_retrievers_with_results_are_named_once_in_order(
    database: Database, add: Add
) -> None:
    for number, name in enumerate(("b", "a", "b", "c", "a"), 1):
        add(an_evaluation(identifier=name), number=number)

    pages = database.read(
        lambda uow: (
            uow.evaluation_pages.list_retrievers(9),
            uow.evaluation_pages.list_retrievers(2),
            uow.evaluation_pages.list_set_identifiers(9),
        )
    )
    assert pages == (("a", "b", "c"), ("a", "b"), ("tiny",))


def test_no_result_has_no_names(database: Database) -> None:
    assert database.read(lambda uow: uow.evaluation_pages.list_retrievers(9)) == ()


def test_text_that_no_database_can_hold_is_equal_to_nothing(database: Database, add: Add) -> None:
    add()
    wanted = EvaluationFilter(retriever="fa\0ke")
    found = database.read(
        lambda uow: uow.evaluation_pages.list_newest(wanted, limit=9, after=None)
    )

    assert found == ()


def test_baseline_of_a_series_is_the_newest_without_its_outcomes(database: Database) -> None:
    for number in (1, 2):
        database.run(lambda uow, n=number: uow.baselines.add(a_baseline(number=n, note=f"n{n}")))  # type: ignore[misc]
    entry = database.read(lambda uow: uow.evaluation_pages.find_baseline("tiny", "fake"))
    whole = database.read(lambda uow: uow.baselines.find_active("tiny", "fake"))

    assert entry is not None
    assert whole is not None
    assert (entry.id, entry.note, entry.identity) == (whole.id, "n2", whole.identity)
    assert (entry.counts, entry.depth, entry.basis) == (whole.counts, whole.depth, whole.basis)
    assert database.read(lambda uow: uow.evaluation_pages.find_baseline("tiny", "other")) is None
