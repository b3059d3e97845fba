"""Events are stored once, whatever comes beside; queries read them through the contract's view."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.contracts.contract import FOLDER, shipped_contract
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.events import Event
from evenhand.contracts.lint import case_paths, case_window, differences, load_case
from evenhand.contracts.trusted import ask, load_question, question_names
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.event import EventConflict
from evenhand.store.checks import find_problems
from evenhand.store.event_rows import COLUMNS
from evenhand.store.uow import Database
from tests.builders import START
from tests.event_builders import an_event
from tests.registry_builders import a_project
from tests.store.conftest import only_sqlite

PROJECT = a_project().id
#: Below and above the number from which PostgreSQL copies.
SIZES = (3, 80)


@pytest.fixture
def take(database: Database) -> Callable[..., list[Any]]:
    database.run(lambda uow: uow.projects.add(a_project()))

    def _take(*events: Event, project_id: str = PROJECT) -> list[Any]:
        found = database.run(
            lambda uow: uow.events.take(
                events, project_id=project_id, client_id=None, received_at=START
            )
        )
        return [one.code if isinstance(one, EventConflict) else one for one in found]

    return _take


@pytest.mark.proves("E-12", "E-43", "G-64")
@pytest.mark.parametrize("size", SIZES)
def test_an_event_is_stored_once_however_often_it_comes(
    size: int, take: Callable[..., list[Any]], rows: Callable[..., list[Any]]
) -> None:
    events = [an_event(number) for number in range(size)]

    assert take(*events) == [True] * size
    assert take(*events, an_event(size), an_event(size)) == [False] * size + [True, False]
    assert rows("SELECT COUNT(*) FROM event") == [(size + 1,)]


@pytest.mark.proves("G-64", "E-12")
@pytest.mark.parametrize("size", SIZES)
def test_another_payload_under_an_id_is_a_conflict_and_the_first_stays(
    size: int, take: Callable[..., list[Any]], database: Database
) -> None:
    events = [an_event(number) for number in range(size)]
    take(*events)

    found = take(an_event(1, retrieval_score=0.12), *events[2:])

    assert found == ["event_conflict"] + [False] * (size - 2)
    stored = database.read(lambda uow: uow.events.find(PROJECT, "evt_1"))
    assert stored is not None
    assert stored.event == an_event(1)


@pytest.mark.proves("E-07", "E-39", "G-63")
@pytest.mark.parametrize("size", SIZES)
def test_a_second_id_for_one_grain_is_a_conflict(
    size: int, take: Callable[..., list[Any]], rows: Callable[..., list[Any]]
) -> None:
    take(an_event(1))
    more = [an_event(number) for number in range(2, size)]

    found = take(an_event(900, evaluation_id="eval_1"), *more)

    assert found == ["grain_conflict"] + [True] * len(more)
    assert rows("SELECT COUNT(*) FROM event") == [(1 + len(more),)]
    assert take(an_event(901, evaluation_id="eval_x"), an_event(902, evaluation_id="eval_x")) == [
        True,
        "grain_conflict",
    ]


def test_one_batch_may_hold_everything_at_once(take: Callable[..., list[Any]]) -> None:
    take(an_event(1), an_event(2))
    found = take(
        an_event(3),
        an_event(1),
        an_event(2, grounded=False),
        an_event(3, grounded=False),
        an_event(4, evaluation_id="eval_3"),
        an_event(3),
    )
    assert found == [True, False, "event_conflict", "event_conflict", "grain_conflict", False]


@pytest.mark.proves("G-63", "G-64")
@pytest.mark.parametrize("size", SIZES)
def test_of_one_grain_under_two_ids_the_first_that_was_sent_stays(
    size: int, take: Callable[..., list[Any]], rows: Callable[..., list[Any]]
) -> None:
    more = [an_event(number) for number in range(size)]
    later = an_event(event_id="evt_z", evaluation_id="eval_one")
    other = an_event(event_id="evt_a", evaluation_id="eval_one")

    assert take(later, *more, other) == [True] * (size + 1) + ["grain_conflict"]
    assert rows("SELECT event_id FROM event WHERE evaluation_id = 'eval_one'") == [("evt_z",)]


def test_another_project_has_ids_and_grains_of_its_own(
    take: Callable[..., list[Any]], database: Database
) -> None:
    database.run(lambda uow: uow.projects.add(a_project(2)))
    assert take(an_event()) == [True]
    assert take(an_event(), project_id=a_project(2).id) == [True]


@pytest.mark.proves("E-12", "E-43")
def test_of_two_that_store_at_once_one_stores_each_event(
    take: Callable[..., list[Any]], rows: Callable[..., list[Any]]
) -> None:
    events = [an_event(number) for number in range(80)]
    results: list[list[Any]] = []
    threads = [
        threading.Thread(target=lambda part=part: results.append(take(*part)))
        for part in (events, events[::-1])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert rows("SELECT COUNT(*) FROM event") == [(80,)]
    assert sum(one is True for found in results for one in found) == 80
    assert sum(one is False for found in results for one in found) == 80


CASES = [
    pytest.param(name, path, id=f"{name}-{path.stem}")
    for name in question_names()
    for path in case_paths(FOLDER, name)
]


@pytest.mark.proves("E-03", "E-37", "G-70")
@pytest.mark.parametrize(("name", "path"), CASES)
def test_a_case_has_its_answer_in_the_database(
    name: str, path: Path, take: Callable[..., list[Any]], database: Database
) -> None:
    case = load_case(path)
    take(*(decode_event(one) for one in case.events))

    answer = database.read(lambda uow: ask(load_question(name), case_window(case), uow.events.ask))

    rows = [{**one.of, **one.measures} for one in answer.groups]
    assert differences(case.rows, rows) == []


@pytest.mark.proves("G-69", "E-39")
def test_the_view_has_the_fields_of_the_contract_and_whose_they_are(
    take: Callable[..., list[Any]], database: Database
) -> None:
    take(an_event())
    with database.engine.connect() as connection:
        relation = shipped_contract().relation
        found = connection.execute(sa.text(f"SELECT * FROM {relation}"))  # noqa: S608 -- ours
        assert tuple(found.keys()) == ("project_id", *shipped_contract().names)


def test_events_are_walked_by_time_within_a_window(
    take: Callable[..., list[Any]], database: Database
) -> None:
    times = ["2026-07-29T00:00:00Z", "2026-07-28T23:59:59.999999Z", "2026-07-30T00:00:00Z"]
    events = [an_event(number, timestamp_utc=at) for number, at in enumerate(times)]
    take(*events)
    window = case_window(load_case(case_paths(FOLDER, "duration")[1]))

    assert database.read(lambda uow: list(uow.events.walk(None, project_id=None))) == [
        events[1],
        events[0],
        events[2],
    ]
    assert database.read(lambda uow: list(uow.events.walk(window, project_id=PROJECT))) == [
        events[0]
    ]
    assert database.read(lambda uow: uow.events.count(window, project_id=PROJECT)) == 1
    assert database.read(lambda uow: uow.events.count(None, project_id="other")) == 0


@pytest.mark.proves("G-69", "E-43")
@pytest.mark.parametrize(
    "change", ["retrieval_score = 0.9", "grounded = false", "received_at = timestamp_utc"]
)
def test_an_event_does_not_change(
    change: str, take: Callable[..., list[Any]], execute: Callable[..., None]
) -> None:
    take(an_event())
    with pytest.raises(sa.exc.DatabaseError, match="append_only"):
        execute(f"UPDATE event SET {change}")  # noqa: S608 -- of this test
    with pytest.raises(sa.exc.DatabaseError, match="append_only"):
        execute("DELETE FROM event")


@pytest.mark.proves("E-32", "G-71")
def test_deletion_takes_an_account_s_events_and_all_that_hangs_on_them(
    take: Callable[..., list[Any]], database: Database, rows: Callable[..., list[Any]]
) -> None:
    take(an_event(1), an_event(2, account_id="acct_2"))
    _emit(database, "evt_1")
    deleted = database.run(
        lambda uow: uow.event_retention.delete_account(
            "acct_1", project_id=None, row_id=_id(90), at=START, actor="operator"
        )
    )

    assert deleted == 1
    assert rows("SELECT event_id FROM event") == [("evt_2",)]
    assert rows("SELECT COUNT(*) FROM event_outbox") == [(0,)]
    assert rows("SELECT COUNT(*) FROM event_delivery") == [(0,)]
    assert rows("SELECT rule, rows FROM retention_action") == [("delete:event-account", 1)]


@pytest.mark.proves("E-32", "G-71")
def test_what_came_before_a_day_is_purged_and_what_came_on_it_stays(
    take: Callable[..., list[Any]], database: Database, rows: Callable[..., list[Any]]
) -> None:
    take(an_event(1, timestamp_utc="9999-12-31T23:59:59Z"))

    def _purge(number: int, days: int) -> int:
        return database.run(
            lambda uow: uow.event_retention.delete_older(
                START + timedelta(days=days), row_id=_id(number), at=START, actor="operator"
            )
        )

    assert _purge(91, 0) == 0
    assert _purge(92, 1) == 1
    assert rows("SELECT COUNT(*) FROM event") == [(0,)]


def _id(number: int) -> str:
    return f"01990000-0000-7000-9100-{number:012d}"


def _emit(database: Database, *event_ids: str) -> None:
    def work(uow: Any) -> None:
        new_id = map(_id, range(len(event_ids))).__next__
        uow.event_outbox.append(
            event_ids, new_id=new_id, project_id=PROJECT, key_version="1", at=START
        )
        uow.event_outbox.open_batch("files", row_id=_id(50), at=START, limit=10)

    database.run(work)


@pytest.mark.proves("E-43")
def test_an_event_is_emitted_once(take: Callable[..., list[Any]], database: Database) -> None:
    take(an_event(1))
    _emit(database, "evt_1")
    with pytest.raises(ConstraintRefused):
        _emit(database, "evt_1")
    with pytest.raises(ConstraintRefused):
        _emit(database, "evt_none")


def test_db_check_finds_what_does_not_hold_together(
    take: Callable[..., list[Any]], database: Database, execute: Callable[..., None]
) -> None:
    take(an_event(1))
    _emit(database, "evt_1")
    kind = "BYTEA" if database.engine.dialect.name == "postgresql" else "BLOB"
    values = dict.fromkeys(COLUMNS, "'x'") | {
        "project_id": "'nowhere'",
        "event_id": "'evt_9'",
        "timestamp_utc": "'2026-07-29T10:12:43.000000Z'",
        "received_at": "'2026-07-29T10:12:43.000000Z'",
        "retrieval_score": "0.5",
        "grounded": "true",
        "duration_ms": "1",
        "accepted": "NULL",
        "outcome": "NULL",
        "prompt_version": "NULL",
        "benchmark": "NULL",
        "review_stratum": "NULL",
        "client_id": "NULL",
        "grain_digest": f"CAST('{'0' * 32}' AS {kind})",
    }
    execute(
        f"INSERT INTO event ({', '.join(values)}) VALUES ({', '.join(values.values())})",  # noqa: S608 -- of this test
        f"INSERT INTO event ({', '.join(values)}) VALUES ("  # noqa: S608 -- of this test
        + ", ".join(
            (
                values
                | {
                    "event_id": "'evt_8'",
                    "account_id": "'jane@example.com'",
                    "grain_digest": f"CAST('{'1' * 32}' AS {kind})",
                }
            ).values()
        )
        + ")",
        "UPDATE event_delivery_batch SET sink = 'other'",
    )
    with database.engine.connect() as connection:
        found = find_problems(connection)
    codes = [one.code for one in found if one.code.startswith("event")]

    assert sorted(codes) == ["event_delivery", "event_grain", "event_orphan", "event_unreadable"]


@only_sqlite
def test_the_secret_of_an_installation_is_made_once(database: Database) -> None:
    database.run(lambda uow: uow.instance_secrets.add("pseudonym", 1, b"a" * 32, at=START))
    database.run(lambda uow: uow.instance_secrets.add("pseudonym", 1, b"b" * 32, at=START))
    database.run(lambda uow: uow.instance_secrets.add("pseudonym", 2, b"c" * 32, at=START))
    found = database.read(lambda uow: uow.instance_secrets.find_latest("pseudonym"))
    assert found == (2, b"c" * 32)
    assert database.read(lambda uow: uow.instance_secrets.find_latest("cookie")) is None
