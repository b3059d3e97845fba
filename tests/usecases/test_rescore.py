"""Scoring a stored evaluation anew, from what was kept of it."""

from dataclasses import replace

import pytest

from evenhand.core.errors.retrieval import GradesUnknown
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.details import build_rankings
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.core.scoring.graded import fresh_scores
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.store.uow import Database
from evenhand.usecases.rescore import Rescored, rescore
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation, row_id
from tests.core.scoring.test_graded import graded_set, without_grades

NDCG, AP = parse_measure("nDCG@10"), parse_measure("AP")
FULL = PrivacyLevel.FULL


def an_older(
    database: Database, evaluation: Evaluation, privacy: PrivacyLevel = PrivacyLevel.METADATA
) -> EvaluationRecord:
    """Store an evaluation as an earlier release did, without grades."""
    record = replace(a_record(evaluation, privacy=privacy), qrels_digest=None)
    rankings = build_rankings(evaluation, LevelPolicy(level=privacy))
    database.run(
        lambda uow: uow.evaluations.add(
            record,
            outcomes=without_grades(evaluation.outcomes) if privacy.keeps_outcomes else None,
            rankings=rankings,
            details=None,
        )
    )
    return record


def scored(
    database: Database, record: EvaluationRecord, golden_set: GoldenSet | None = None
) -> Rescored:
    return database.run(
        lambda uow: rescore(uow, record, [NDCG, AP], id=row_id(900), golden_set=golden_set)
    )


def evaluated(golden_set: GoldenSet) -> Evaluation:
    return an_evaluation(golden_set, provenance=a_provenance())


def test_older_results_of_targets_alone_are_scored_with_their_set(database: Database) -> None:
    evaluation = evaluated(a_set())
    done = scored(database, an_older(database, evaluation), a_set())
    fresh = fresh_scores(evaluation, [NDCG, AP])
    assert [one.value for one in done.scores] == [one.value for one in fresh]
    assert [one.benchmark for one in done.scores] == [one.benchmark for one in fresh]
    assert done.added == 2


def test_older_results_of_graded_sets_are_scored_from_their_rankings(database: Database) -> None:
    evaluation = evaluated(graded_set())
    done = scored(database, an_older(database, evaluation, FULL), graded_set())
    fresh = fresh_scores(evaluation, [NDCG, AP])
    assert [one.value for one in done.scores] == [one.value for one in fresh]


def test_values_that_are_there_stay_as_they_are(database: Database) -> None:
    record = an_older(database, evaluated(a_set()))
    first = scored(database, record, a_set())
    again = scored(database, record, a_set())
    assert (again.scores, again.added) == (first.scores, 0)


@pytest.mark.parametrize(
    ("golden_set", "at_hand", "why"),
    [
        (a_set(), None, "name the golden set"),
        (a_set(), a_set(a_question("q1", "d9")), "other labels"),
        (graded_set(), graded_set(), "nor its rankings"),
    ],
)
def test_what_is_not_known_is_refused_with_the_reason(
    database: Database, golden_set: GoldenSet, at_hand: GoldenSet | None, why: str
) -> None:
    record = an_older(database, evaluated(golden_set))
    with pytest.raises(GradesUnknown, match=why):
        scored(database, record, at_hand)


def test_labels_that_are_not_known_equal_nothing(database: Database) -> None:
    record = an_older(database, an_evaluation(a_set()))
    with pytest.raises(GradesUnknown, match="by which labels"):
        scored(database, record, a_set())


def test_without_outcomes_there_is_nothing_to_score(database: Database) -> None:
    record = an_older(database, evaluated(a_set()), PrivacyLevel.NONE)
    with pytest.raises(GradesUnknown, match="privacy level none"):
        scored(database, record, a_set())
