from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.errors import InvalidText
from evenhand.core.errors.database import ConstraintRefused, DatabaseUnavailable
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START, a_baseline, a_provenance, a_question, a_set, an_evaluation


def add(database: Database, *baselines: PinnedBaseline) -> None:
    for one in baselines:
        database.run(partial(_add, one))


def _add(added: PinnedBaseline, uow: UnitOfWork) -> None:
    uow.baselines.add(added)


def active(database: Database, set_identifier: str, retriever: str) -> PinnedBaseline | None:
    return database.read(lambda uow: uow.baselines.find_active(set_identifier, retriever))


def of(set_identifier: str, retriever: str, number: int) -> PinnedBaseline:
    evaluation = an_evaluation(
        a_set(identifier=set_identifier), provenance=a_provenance(), identifier=retriever
    )
    return a_baseline(evaluation, number=number)


def test_a_baseline_comes_back_with_every_field(database: Database) -> None:
    questions = a_set(
        a_question("q1", "d1"), a_question("q2"), a_question("q3", "d2"), a_question("q4", "d4")
    )
    given: dict[str, Any] = {"q1": ["x", "d1"], "q2": ["x"], "q3": ValueError(), "q4": []}
    evaluation = an_evaluation(questions, given, provenance=a_provenance(execution="git-1"))
    pinned = a_baseline(evaluation, note="the release of September", actor="somebody")
    add(database, pinned)
    assert active(database, "tiny", "fake") == pinned


def test_a_baseline_from_a_file_has_no_evaluation(database: Database) -> None:
    pinned = replace(a_baseline(), evaluation_id=None)
    add(database, pinned)
    assert active(database, "tiny", "fake") == pinned


def test_the_newest_of_a_set_and_retriever_is_active(database: Database) -> None:
    newest = a_baseline(number=1, set_at=START + timedelta(days=2))
    older = a_baseline(number=2, set_at=START + timedelta(days=1))
    add(database, newest, older)
    assert active(database, "tiny", "fake") == newest


def test_of_two_that_were_set_at_one_time_the_higher_id_is_active(database: Database) -> None:
    one, other = a_baseline(number=1, set_at=START), a_baseline(number=2, set_at=START)
    add(database, other, one)
    assert active(database, "tiny", "fake") == other


@pytest.mark.parametrize("asked", [("other", "fake"), ("tiny", "other"), ("tiny\0", "fake")])
def test_another_series_has_no_baseline(database: Database, asked: tuple[str, str]) -> None:
    add(database, a_baseline())
    assert active(database, *asked) is None


def test_the_active_ones_are_listed_by_set_and_retriever(database: Database) -> None:
    rows = [of("b", "one", 1), of("a", "two", 2), of("a", "one", 3), of("b", "one", 4)]
    add(database, *rows)
    listed = database.read(lambda uow: uow.baselines.list_active())
    assert listed == (rows[2], rows[1], rows[3])


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((None, None), (4, 3, 2, 1)),
        (("b", None), (4, 1)),
        (("a", "one"), (3,)),
        ((None, "one"), (4, 3, 1)),
        (("\0", None), ()),
    ],
)
def test_history_is_kept_newest_first(
    database: Database, asked: tuple[str | None, str | None], expected: tuple[int, ...]
) -> None:
    rows = {1: of("b", "one", 1), 2: of("a", "two", 2), 3: of("a", "one", 3), 4: of("b", "one", 4)}
    add(database, *rows.values())
    set_identifier, retriever = asked
    found = database.read(
        lambda uow: uow.baselines.history(
            set_identifier=set_identifier, retriever=retriever, limit=9
        )
    )
    assert found == tuple(rows[number] for number in expected)


def test_history_ends_at_its_limit(database: Database) -> None:
    add(database, *(a_baseline(number=number) for number in range(1, 4)))
    found = database.read(
        lambda uow: uow.baselines.history(set_identifier=None, retriever=None, limit=2)
    )
    assert [one.id for one in found] == [a_baseline(number=n).id for n in (3, 2)]


def test_an_id_that_is_taken_is_refused(database: Database) -> None:
    add(database, a_baseline())
    with pytest.raises(ConstraintRefused) as error:
        add(database, a_baseline())
    assert error.value.constraint == "pk_baseline"


def test_numbers_that_contradict_each_other_are_refused(database: Database) -> None:
    pinned = a_baseline()
    wrong = replace(pinned, counts=replace(pinned.counts, top1_hits=0))
    with pytest.raises(ConstraintRefused) as error:
        add(database, wrong)
    assert error.value.constraint == "ck_baseline_counts_consistent"


@pytest.mark.parametrize("field", ["actor", "note"])
def test_a_text_that_no_database_holds_is_refused(database: Database, field: str) -> None:
    changed: dict[str, Any] = {field: "a\0"}
    with pytest.raises(InvalidText):
        add(database, replace(a_baseline(), **changed))
    assert active(database, "tiny", "fake") is None


def test_an_identity_that_does_not_read_back_is_never_compared_with(
    database: Database, engine: Engine
) -> None:
    add(database, a_baseline())
    with engine.begin() as connection:
        # Written by hand: the product writes fingerprints of the declaration only.
        row = dict(connection.execute(sa.text("SELECT * FROM baseline")).mappings().one())
        row |= {"id": "i" * 36, "set_at": "3" * 27, "benchmark_fingerprint": "v1:" + "0" * 64}
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        connection.execute(sa.text(f"INSERT INTO baseline ({names}) VALUES ({marks})"), row)  # noqa: S608 -- names of our table
    with pytest.raises(DatabaseUnavailable) as error:
        active(database, "tiny", "fake")
    assert error.value.code == "database_damaged"
