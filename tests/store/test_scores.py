"""Graded values in the store: once written they stay, and a check computes them again."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore, build_score, graded_value
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.store.checks import find_problems
from evenhand.store.uow import Database
from tests.builders import START, a_provenance, a_score, an_evaluation

Add = Callable[..., EvaluationRecord]

EVALUATION = an_evaluation(provenance=a_provenance())


@pytest.fixture
def record(add: Add) -> EvaluationRecord:
    return add(EVALUATION)


def a_right_score(record: EvaluationRecord, measure: str) -> StoredScore:
    value = graded_value(parse_measure(measure), EVALUATION.outcomes)
    assert value is not None
    return build_score(record, value, qrels_digest=record.qrels_digest or "", scored_at=START)


def keep(database: Database, score: StoredScore) -> None:
    database.run(lambda uow: uow.scores.add(score))


def problems(engine: Engine) -> list[tuple[str, str]]:
    with engine.connect() as connection:
        return [(one.code, one.message) for one in find_problems(connection)]


def test_values_come_back_as_they_were(database: Database, record: EvaluationRecord) -> None:
    kept = [a_right_score(record, name) for name in ("AP", "nDCG@10")]
    for score in reversed(kept):
        keep(database, score)
    assert database.read(lambda uow: uow.scores.list_of(record.id)) == tuple(kept)
    assert database.read(lambda uow: uow.scores.list_of("nul\0")) == ()


def test_grades_and_digest_come_back_with_the_evaluation(
    database: Database, record: EvaluationRecord
) -> None:
    assert database.read(lambda uow: uow.evaluations.get(record.id)) == record
    stored = database.read(lambda uow: uow.evaluations.get_outcomes(record.id))
    assert stored == EVALUATION.outcomes


def test_one_measure_by_the_same_judgements_has_one_value(
    database: Database, record: EvaluationRecord
) -> None:
    keep(database, a_score(record))
    with pytest.raises(ConstraintRefused, match="pk_evaluation_score"):
        keep(database, a_score(record, mean=0.6))
    other = replace(a_score(record), qrels_digest="v1:" + "0" * 64)
    keep(database, other)
    assert len(database.read(lambda uow: uow.scores.list_of(record.id))) == 2


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"depth": 0}, "ck_evaluation_score_numbers"),
        ({"qrels_digest": "x"}, "ck_evaluation_score_qrels_digest"),
        ({"benchmark": "x"}, "ck_evaluation_score_benchmark"),
        ({"evaluation_id": "x"}, "fk|foreign key"),
    ],
)
def test_values_that_contradict_themselves_are_refused(
    database: Database, record: EvaluationRecord, change: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(ConstraintRefused, match=constraint):
        keep(database, replace(a_score(record), **change))


def test_a_purge_takes_grades_and_values_along(
    database: Database, record: EvaluationRecord, engine: Engine
) -> None:
    keep(database, a_score(record))
    database.run(lambda uow: uow.evaluations.delete(record.id, actor="test"))
    with engine.connect() as connection:
        for table in ("evaluation_score", "evaluation_grade", "evaluation_relevance"):
            count = sa.text(f"SELECT count(*) FROM {table}")  # noqa: S608 -- our tables
            assert connection.scalar(count) == 0


def test_right_values_are_no_problem(
    database: Database, record: EvaluationRecord, engine: Engine
) -> None:
    keep(database, a_right_score(record, "nDCG@10"))
    assert problems(engine) == []


def test_a_value_that_is_not_that_of_the_outcomes_is_found(
    database: Database, record: EvaluationRecord, engine: Engine
) -> None:
    keep(database, a_score(record, mean=0.25))
    assert problems(engine) == [
        ("score_value", "nDCG@10: scoring the outcomes gives another value")
    ]


def test_a_benchmark_that_is_not_that_of_the_judgements_is_found(
    database: Database, record: EvaluationRecord, engine: Engine
) -> None:
    right = a_right_score(record, "AP")
    keep(database, replace(right, benchmark="v1:" + "0" * 64))
    assert problems(engine) == [("score_benchmark", "AP: its fingerprint is another one")]


def test_grades_that_do_not_fit_are_found(add: Add, engine: Engine) -> None:
    first, *others = EVALUATION.outcomes
    add(replace(EVALUATION, outcomes=(replace(first, judged_grades=(1, 1)), *others)))
    [(code, message)] = problems(engine)
    assert (code, message[:9]) == ("grade_rule", "outcome 0")


def test_without_outcomes_values_are_kept_and_not_computed_again(
    add: Add, database: Database, engine: Engine
) -> None:
    record = add(EVALUATION, privacy=PrivacyLevel.NONE)
    keep(database, a_score(record))
    assert problems(engine) == []
