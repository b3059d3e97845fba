"""Graded measures of an evaluation's outcomes, and outcomes that get their grades later."""

from dataclasses import replace

import pytest

from evenhand.core.errors.retrieval import GradesUnknown
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.details import build_rankings
from evenhand.core.scoring.graded import (
    fresh_scores,
    graded_value,
    graded_values,
    has_grades,
    question_values,
)
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.outcome import JudgedHit, Outcome
from evenhand.core.scoring.outcome_rules import find_broken_rule
from evenhand.core.scoring.regrade import regrade
from tests.builders import a_provenance, a_question, a_set, an_evaluation

NDCG, AP, JUDGED = map(parse_measure, ("nDCG@10", "AP", "Judged@2"))
FULL = LevelPolicy(level=PrivacyLevel.FULL)


def graded_set() -> GoldenSet:
    return a_set(
        GoldenQuestion(
            id="q1",
            question="q1",
            form="match",
            expected_document_ids=["d1", "d2"],
            grades=[("d1", 3), ("d2", 1), ("d9", 0)],
        ),
        a_question("q2", "d3"),
        a_question("q3"),
        GoldenQuestion(id="q4", question="q4", form="match", unjudged=True, grades=[("d9", 0)]),
    )


def outcomes(**given: list[str] | Exception) -> tuple[Outcome, ...]:
    return an_evaluation(graded_set(), given, provenance=a_provenance()).outcomes


def without_grades(listed: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """As an earlier release kept them: each target that came back has grade 1."""
    return tuple(
        replace(
            one,
            judged_grades=None,
            judged_hits=tuple(JudgedHit(hit.rank, 1) for hit in one.judged_hits if hit.grade >= 1),
        )
        for one in listed
    )


def test_outcomes_hold_real_grades_and_those_of_all_judgements() -> None:
    first, second, none, unjudged = outcomes(q1=["d9", "d1", "x"], q2=["d3"], q4=["d9"])
    assert first.judged_hits == ((1, 0), (2, 3))
    assert (first.judged_grades, second.judged_grades) == ((3, 1, 0), (1,))
    assert (none.judged_grades, unjudged.judged_grades) == ((), (0,))
    assert (first.is_hit(1), first.is_hit(3)) == (False, True)
    assert find_broken_rule((first, second, none, unjudged)) is None


def test_the_mean_is_over_questions_with_a_relevant_document() -> None:
    value = graded_value(AP, outcomes(q1=["d1", "d2"], q2=["x", "d3"], q3=[], q4=[]))
    assert value is not None
    assert (value.mean, value.questions, value.failed) == (0.75, 2, 0)


def test_a_failed_question_counts_as_zero_and_is_told() -> None:
    listed = outcomes(q1=["d1", "d2"], q2=ValueError())
    assert [one.value for one in question_values(AP, listed)] == [1.0, None]
    value = graded_value(AP, listed)
    assert value is not None
    assert (value.mean, value.questions, value.failed) == (0.5, 2, 1)


def test_what_a_measure_speaks_of_does_not_depend_on_what_came_back() -> None:
    for given in ({}, {"q1": ["d9"]}, {"q1": ValueError(), "q2": ["x"]}):
        listed = outcomes(**given)
        assert [one.position for one in question_values(NDCG, listed)] == [0, 1]


def test_a_measure_that_speaks_of_no_question_has_no_value() -> None:
    assert graded_value(parse_measure("AP(rel=4)"), outcomes(q1=["d1"])) is None
    assert graded_values([parse_measure("AP(rel=4)"), AP], outcomes(q2=["d3"]))[0].mean == 0.5


def test_scores_of_a_fresh_evaluation_are_bound_to_its_judgements() -> None:
    known = an_evaluation(graded_set(), {"q1": ["d1"]}, provenance=a_provenance())
    ndcg, ap = fresh_scores(known, [NDCG, AP])
    assert ndcg.qrels_digest == graded_set().qrels_digest
    assert ndcg.benchmark != ap.benchmark
    unknown = an_evaluation(graded_set(), {"q1": ["d1"]})
    assert fresh_scores(unknown, [NDCG])[0].benchmark is None


def test_without_grades_there_is_no_value() -> None:
    listed = without_grades(outcomes(q1=["d1"], q2=["d3"]))
    assert not has_grades(listed)
    with pytest.raises(GradesUnknown):
        question_values(NDCG, listed)


def test_rankings_tell_which_graded_document_came_back() -> None:
    evaluation = an_evaluation(
        graded_set(), {"q1": ["d9", "d1", "x"], "q2": ValueError(), "q4": ["d9"]}
    )
    rankings = build_rankings(evaluation, FULL)
    before = without_grades(evaluation.outcomes)
    assert regrade(before, graded_set(), rankings)[:3] == evaluation.outcomes[:3]


def test_a_set_of_targets_alone_needs_no_rankings() -> None:
    evaluation = an_evaluation(a_set())
    assert regrade(without_grades(evaluation.outcomes), a_set(), None) == evaluation.outcomes


@pytest.mark.parametrize(
    ("golden_set", "why"),
    [(graded_set(), "run it again"), (a_set(a_question("q1", "d1")), "other questions")],
)
def test_grades_that_cannot_be_known_are_refused(golden_set: GoldenSet, why: str) -> None:
    with pytest.raises(GradesUnknown, match=why):
        regrade(without_grades(outcomes(q1=["d1"])), golden_set, None)


def test_rankings_of_another_run_are_refused() -> None:
    before = without_grades(outcomes(q1=["d1", "d2"]))
    others = build_rankings(an_evaluation(graded_set(), {"q1": ["d1"]}), FULL)
    with pytest.raises(GradesUnknown, match="not the one that was scored"):
        regrade(before, graded_set(), others)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"judged_grades": (1, 3, 0)}, "must not rise"),
        ({"judged_grades": (3, 0)}, "as many grades of 1 and above as targets"),
        ({"judged_hits": (JudgedHit(1, 2),)}, "a grade that no judgement has"),
    ],
)
def test_grades_that_do_not_fit_an_outcome_break_a_rule(
    change: dict[str, object], rule: str
) -> None:
    first = outcomes(q1=["d1", "d2"])[0]
    found = find_broken_rule((replace(first, **change),))  # type: ignore[arg-type]  # as the case says
    assert found is not None
    assert rule in found.rule
