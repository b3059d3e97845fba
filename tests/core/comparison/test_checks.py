"""Self-checks: what makes one doubt two results, whatever the verdict."""

from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.comparison.checks import (
    CheckCode,
    SelfCheck,
    Which,
    not_deterministic,
    outside_corpus,
    side_checks,
)
from evenhand.core.comparison.side import Side, fresh_side
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.details import build_rankings
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.scoring.outcome import JudgedHit
from tests.builders import an_evaluation
from tests.core.comparison.pairs import FORTY, a_result, answers, compared


def with_rankings(evaluation: Evaluation) -> Side:
    policy = LevelPolicy(level=PrivacyLevel.FULL)
    return fresh_side(evaluation, rankings=build_rankings(evaluation, policy))


def codes(current: Side, candidate: Side) -> list[CheckCode]:
    return [one.code for one in side_checks(current, candidate)]


def test_equal_fingerprints_with_other_rankings_are_found_and_counted() -> None:
    current, candidate = with_rankings(a_result()), with_rankings(a_result(answers(range(3))))
    assert side_checks(current, candidate) == (
        SelfCheck(
            code=CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS, which=Which.BOTH, count=3, total=44
        ),
    )
    assert codes(current, current) == []


@pytest.mark.parametrize(
    "labels",
    [{"model": "other"}, {"chunking": "other"}, {"pipeline": "other"}, {"corpus": "other"}],
    ids=str,
)
def test_other_rankings_under_other_labels_are_expected(labels: dict[str, Any]) -> None:
    changed = with_rankings(a_result(answers(range(3)), **labels))
    assert codes(with_rankings(a_result()), changed) == []


def test_nothing_is_expected_of_another_depth_of_unknown_labels_or_without_outcomes() -> None:
    current, changed = a_result(), a_result(answers(range(3)))
    assert codes(with_rankings(current), replace(fresh_side(changed), outcomes=None)) == []
    assert codes(fresh_side(current), replace(fresh_side(changed), depth=5)) == []
    assert codes(with_rankings(current), replace(with_rankings(changed), depth=5)) == []
    unknown = [an_evaluation(FORTY, answers(range(rest))) for rest in (0, 3)]
    assert codes(*map(with_rankings, unknown)) == []
    assert codes(*map(fresh_side, unknown)) == []


@pytest.mark.parametrize("kept", [Which.CURRENT, Which.CANDIDATE, None])
def test_without_rankings_outcomes_show_of_how_many_questions_at_least(kept: Which | None) -> None:
    first, other = a_result(), a_result(answers(missed=[1], second=[2], noisy=[3]))
    current = with_rankings(first) if kept is Which.CURRENT else fresh_side(first)
    candidate = with_rankings(other) if kept is Which.CANDIDATE else fresh_side(other)
    assert side_checks(current, candidate) == (
        SelfCheck(
            code=CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS,
            which=Which.BOTH,
            count=3,
            total=44,
            at_least=True,
        ),
    )
    assert codes(fresh_side(first), fresh_side(first)) == []


def test_outcomes_count_no_failed_question_as_ranked_otherwise() -> None:
    current, candidate = a_result(), a_result(answers(missed=[1], failed=[2, 3]))
    found = side_checks(fresh_side(current), fresh_side(candidate))
    assert [(one.count, one.total) for one in found] == [(1, 42)]
    failed = a_result(answers(failed=[2, 3]))
    assert codes(fresh_side(current), fresh_side(failed)) == []


def test_other_judgements_show_no_other_ranking() -> None:
    side = fresh_side(a_result())
    assert side.outcomes is not None
    more = tuple(
        replace(one, judged_hits=(*one.judged_hits, JudgedHit(3, 0))) for one in side.outcomes
    )
    assert codes(side, replace(side, outcomes=more, qrels_digest="0" * 64)) == []
    assert codes(side, replace(side, outcomes=more, qrels_digest=None)) == []
    assert codes(side, replace(side, outcomes=more)) == [
        CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS
    ]


def test_a_dirty_checkout_is_named_by_side_and_never_decides_the_verdict() -> None:
    dirty, clean = a_result(execution="git:1234-dirty"), a_result(execution="git:1234")
    assert [one.which for one in compared(dirty, clean).checks] == [Which.CURRENT]
    both = compared(dirty, dirty)
    assert [one.which for one in both.checks] == [Which.CURRENT, Which.CANDIDATE]
    assert both.is_comparable


def test_documents_outside_the_corpus_are_counted_by_question() -> None:
    rankings = with_rankings(a_result(answers(second=[4]))).rankings
    assert rankings is not None
    held = {b"x1", b"x2", *(f"d{number:02}".encode() for number in range(40))}
    assert outside_corpus(rankings, held, which=Which.CANDIDATE) is None
    assert outside_corpus(rankings, held - {b"d07"}, which=Which.CANDIDATE) == SelfCheck(
        code=CheckCode.OUTSIDE_CORPUS, which=Which.CANDIDATE, count=1, total=44
    )


def test_a_retriever_that_answers_otherwise_when_asked_again_is_not_deterministic() -> None:
    first, other = a_result(), a_result(answers(missed=[1], failed=[2]))
    passes = [one.answers for one in (first, first, other)]
    assert list(not_deterministic(passes, Which.CANDIDATE)) == [
        SelfCheck(code=CheckCode.NOT_DETERMINISTIC, which=Which.CANDIDATE, count=2, total=44)
    ]
    assert list(not_deterministic(passes[:2], Which.CANDIDATE)) == []
    assert list(not_deterministic(passes[:1], Which.CANDIDATE)) == []
