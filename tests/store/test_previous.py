from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.protocols import GRADER
from evenhand.core.verdict import VerdictState
from evenhand.store.uow import Database
from evenhand.usecases.evaluations import record
from tests.builders import RELEASE, START, a_provenance, a_record, a_set, an_evaluation, row_id

Add = Callable[..., EvaluationRecord]
Insert = Callable[..., str]


def previous(
    database: Database,
    *,
    set_identifier: str = "tiny",
    retriever: str = "fake",
    grader: str = GRADER,
) -> EvaluationRecord | None:
    return database.read(
        lambda uow: uow.evaluations.find_previous(set_identifier, retriever, grader)
    )


def run(database: Database, number: int, provenance: RetrievalProvenance | None) -> VerdictState:
    """What `evenhand run` does with a finished evaluation; gives the state it would print."""
    recorded = database.run(
        lambda uow: record(
            uow,
            an_evaluation(provenance=provenance),
            id=row_id(number),
            policy=LevelPolicy(level=PrivacyLevel.METADATA),
            release=RELEASE,
        )
    )
    return recorded.comparison.verdict.state


@pytest.mark.proves("BP-12")
def test_a_series_is_a_set_a_retriever_and_a_grader(
    add: Add, insert_raw: Insert, database: Database
) -> None:
    one = add(number=1)
    add(an_evaluation(a_set(identifier="other")), number=2)
    add(an_evaluation(identifier="other"), number=3)
    insert_raw(replace(a_record(number=4), grader="prompt_grade"))
    assert previous(database) == one
    assert previous(database, grader="prompt_grade") == replace(
        a_record(number=4), grader="prompt_grade", qrels_digest=None
    )
    assert previous(database, set_identifier="never") is None


def test_there_is_no_previous_one_of_a_name_that_cannot_be_stored(database: Database) -> None:
    assert previous(database, retriever="nul\0") is None


@pytest.mark.proves("G-11", "BP-13")
def test_the_previous_one_is_the_latest_by_time_then_by_id(add: Add, database: Database) -> None:
    add(number=9, created_at=START)
    add(number=2, created_at=START.replace(microsecond=1))
    latest = add(number=3, created_at=START.replace(microsecond=1))
    assert previous(database) == latest


@pytest.mark.proves("BP-22", "G-11")
def test_the_previous_one_is_the_preceding_and_not_the_latest_comparable(
    database: Database,
) -> None:
    one, other = a_provenance(), a_provenance(corpus="corpus-2")
    states = [run(database, number, use) for number, use in enumerate([one, other, one, one], 1)]
    assert states == [
        VerdictState.BASELINE,
        VerdictState.MISMATCH,
        VerdictState.MISMATCH,
        VerdictState.COMPARABLE,
    ]


@pytest.mark.proves("BP-25", "G-13")
def test_after_a_legacy_row_one_run_records_the_identity_and_the_next_compares(
    database: Database,
) -> None:
    states = [
        run(database, number, use)
        for number, use in enumerate([None, a_provenance(), a_provenance()], 1)
    ]
    assert states == [VerdictState.UNKNOWN, VerdictState.UNKNOWN, VerdictState.COMPARABLE]
    legacy = database.read(lambda uow: uow.evaluations.get(row_id(1)))
    assert legacy.identity is None


def test_a_damaged_identity_of_the_previous_one_makes_the_verdict_unknown(
    database: Database, insert_raw: Insert
) -> None:
    damaged: dict[str, Any] = {"benchmark_fingerprint": "v1:" + "0" * 64}
    stored = a_record(an_evaluation(provenance=a_provenance()), created_at=START)
    insert_raw(replace(stored, privacy=PrivacyLevel.NONE), **damaged)
    assert run(database, 2, a_provenance()) is VerdictState.UNKNOWN
