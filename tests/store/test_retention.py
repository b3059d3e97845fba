"""What may leave an append-only table, what does when its time is over, and what stays."""
# ruff: noqa: S608 -- the names are those of our own tables

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError

from evenhand.contracts.ingestion import Rejection
from evenhand.core.comparison.pins import LegName
from evenhand.core.errors import InvalidText
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import DocId, QueryId
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store import retention
from evenhand.store.engine import database_file
from evenhand.store.errors import translate
from evenhand.store.tables import metadata
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import (
    START,
    a_baseline,
    a_provenance,
    a_publication,
    a_score,
    a_set,
    a_set_use,
    an_entry,
    an_evaluation,
)
from tests.comparison_builders import add_concluded, add_world
from tests.event_builders import an_event
from tests.gateway_builders import REFUSED, a_gateway_request
from tests.registry_builders import a_project
from tests.review_builders import a_kept_answer
from tests.store.conftest import only_postgresql, only_sqlite

Add = Callable[..., EvaluationRecord]
Execute = Callable[..., None]
Rows = Callable[..., list[tuple[Any, ...]]]

RANKINGS = (
    StoredRanking(
        position=0,
        query_id=QueryId(b"query-canary"),
        documents=(DocId(b"document-canary"),),
        scores=(1.0,),
    ),
)
APPEND_ONLY = (
    # Those of reviews have their own test, beside rows in each of them.
    *(
        table.name
        for category, tables in retention.PURGED.items()
        for table in tables
        if category != "review"
    ),
    "baseline",
    "baseline_grade",
    "baseline_outcome",
    "baseline_relevance",
    "set_use",
    "audit_entry",
    "suite_case",
    "suite_case_grade",
    "suite_case_target",
    "suite_revision",
    "comparison_summary",
)
CHANGES = {
    "event": "grounded = false",
    "event_outbox": "key_version = 'x'",
    "event_delivery": "sink = 'x'",
    "event_rejection": "code = 'x'",
    "comparison_leg": "leg = 'candidate'",
    "comparison_summary": "document = 'x'",
    "audit_entry": "action = 'x'",
    "baseline": "note = 'x'",
    "baseline_outcome": "latency_ms = 1",
    "set_use": "conclusion = 'x'",
    "suite_case": "critical = false",
    "suite_case_grade": "grade = 1",
    "suite_case_target": "ordinal = 9",
    "suite_revision": "set_name = 'x'",
    "evaluation": "set_name = 'x'",
    "evaluation_outcome": "latency_ms = 1",
    "evaluation_ranking": "is_scored = false",
    "evaluation_ranked_document": "score = 0",
    "evaluation_score": "mean = 1",
    "evaluation_grade": "grades = '[]'",
    "evaluation_answer": "characters = 1",
    "evaluation_relevance": "qrels_digest = 'x'",
    "evaluation_publication": "idempotency_key = 'x'",
    "baseline_grade": "grades = '[]'",
    "baseline_relevance": "qrels_digest = 'x'",
    "gateway_request": "state = 'x'",
    "gateway_attempt": "milliseconds = 1",
}


@pytest.fixture
def stored(add: Add, database: Database) -> EvaluationRecord:
    database.run(lambda uow: uow.baselines.add(a_baseline()))
    database.run(lambda uow: uow.set_uses.add(a_set_use()))
    record = add(privacy=PrivacyLevel.FULL, rankings=RANKINGS)
    database.run(lambda uow: uow.scores.add(a_score(record)))
    database.run(lambda uow: uow.answers.add(record.id, [a_kept_answer()]))
    database.run(lambda uow: uow.audit.add(an_entry()))
    world = database.run(add_world)
    database.run(lambda uow: uow.publications.add(a_publication(record)))
    database.run(lambda uow: add_concluded(uow, world, {LegName.CURRENT: record.id}))
    request = a_gateway_request(served=None, asked=None, outcome=REFUSED)
    database.run(lambda uow: uow.gateway_requests.add_all((request,)))
    database.run(add_event)
    return record


def add_event(uow: UnitOfWork) -> None:
    """One event that was delivered, and one that was refused."""
    project_id = a_project().id
    uow.events.take([an_event(1)], project_id=project_id, client_id=None, received_at=START)
    refused_event = Rejection(
        id="f" * 36,
        project_id=project_id,
        client_id=None,
        received_at=START,
        place=0,
        code="invalid_event",
        field="grounded",
    )
    uow.events.add_rejections([refused_event])
    uow.event_outbox.append(
        ["evt_1"], new_id=lambda: "e" * 36, project_id=project_id, key_version="1", at=START
    )
    uow.event_outbox.open_batch("files", row_id="b" * 36, at=START, limit=1)


def refused(execute: Execute, *statements: str) -> str | None:
    with pytest.raises(IntegrityError) as error:
        execute(*statements)
    translated = translate(error.value)
    assert isinstance(translated, ConstraintRefused)
    return translated.constraint


class TestAppendOnly:
    @pytest.mark.proves("C-16", "G-60")
    @pytest.mark.usefixtures("stored")
    @pytest.mark.parametrize("table", APPEND_ONLY)
    def test_an_update_is_refused(self, execute: Execute, table: str) -> None:
        statement = f"UPDATE {table} SET {CHANGES[table]}"
        assert refused(execute, statement) == f"append_only_{table}"

    @pytest.mark.proves("C-16", "G-60")
    @pytest.mark.usefixtures("stored")
    @pytest.mark.parametrize("table", APPEND_ONLY)
    def test_a_delete_is_refused(self, execute: Execute, table: str) -> None:
        assert refused(execute, f"DELETE FROM {table}") == f"append_only_{table}"

    @pytest.mark.usefixtures("stored")
    def test_replacing_a_row_is_refused(self, execute: Execute, engine: Engine) -> None:
        if engine.dialect.name == "sqlite":
            statement = "REPLACE INTO evaluation SELECT * FROM evaluation"
        else:
            statement = (
                "INSERT INTO evaluation SELECT * FROM evaluation"
                " ON CONFLICT (id) DO UPDATE SET set_name = 'x'"
            )
        assert refused(execute, statement) == "append_only_evaluation"

    @pytest.mark.usefixtures("stored")
    def test_emptying_a_table_at_once_is_refused(self, execute: Execute, engine: Engine) -> None:
        # SQLite has no TRUNCATE; its DELETE without a condition is no way around, either.
        verb = "DELETE FROM" if engine.dialect.name == "sqlite" else "TRUNCATE"
        statement = f"{verb} evaluation_ranked_document"
        assert refused(execute, statement) == "append_only_evaluation_ranked_document"

    @pytest.mark.usefixtures("stored")
    def test_an_action_that_is_closed_opens_nothing(
        self, database: Database, execute: Execute
    ) -> None:
        database.run(
            lambda uow: uow.evaluations.purge(before=START, category="evaluation", actor="t")
        )
        assert refused(execute, "DELETE FROM evaluation_outcome") == (
            "append_only_evaluation_outcome"
        )

    @pytest.mark.usefixtures("stored")
    def test_an_action_that_is_left_open_cannot_be_committed(
        self, execute: Execute, engine: Engine, rows: Rows
    ) -> None:
        marker = (
            "'open:x'"
            if engine.dialect.name == "sqlite"
            else "'open:' || pg_current_xact_id()::text"
        )
        columns = "(id, at, actor, rule, rows, open_marker)"
        values = f"('{'i' * 36}', '{'t' * 27}', 'a', 'r', 0, {marker})"
        constraint = refused(
            execute,
            f"INSERT INTO retention_action {columns} VALUES {values}",
            "DELETE FROM evaluation_grade",
        )
        assert constraint in ("fk_retention_action_closed", "foreign key")
        assert rows("SELECT count(*) FROM evaluation_grade") == [(4,)]
        assert rows("SELECT * FROM retention_action") == []

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM retention_action",
            "UPDATE retention_action SET actor = 'nobody'",
            "UPDATE retention_action SET rows = 7",
            "UPDATE retention_action SET open_marker = 'open:x'",
        ],
    )
    def test_the_trace_itself_cannot_be_changed(
        self, database: Database, execute: Execute, statement: str
    ) -> None:
        database.run(
            lambda uow: uow.evaluations.purge(before=START, category="evaluation", actor="t")
        )
        assert refused(execute, statement) == "append_only_retention_action"


@only_postgresql
@pytest.mark.usefixtures("stored")
def test_another_transactions_open_action_opens_nothing(engine: Engine) -> None:
    # SQLite has one writer at a time: there is no other transaction to borrow from.
    with engine.connect() as one, engine.connect() as other:
        with (
            retention.retention(one, id="i" * 36, at=START, actor="a", rule="r"),
            pytest.raises(IntegrityError),
        ):
            other.execute(sa.text("DELETE FROM evaluation_outcome"))
        one.rollback()


@only_postgresql
def test_an_action_cannot_be_opened_in_the_name_of_another_transaction(
    execute: Execute,
) -> None:
    values = f"('{'i' * 36}', '{'t' * 27}', 'a', 'r', 0, 'open:1')"
    assert refused(execute, f"INSERT INTO retention_action VALUES {values}") == (
        "append_only_retention_action"
    )


@pytest.mark.proves("BP-30")
def test_purge_deletes_what_is_strictly_older(add: Add, database: Database) -> None:
    kept = [add(number=2, created_at=START), add(number=3)]
    add(number=1, created_at=START - timedelta(microseconds=1))
    purged = database.run(
        lambda uow: uow.evaluations.purge(before=START, category="evaluation", actor="t")
    )
    left = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert purged == 1
    assert left == (kept[1], kept[0])


@pytest.mark.parametrize("number", [0, 2])
def test_purge_leaves_who_by_which_rule_and_how_many(
    add: Add, database: Database, rows: Rows, number: int
) -> None:
    for one in range(number):
        add(number=one, created_at=START)
    database.run(
        lambda uow: uow.evaluations.purge(
            before=START + timedelta(days=1), category="evaluation", actor="tester"
        )
    )
    assert rows("SELECT actor, rule, rows, open_marker FROM retention_action") == [
        ("tester", "purge:evaluation", number, None)
    ]


def test_delete_takes_one_evaluation_and_leaves_a_trace(
    add: Add, database: Database, rows: Rows
) -> None:
    gone, kept = add(number=1), add(number=2)
    database.run(lambda uow: uow.evaluations.delete(gone.id, actor="tester"))
    with pytest.raises(EvaluationNotFound):
        database.read(lambda uow: uow.evaluations.get(gone.id))
    assert database.read(lambda uow: uow.evaluations.get_outcomes(kept.id)) is not None
    assert rows("SELECT actor, rule, rows FROM retention_action") == [
        ("tester", "delete:evaluation", 1)
    ]


def test_an_actor_that_cannot_be_stored_deletes_nothing(add: Add, database: Database) -> None:
    record = add()
    with pytest.raises(InvalidText):
        database.run(lambda uow: uow.evaluations.delete(record.id, actor="a\0"))
    assert database.read(lambda uow: uow.evaluations.get(record.id)) == record


@pytest.mark.proves("BP-30")
def test_every_table_is_purged_or_exempt_with_a_reason() -> None:
    purged = {table.name for tables in retention.PURGED.values() for table in tables}
    assert purged | retention.EXEMPT.keys() == metadata.tables.keys()
    assert purged.isdisjoint(retention.EXEMPT)
    assert all(len(reason) > 20 for reason in retention.EXEMPT.values())


def test_what_hangs_on_a_purged_table_is_purged_before_it() -> None:
    for category, tables in retention.PURGED.items():
        if category == "gateway_request":
            # Whatever else refers to a request holds it (test_gateway_purge).
            assert tables == (metadata.tables["gateway_attempt"], metadata.tables[category])
            continue
        order = [table.name for table in tables]
        for table in metadata.tables.values():
            for key in table.foreign_keys:
                parent = key.column.table.name
                if parent in order and parent != table.name:
                    assert order.index(table.name) < order.index(parent)


@pytest.mark.proves("BP-30", "BP-20")
def test_nothing_of_a_purged_evaluation_remains_in_any_table(
    add: Add, database: Database, rows: Rows
) -> None:
    record = add(
        an_evaluation(a_set(name="name-canary"), provenance=a_provenance(corpus="corpus-canary")),
        privacy=PrivacyLevel.FULL,
        rankings=RANKINGS,
        details="details-canary",
    )

    def dump() -> str:
        return repr([rows(f"SELECT * FROM {table}") for table in metadata.tables])

    canaries = [record.id, "query-canary", "name-canary", "corpus-canary", "details-canary"]
    before = dump()
    assert [canary for canary in canaries if canary not in before] == []
    database.run(
        lambda uow: uow.evaluations.purge(
            before=START + timedelta(days=1), category="evaluation", actor="t"
        )
    )
    after = dump()
    assert [canary for canary in canaries if canary in after] == []


def test_a_purge_of_evaluations_leaves_baselines_and_the_ledger_as_they_were(
    add: Add, database: Database
) -> None:
    evaluation = an_evaluation(provenance=a_provenance())
    record = add(evaluation)
    pinned, use = a_baseline(evaluation), a_set_use()
    assert pinned.evaluation_id == record.id
    database.run(lambda uow: uow.baselines.add(pinned))
    database.run(lambda uow: uow.set_uses.add(use))
    database.run(
        lambda uow: uow.evaluations.purge(
            before=START + timedelta(days=1), category="evaluation", actor="t"
        )
    )
    with pytest.raises(EvaluationNotFound):
        database.read(lambda uow: uow.evaluations.get(record.id))
    assert database.read(lambda uow: uow.baselines.find_active("tiny", "fake")) == pinned
    assert database.read(lambda uow: uow.set_uses.list_latest(use.labels_fingerprint, 9)) == (use,)


@only_sqlite
def test_the_bytes_of_what_was_deleted_are_no_longer_in_the_files(
    add: Add, database: Database, engine: Engine
) -> None:
    provenance: RetrievalProvenance = a_provenance(corpus="corpus-canary")
    add(
        an_evaluation(provenance=provenance),
        privacy=PrivacyLevel.FULL,
        rankings=RANKINGS,
        details="details-canary",
    )
    file = database_file(str(engine.url))
    assert file is not None

    def bytes_on_disk() -> bytes:
        return b"".join(path.read_bytes() for path in sorted(file.parent.glob(f"{file.name}*")))

    canaries = (b"corpus-canary", b"query-canary", b"document-canary", b"details-canary")
    assert all(canary in bytes_on_disk() for canary in canaries)
    database.run(
        lambda uow: uow.evaluations.purge(
            before=START + timedelta(days=1), category="evaluation", actor="t"
        )
    )
    assert not any(canary in bytes_on_disk() for canary in canaries)


@only_sqlite
def test_a_foreign_tool_without_the_pragmas_is_refused_as_well(add: Add, engine: Engine) -> None:
    add()
    file = database_file(str(engine.url))
    assert file is not None
    with (
        closing(sqlite3.connect(file)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append_only_evaluation"),
    ):
        connection.execute("UPDATE evaluation SET set_name = 'x'")
