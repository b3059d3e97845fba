"""What `evenhand db check` finds, each time in a database that holds one thing that is wrong."""
# ruff: noqa: S608 -- ids of rows that the test itself has made

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import DocId
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.store.engine import database_file
from evenhand.store.migrate import check
from evenhand.store.retention import retention
from evenhand.store.uow import Database
from tests.builders import (
    START,
    a_baseline,
    a_provenance,
    a_question,
    a_record,
    a_set,
    a_set_use,
    an_evaluation,
)
from tests.review_builders import a_kept_answer
from tests.store.conftest import only_sqlite

Add = Callable[..., EvaluationRecord]
Insert = Callable[..., str]
Execute = Callable[..., None]


def codes(url: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.subject) for finding in check(url)]


def as_bytes(url: str, text: str) -> str:
    """The SQL of some bytes; SQLite would keep a text where bytes belong."""
    return f"CAST('{text}' AS {'BLOB' if url.startswith('sqlite') else 'BYTEA'})"


def rankings_of(*questions: str) -> tuple[StoredRanking, ...]:
    return tuple(
        StoredRanking(
            position=position,
            query_id=a_question(question).id,
            documents=(DocId(b"d1"), DocId(b"d2")),
            scores=None,
        )
        for position, question in enumerate(questions)
    )


def store(database: Database, record: EvaluationRecord, outcomes: tuple[Outcome, ...]) -> None:
    database.run(
        lambda uow: uow.evaluations.add(record, outcomes=outcomes, rankings=None, details=None)
    )


def test_a_database_with_sound_content_is_clean(
    add: Add, database: Database, database_url: str
) -> None:
    given: dict[str, Any] = {"q1": ["d1"], "q2": ValueError(), "q5": KeyError()}
    questions = a_set(
        a_question("q1", "d1"),
        a_question("q2", "d2"),
        a_question("q4", unjudged=True),
        a_question("q5", unjudged=True),
        a_question("q3"),
    )
    evaluation = an_evaluation(questions, given, provenance=a_provenance())
    full = tuple(
        replace(one, position=at)
        for one, at in zip(rankings_of("q1", "q3", "q4"), (0, 2, 3), strict=True)
    )
    add(evaluation, number=1, privacy=PrivacyLevel.FULL, rankings=full, details="[]")
    for number, privacy in enumerate(list(PrivacyLevel)[:3], 2):
        add(evaluation, number=number, privacy=privacy)
    database.run(lambda uow: uow.golden_sets.save(questions, imported_at=START))
    database.run(lambda uow: uow.evaluations.purge(before=START, category="evaluation", actor="t"))
    assert check(database_url) == []


def test_outcomes_that_are_missing_are_found(insert_raw: Insert, database_url: str) -> None:
    identifier = insert_raw(a_record(privacy=PrivacyLevel.METADATA))
    assert codes(database_url) == [("outcome_number", f"evaluation {identifier}")]


def test_outcomes_at_level_none_are_found(
    insert_raw: Insert, execute: Execute, database_url: str
) -> None:
    identifier = insert_raw(a_record(privacy=PrivacyLevel.NONE))
    execute(
        "INSERT INTO evaluation_outcome (evaluation_id, position, state, targets, retrieved,"
        f" \"window\", judged_hits) VALUES ('{identifier}', 0, 'scored', 0, 0, 0, '[]')"
    )
    assert codes(database_url) == [("outcome_number", f"evaluation {identifier}")]


def test_a_gap_between_positions_is_found(database: Database, database_url: str) -> None:
    evaluation = an_evaluation()
    record = a_record(evaluation, privacy=PrivacyLevel.METADATA)
    gap = tuple(replace(outcome, position=outcome.position * 2) for outcome in evaluation.outcomes)
    store(database, record, gap)
    assert codes(database_url) == [("outcome_position", f"evaluation {record.id}")]


def test_numbers_that_are_not_those_of_the_outcomes_are_found_and_named(
    database: Database, database_url: str
) -> None:
    evaluation = an_evaluation()
    record = a_record(evaluation, privacy=PrivacyLevel.METADATA)
    first, *others = evaluation.outcomes
    missed = replace(first, judged_hits=())
    store(database, record, (missed, *others))
    [finding] = check(database_url)
    assert finding.code == "count"
    assert finding.message.endswith(
        "top1_hits, top3_hits, answerable_top1_hits, answerable_top3_hits"
    )


def test_judged_hits_that_do_not_read_back_are_found(
    insert_raw: Insert, execute: Execute, database_url: str
) -> None:
    identifier = insert_raw(a_record(privacy=PrivacyLevel.METADATA))
    execute(
        "INSERT INTO evaluation_outcome (evaluation_id, position, state, targets, retrieved,"
        f" \"window\", judged_hits) VALUES ('{identifier}', 0, 'scored', 0, 0, 0, '[[1]')"
    )
    assert codes(database_url) == [("unreadable", f"evaluation {identifier}")]


@pytest.mark.parametrize(
    "rankings",
    [
        rankings_of("q1", "q2", "q3"),
        (*rankings_of("q1", "q2", "q3"), replace(rankings_of("q4")[0], position=7)),
    ],
    ids=["one too few", "another position"],
)
def test_rankings_that_do_not_match_the_questions_are_found(
    add: Add, database_url: str, rankings: tuple[StoredRanking, ...]
) -> None:
    record = add(privacy=PrivacyLevel.FULL, rankings=rankings)
    assert codes(database_url) == [("ranking_number", f"evaluation {record.id}")]


def test_a_ranking_of_a_failed_question_is_found(add: Add, database_url: str) -> None:
    evaluation = an_evaluation(given={"q1": ValueError()})
    record = add(
        evaluation, privacy=PrivacyLevel.FULL, rankings=rankings_of("q1", "q2", "q3", "q4")
    )
    assert codes(database_url) == [("ranking_number", f"evaluation {record.id}")]


def test_rankings_below_full_are_found(add: Add, execute: Execute, database_url: str) -> None:
    record = add(privacy=PrivacyLevel.REDACTED)
    query = as_bytes(database_url, "q")
    execute(f"INSERT INTO evaluation_ranking VALUES ('{record.id}', 0, {query}, false)")
    assert codes(database_url) == [("ranking_number", f"evaluation {record.id}")]


@pytest.mark.parametrize(
    ("level", "row", "code"),
    [
        (PrivacyLevel.NONE, "0, '{}', 3, NULL", "answer_permitted"),
        (PrivacyLevel.REDACTED, "0, '{}', 3, 'yes'", "answer_permitted"),
        (PrivacyLevel.METADATA, "99, '{}', 3, NULL", "answer_position"),
    ],
)
def test_answers_that_may_not_be_there_are_found(
    add: Add, execute: Execute, database_url: str, level: PrivacyLevel, row: str, code: str
) -> None:
    record = add(privacy=level)
    assert codes(database_url) == []
    values = f"'{record.id}', {row.format('0' * 64)}, NULL, NULL"
    execute(f"INSERT INTO evaluation_answer VALUES ({values})")
    assert codes(database_url) == [(code, f"evaluation {record.id}")]


@pytest.mark.parametrize(
    ("level", "text"), [(PrivacyLevel.NONE, None), (PrivacyLevel.METADATA, "yes")]
)
def test_answers_are_refused_where_the_level_keeps_less(
    add: Add, database: Database, level: PrivacyLevel, text: str | None
) -> None:
    record, answer = add(privacy=level), a_kept_answer(text=text)
    with pytest.raises(ValueError, match="privacy level"):
        database.run(lambda uow: uow.answers.add(record.id, [answer]))
    with pytest.raises(EvaluationNotFound):
        database.run(lambda uow: uow.answers.add("f" * 36, [answer]))


def test_rankings_out_of_byte_order_are_found(add: Add, database_url: str) -> None:
    record = add(privacy=PrivacyLevel.FULL, rankings=rankings_of("q1", "q3", "q2", "q4"))
    assert codes(database_url) == [("ranking_order", f"evaluation {record.id}")]


def test_a_gap_between_ranks_is_found(add: Add, execute: Execute, database_url: str) -> None:
    record = add(privacy=PrivacyLevel.FULL, rankings=rankings_of("q1", "q2", "q3", "q4"))
    execute(f"INSERT INTO evaluation_ranked_document VALUES ('{record.id}', 0, 9, 'd', NULL)")
    assert codes(database_url) == [("rank", f"evaluation {record.id}")]


def test_fingerprints_that_do_not_recompute_are_found(
    insert_raw: Insert, database_url: str
) -> None:
    record = a_record(an_evaluation(provenance=a_provenance()), privacy=PrivacyLevel.NONE)
    identifier = insert_raw(record, benchmark_fingerprint="v1:" + "0" * 64)
    assert codes(database_url) == [("identity_unreadable", f"evaluation {identifier}")]


def test_a_set_whose_labels_were_changed_is_found(
    database: Database, execute: Execute, database_url: str
) -> None:
    database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=START))
    other = as_bytes(database_url, "other")
    execute(f"UPDATE golden_target SET document_id = {other} WHERE question_ordinal = 0")
    assert codes(database_url) == [("labels_fingerprint", "golden set tiny")]


def test_a_set_that_does_not_read_back_is_found(
    database: Database, execute: Execute, database_url: str
) -> None:
    database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=START))
    execute(f"UPDATE golden_question SET id = {as_bytes(database_url, 'q1')}")
    assert codes(database_url) == [("set_unreadable", "golden set tiny")]


@only_sqlite
def test_an_open_retention_action_is_found(engine: Engine, database_url: str) -> None:
    file = database_file(str(engine.url))
    assert file is not None
    # Without foreign keys, as another tool would write.
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO retention_action VALUES (?, ?, 'a', 'r', 0, 'open:x')",
            ("i" * 36, "t" * 27),
        )
    assert ("open_retention", f"retention action {'i' * 36}") in codes(database_url)


@only_sqlite
def test_a_row_without_its_parent_is_found(engine: Engine, database_url: str) -> None:
    file = database_file(str(engine.url))
    assert file is not None
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO evaluation_ranking VALUES (?, 0, CAST('q' AS BLOB), 0)", ("i" * 36,)
        )
    assert codes(database_url) == [("orphan", "table evaluation_ranking")]


@only_sqlite
def test_a_damaged_page_is_found(add: Add, engine: Engine, database_url: str) -> None:
    add(an_evaluation(a_set(*(a_question(f"q{n:03d}", "d") for n in range(400)))))
    file = database_file(str(engine.url))
    assert file is not None
    engine.dispose()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [(page,)] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'evaluation_outcome'"
        )
        [(size,)] = connection.execute("PRAGMA page_size")
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size + 8)
        opened.write(b"\xff" * 200)
    assert {code for code, _ in codes(database_url)} == {"integrity"}


@only_sqlite
def test_a_query_id_that_is_text_is_found(add: Add, execute: Execute, database_url: str) -> None:
    record = add(privacy=PrivacyLevel.FULL, rankings=rankings_of("q1", "q2", "q3"))
    execute(f"INSERT INTO evaluation_ranking VALUES ('{record.id}', 3, 'q4', false)")
    assert codes(database_url) == [("unreadable", f"evaluation {record.id}")]


@only_sqlite
def test_text_where_bytes_belong_is_found(
    database: Database, execute: Execute, database_url: str
) -> None:
    database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=START))
    execute("UPDATE golden_target SET document_id = 'other' WHERE question_ordinal = 0")
    assert codes(database_url) == [("set_unreadable", "golden set tiny")]


def test_a_finding_repeats_no_text_of_a_question(
    database: Database, execute: Execute, database_url: str
) -> None:
    golden_set = a_set(a_question("canary-id", "canary-target", text="canary-text"))
    database.run(lambda uow: uow.golden_sets.save(golden_set, imported_at=START))
    execute(f"UPDATE golden_target SET document_id = {as_bytes(database_url, 'canary-other')}")
    assert "canary" not in repr(check(database_url))


def test_an_outcome_that_failed_without_a_class_cannot_be_stored(
    database: Database, rows: Callable[..., list[tuple[Any, ...]]]
) -> None:
    evaluation = an_evaluation()
    failed = replace(evaluation.outcomes[0], state=OutcomeState.FAILED)
    record = a_record(evaluation, privacy=PrivacyLevel.METADATA)
    with pytest.raises(Exception, match="ck_evaluation_outcome_failure"):
        store(database, record, (failed, *evaluation.outcomes[1:]))
    assert rows("SELECT * FROM evaluation") == []


def test_a_check_changes_nothing(add: Add, engine: Engine, database_url: str) -> None:
    add()
    tables = ("evaluation", "evaluation_outcome", "retention_action", "schema_lineage")

    def dump() -> list[object]:
        with engine.connect() as connection:
            return [connection.execute(sa.text(f"SELECT * FROM {name}")).all() for name in tables]

    before = dump()
    check(database_url)
    assert dump() == before


BASELINE = "baseline 01990000-0000-7000-a000-000000000001"


def add_baseline(database: Database, pinned: PinnedBaseline) -> None:
    database.run(lambda uow: uow.baselines.add(pinned))


def test_sound_baselines_and_a_sound_ledger_are_clean(
    database: Database, database_url: str
) -> None:
    given: dict[str, Any] = {"q1": ["d1"], "q2": ValueError()}
    questions = a_set(
        a_question("q1", "d1"), a_question("q2", "d2"), a_question("q3", unjudged=True)
    )
    evaluation = an_evaluation(questions, given, provenance=a_provenance())
    add_baseline(database, a_baseline(evaluation))
    database.run(lambda uow: uow.set_uses.add(a_set_use()))
    assert check(database_url) == []


@pytest.mark.parametrize(
    ("code", "outcomes"),
    [
        ("outcome_number", lambda given: given[:-1]),
        ("outcome_rule", lambda given: (replace(given[0], position=9), *given[1:])),
        ("outcome_rule", lambda given: (replace(given[0], targets=0), *given[1:])),
        ("count", lambda given: (replace(given[0], judged_hits=()), *given[1:])),
    ],
    ids=["one too few", "a gap", "more hits than targets", "another count"],
)
def test_outcomes_of_a_baseline_that_are_not_its_own_are_found(
    database: Database,
    database_url: str,
    code: str,
    outcomes: Callable[[tuple[Outcome, ...]], tuple[Outcome, ...]],
) -> None:
    pinned = a_baseline()
    add_baseline(database, replace(pinned, outcomes=outcomes(pinned.outcomes)))
    assert codes(database_url) == [(code, BASELINE)]


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("provenance", "{}", "identity_unreadable"),
        ("provenance", "no JSON", "identity_unreadable"),
        ("benchmark_fingerprint", "v1:x", "identity_unreadable"),
        ("variant_fingerprint", "v1:x", "identity_unreadable"),
    ],
)
def test_an_identity_of_a_baseline_that_does_not_read_back_is_found(
    database: Database, engine: Engine, database_url: str, column: str, value: str, code: str
) -> None:
    add_baseline(database, a_baseline())
    change(engine, f"UPDATE baseline SET {column} = '{value}'")
    assert codes(database_url) == [(code, BASELINE)]


def test_judged_hits_of_a_baseline_that_do_not_read_back_are_found(
    database: Database, engine: Engine, database_url: str
) -> None:
    add_baseline(database, a_baseline())
    change(engine, "UPDATE baseline_outcome SET judged_hits = '[[1]' WHERE position = 0")
    assert codes(database_url) == [("unreadable", BASELINE)]


@pytest.mark.parametrize(
    "values",
    ["evaluation_ids = 'x'", "conclusion = 'Very good'", f"labels_fingerprint = '{'x' * 67}'"],
)
def test_an_entry_of_the_ledger_that_does_not_read_back_is_found(
    database: Database, engine: Engine, database_url: str, values: str
) -> None:
    use = a_set_use()
    database.run(lambda uow: uow.set_uses.add(use))
    change(engine, f"UPDATE set_use SET {values}")
    assert codes(database_url) == [("set_use_unreadable", f"set use {use.id}")]


def change(engine: Engine, statement: str) -> None:
    """Change an append-only table, as only retention may."""
    with (
        engine.begin() as connection,
        retention(connection, id="i" * 36, at=START, actor="a", rule="r"),
    ):
        connection.execute(sa.text(statement))
