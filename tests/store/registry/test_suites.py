"""Rows of suites and of their revisions: what comes back, what is refused, who is first of two."""
# ruff: noqa: S608 -- the names are those of our own tables

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.registry import NameTaken, RegisteredNotFound, VersionConflict
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.store.errors import translate
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START, row_id
from tests.registry_builders import a_project
from tests.store.conftest import only_sqlite
from tests.suite_builders import a_case_question, a_frozen_suite, a_suite

Execute = Callable[..., None]
Rows = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def database(database: Database) -> Database:
    """With the project that suites belong to by default."""
    database.run(lambda uow: uow.projects.add(a_project()))
    return database


def add(database: Database, *added: Suite | FrozenSuite) -> None:
    for one in added:
        database.run(partial(_add, one))


def _add(one: Suite | FrozenSuite, uow: UnitOfWork) -> None:
    if isinstance(one, Suite):
        uow.suites.add(one)
    else:
        uow.suites.add_revision(one)


def refused(execute: Execute, statement: str) -> str | None:
    with pytest.raises(IntegrityError) as error:
        execute(statement)
    translated = translate(error.value)
    assert isinstance(translated, ConstraintRefused)
    return translated.constraint


# Suites -------------------------------------------------------------------------------------


def test_a_suite_comes_back_with_every_field(database: Database) -> None:
    suite = a_suite()
    add(database, suite)
    assert database.read(lambda uow: uow.suites.find(suite.id)) == suite
    ended = suite.changed(active=False, expected_version=1)
    database.run(lambda uow: uow.suites.save(ended))
    assert database.run(lambda uow: uow.suites.get_locked(suite.id)) == ended
    named = database.read(lambda uow: uow.suites.find_named("release", project_id=a_project().id))
    assert named == ended
    for nowhere in (row_id(9), "a\0"):
        with pytest.raises(RegisteredNotFound) as error:
            database.run(lambda uow, it=nowhere: uow.suites.get_locked(it))  # type: ignore[misc]
        assert error.value.code == "suite_not_found"


def test_a_name_is_taken_once_in_a_project(database: Database) -> None:
    other = a_project(2)
    database.run(lambda uow: uow.projects.add(other))
    add(database, a_suite(), a_suite(2, of=other, name="release"))
    with pytest.raises(NameTaken) as error:
        add(database, a_suite(3, name="release"))
    # PostgreSQL's message repeats the row.
    assert error.value.__context__ is None


def test_a_suite_belongs_to_a_project_that_is_there(database: Database) -> None:
    with pytest.raises(ConstraintRefused) as error:
        add(database, a_suite(of=a_project(9)))
    assert error.value.constraint in ("fk_suite_project", "foreign key")


def test_a_change_of_another_version_is_refused(database: Database) -> None:
    suite = a_suite()
    add(database, suite)
    ended = suite.changed(active=False, expected_version=1)
    database.run(lambda uow: uow.suites.save(ended))
    with pytest.raises(VersionConflict):
        database.run(lambda uow: uow.suites.save(ended))


def test_suites_are_listed_newest_first_and_go_on_behind_a_place(database: Database) -> None:
    one, two, three = suites = [a_suite(number) for number in (1, 2, 3)]
    add(database, *suites)

    def listed(**chosen: Any) -> tuple[Suite, ...]:
        return database.read(lambda uow: uow.suites.list_latest(**chosen))

    assert listed(limit=9) == (three, two, one)
    assert listed(project_id=one.project_id, limit=2) == (three, two)
    place = (two.created_at, two.id)
    assert listed(project_id=one.project_id, limit=9, after=place) == (one,)
    assert listed(project_id=row_id(9), limit=9) == ()


# Revisions ----------------------------------------------------------------------------------


@pytest.mark.proves("G-72")
def test_a_revision_comes_back_with_every_case_and_label(database: Database) -> None:
    frozen = a_frozen_suite(
        a_case_question(b"q\xff", b"d\xff", "d1", hard_class=b"\xfe", answer_gist="there"),
        a_case_question("q1", critical=True, form="gap"),
        a_case_question("q2", "d2", "d3", grades=[("d2", 2), ("d3", 1), ("d4", -1)]),
        settings={"a": [1, 1.0, None, True, "ä"], "b": {}},
    )
    add(database, a_suite(), frozen)
    found = database.read(lambda uow: uow.suites.find_revision(frozen.revision.id))
    assert found == frozen
    assert found is not None
    assert found.golden_set == frozen.golden_set
    assert found.project_id == a_suite().project_id
    assert found.content.digest == frozen.revision.content_digest
    assert database.read(lambda uow: uow.suites.find_facts(frozen.revision.id)) == frozen.revision


def test_what_froze_it_comes_back(database: Database) -> None:
    whole = a_frozen_suite()
    by = Actor(kind=ActorKind.OPERATOR, id=row_id(7))
    frozen = replace(whole, revision=replace(whole.revision, frozen_by=by))
    add(database, a_suite(), frozen)
    found = database.read(lambda uow: uow.suites.find_facts(frozen.revision.id))
    assert found == frozen.revision


def test_a_revision_is_found_by_its_content_in_its_suite_only(database: Database) -> None:
    one, other = a_suite(), a_suite(2)
    frozen = a_frozen_suite(suite=one)
    add(database, one, other, frozen)
    digest = frozen.revision.content_digest

    def found(suite: Suite, content: str) -> object:
        return database.read(lambda uow: uow.suites.find_by_content(suite.id, content))

    assert found(one, digest) == frozen.revision
    assert found(other, digest) is None
    assert found(one, "0" * 64) is None
    # Equal content may stand in both.
    add(database, a_frozen_suite(number=2, suite=other))


def test_cases_are_read_in_pages(database: Database) -> None:
    frozen = a_frozen_suite()
    add(database, a_suite(), frozen)

    def listed(after: int, limit: int) -> object:
        return database.read(
            lambda uow: uow.suites.list_cases(frozen.revision.id, after=after, limit=limit)
        )

    assert listed(-1, 2) == frozen.cases[:2]
    assert listed(1, 2) == frozen.cases[2:]
    assert listed(2, 2) == ()
    assert database.read(lambda uow: uow.suites.list_cases("a\0", after=-1, limit=2)) == ()


def test_a_case_has_its_place_in_its_own_revision_only(database: Database) -> None:
    frozen = a_frozen_suite()
    add(database, a_suite(), frozen)
    last = frozen.cases[-1]

    def place(revision_id: str, case_id: str) -> object:
        return database.read(lambda uow: uow.suites.find_position(revision_id, case_id))

    assert place(frozen.revision.id, last.case_id) == last.position
    assert place(row_id(99), last.case_id) is None
    assert place(frozen.revision.id, "a\0") is None


def test_revisions_are_listed_newest_first_and_counted(database: Database) -> None:
    frozen = [a_frozen_suite(a_case_question(f"q{number}"), number=number) for number in (1, 2, 3)]
    add(database, a_suite(), *frozen)
    one, two, three = (each.revision for each in frozen)
    suite_id = a_suite().id

    def listed(**chosen: Any) -> object:
        return database.read(lambda uow: uow.suites.list_revisions(suite_id, **chosen))

    assert listed(limit=9) == (three, two, one)
    assert listed(limit=1, after=(three.created_at, three.id)) == (two,)
    assert database.read(lambda uow: uow.suites.count_revisions(suite_id)) == 3
    assert database.read(lambda uow: uow.suites.list_revisions("a\0", limit=9)) == ()


def test_content_and_number_are_taken_once_in_a_suite(database: Database) -> None:
    add(database, a_suite(), a_frozen_suite())
    for again, constraint in (
        (a_frozen_suite(number=2), "uq_suite_revision_suite_id_content_digest"),
        (
            replace(
                other := a_frozen_suite(a_case_question("x"), number=2),
                revision=replace(other.revision, number=1),
            ),
            "uq_suite_revision_suite_id_number",
        ),
    ):
        with pytest.raises(ConstraintRefused) as error:
            add(database, again)
        assert error.value.constraint == constraint


@pytest.mark.proves("C-16")
@pytest.mark.parametrize("row", ["case", "target", "grade", "case of other count"])
def test_a_whole_revision_takes_no_further_row(
    database: Database, execute: Execute, engine: Engine, row: str
) -> None:
    frozen = a_frozen_suite(a_case_question("q1", "d1", grades=[("d1", 2)]))
    add(database, a_suite(), frozen)
    revision_id = frozen.revision.id
    blob = "CAST('x' AS BLOB)" if engine.dialect.name == "sqlite" else "CAST('x' AS BYTEA)"

    def case(position: int, count: int) -> str:
        return (
            f"INSERT INTO suite_case VALUES ('{revision_id}', {position}, {count}, '{row_id(9)}',"
            f" {blob}, {blob}, 'match', NULL, NULL, false, true, '{{}}', 0, 0)"
        )

    foreign_key = {
        "sqlite": {"case": "foreign key", "target": "foreign key", "grade": "foreign key"},
        "postgresql": {
            "case": "fk_suite_case_suite_revision",
            "target": "fk_suite_case_target_suite_case",
            "grade": "fk_suite_case_grade_suite_case",
        },
    }[engine.dialect.name]
    below = f"INSERT INTO suite_case_{{}} VALUES ('{revision_id}', 0, 1, {{}}, {blob}{{}})"
    for statement, constraint in {
        "case": [(case(1, 1), "ck_suite_case_position")],
        "case of other count": [(case(1, 2), foreign_key["case"])],
        "target": [
            (below.format("target", 1, ""), "ck_suite_case_target_ordinal"),
            (below.format("target", 2, ""), foreign_key["target"]),
        ],
        "grade": [
            (below.format("grade", 1, ", 1"), "ck_suite_case_grade_ordinal"),
            (below.format("grade", 2, ", 1"), foreign_key["grade"]),
        ],
    }[row]:
        assert refused(execute, statement) == constraint
    assert database.read(lambda uow: uow.suites.find_revision(revision_id)) == frozen


@pytest.mark.proves("C-17", "C-18")
def test_the_database_knows_how_many_cases_there_are_and_that_they_are_reviewed(
    database: Database,
) -> None:
    whole = a_frozen_suite(a_case_question("q1"))
    add(database, a_suite())
    [case] = whole.cases
    unreviewed = replace(case, question=replace(case.question, reviewed=False))
    with pytest.raises(ConstraintRefused) as error:
        add(database, replace(whole, cases=(unreviewed,)))
    assert error.value.constraint == "ck_suite_case_reviewed"
    for number in (0, 101):
        few = replace(whole.revision, case_count=number, critical_count=0)
        with pytest.raises(ConstraintRefused) as error:
            add(
                database,
                replace(
                    whole,
                    revision=few,
                    cases=tuple(
                        replace(case, position=at, case_id=row_id(at)) for at in range(number)
                    ),
                ),
            )
        assert error.value.constraint == "ck_suite_revision_case_count"


def test_of_two_who_take_a_name_at_once_one_is_refused(database: Database) -> None:
    together = threading.Barrier(2)
    done: list[str] = []

    def take(number: int) -> None:
        together.wait(timeout=60)
        try:
            add(database, a_suite(number, name="release"))
            done.append("made")
        except EvenhandError as error:
            done.append(error.code)

    threads = [threading.Thread(target=take, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(done) == ["made", "name_taken"]


# What db check says -------------------------------------------------------------------------

SUITE = f"suite {a_suite().id}"
REVISION = f"suite revision {a_frozen_suite().revision.id}"


def an_entry(object_kind: str, object_id: str, number: int = 1) -> AuditEntry:
    return AuditEntry(
        id=row_id(number),
        at=START + timedelta(hours=number),
        actor=Actor(kind=ActorKind.COMMAND_LINE),
        action="create",
        object_kind=object_kind,
        object_id=object_id,
        to_state="active",
    )


@pytest.fixture
def told(database: Database) -> FrozenSuite:
    """A suite with a revision, both of which the audit tells of."""
    frozen = a_frozen_suite()
    add(database, a_suite(), frozen)
    database.run(lambda uow: uow.audit.add(an_entry("suite", a_suite().id)))
    database.run(lambda uow: uow.audit.add(an_entry("suite_revision", frozen.revision.id, 2)))
    return frozen


def findings(url: str) -> list[tuple[str, str]]:
    # What they belong to is no part of these tests, so no entry tells of it.
    found = ((one.code, one.subject) for one in check(url))
    return [one for one in found if one[1].startswith("suite")]


@pytest.mark.usefixtures("told")
def test_a_suite_and_a_revision_that_are_whole_are_clean(database_url: str) -> None:
    assert findings(database_url) == []


def test_what_the_audit_does_not_tell_of_is_found(database: Database, database_url: str) -> None:
    add(database, a_suite(), a_frozen_suite())
    assert findings(database_url) == [("audit_missing", SUITE), ("audit_missing", REVISION)]


@pytest.mark.usefixtures("told")
def test_a_change_that_the_audit_does_not_tell_of_is_found(
    execute: Execute, database_url: str
) -> None:
    execute("UPDATE suite SET active = false, version = 2")
    assert findings(database_url) == [("audit_missing", SUITE)]


@pytest.mark.usefixtures("told")
def test_a_suite_that_does_not_read_back_is_found(execute: Execute, database_url: str) -> None:
    execute("UPDATE suite SET name = 'Not a name'")
    assert findings(database_url) == [("suite_unreadable", SUITE)]


@only_sqlite
@pytest.mark.proves("C-16", "C-91")
@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ("suite_case SET question = CAST('x' AS BLOB)", ["content_digest", "labels_fingerprint"]),
        ("suite_case SET answer_gist = CAST('x' AS BLOB)", ["content_digest"]),
        ("suite_case SET question = 'x'", ["suite_revision_unreadable"]),
        ("suite_case SET label_provenance = '{}'", ["suite_revision_unreadable"]),
        ("suite_case SET critical = true", ["content_digest", "count"]),
        ("suite_case_target SET document_id = CAST(ordinal AS BLOB) WHERE position = 0",
         ["content_digest", "labels_fingerprint"]),
        ("suite_revision SET retrieval_settings = '{\"top_k\":11}'",
         ["retrieval_config", "content_digest"]),
        ("suite_revision SET retrieval_settings = '{\"top_k\": 10}'",
         ["suite_revision_unreadable"]),
        ("suite_revision SET retrieval_settings = '{\"top_k\":NaN}'",
         ["suite_revision_unreadable"]),
        (f"suite_revision SET corpus_sha256 = '{'b' * 64}'", ["content_digest", "suite_corpus"]),
        (f"suite_revision SET retrieval_config_sha256 = '{'b' * 64}'", ["retrieval_config"]),
        ("suite_revision SET critical_count = 2", ["count"]),
        ("suite_revision SET number = 2", ["revision_number"]),
    ],
)  # fmt: skip
def test_what_was_frozen_and_is_another_now_is_found(
    engine: Engine, rows: Rows, database_url: str, change: str, codes: list[str]
) -> None:
    table = change.split()[0]
    guard = f"tr_{table}_no_update"
    [(made,)] = rows("SELECT sql FROM sqlite_master WHERE name = :guard", guard=guard)
    with engine.begin() as connection:
        for statement in (f"DROP TRIGGER {guard}", f"UPDATE {change}", made):
            connection.exec_driver_sql(statement)
    subject = SUITE if codes == ["revision_number"] else REVISION
    assert findings(database_url) == [(code, subject) for code in codes]


@pytest.mark.usefixtures("told")
def test_a_case_that_is_missing_is_found(
    database: Database, execute: Execute, engine: Engine, database_url: str
) -> None:
    case = a_frozen_suite().cases[2]
    with engine.begin() as connection:
        marker = (
            "open:x"
            if engine.dialect.name == "sqlite"
            else "open:"
            + connection.execute(sa.text("SELECT pg_current_xact_id()::text")).scalar_one()
        )
        connection.execute(
            sa.text("INSERT INTO retention_action VALUES (:id, :at, 'a', 'r', 0, :marker)"),
            {"id": row_id(8), "at": "2026-09-01T00:00:00.000000Z", "marker": marker},
        )
        connection.execute(
            sa.text("DELETE FROM suite_case WHERE position = :at"), {"at": case.position}
        )
        connection.execute(sa.text("UPDATE retention_action SET open_marker = NULL"))
    assert findings(database_url) == [("suite_revision_unreadable", REVISION)]
