"""Two results on a graded measure: its own benchmark decides, then its own difference."""

from dataclasses import replace

import pytest

from evenhand.core.comparison.comparison import MEASURES, Comparison, compare_sides
from evenhand.core.comparison.graded import (
    graded_pair_difference,
    require_comparable_measure,
    scale_of,
)
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.comparison.side import Side, fresh_side
from evenhand.core.errors import Invalid, InvalidSetting
from evenhand.core.identity.provenance import benchmark_fingerprint
from evenhand.core.identity.qrels import scoring_identity
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import GRADED_VERSION
from tests.builders import a_provenance, a_question, a_set, an_evaluation

NDCG = parse_measure("nDCG@10")


def graded_set(first: int = 2, *, questions: int = 30) -> GoldenSet:
    """Questions with a target of grade 2, one of grade 1, and a document judged not relevant."""
    return a_set(
        *(
            GoldenQuestion(
                id=f"q{number:02}",
                question=f"q{number:02}",
                form="match",
                expected_document_ids=["best", "good"],
                grades=[("best", first if number == 0 else 2), ("good", 1), ("bad", 0)],
            )
            for number in range(questions)
        ),
        a_question("z-without-an-answer"),
    )


def a_side(
    *, good_from: int = 0, golden_set: GoldenSet | None = None, depth: int = 12, corpus: str = "c"
) -> Side:
    """From that question on the best document comes first; before it the merely good one."""
    asked = golden_set or graded_set()
    answers = {
        question.text: ["best", "good"] if place >= good_from else ["good", "bad"]
        for place, question in enumerate(asked.questions)
        if question.expected_document_ids
    }
    provenance = a_provenance(corpus=corpus)
    return fresh_side(an_evaluation(asked, answers, provenance=provenance, depth=depth))


def compared(current: Side, candidate: Side) -> Comparison:
    return compare_sides(current, candidate, primary=NDCG)


def test_the_difference_is_that_of_the_graded_values() -> None:
    comparison = compared(a_side(good_from=25), a_side())
    decided = comparison.primary_difference
    assert decided is not None
    assert (decided.measure, decided.questions) == ("nDCG@10", 30)
    assert (decided.point.wins, decided.point.losses) == (25, 0)
    assert float(decided.candidate) == 1.0
    assert comparison.conclusion is Conclusion.BETTER
    assert [one.measure for one in comparison.descriptive] == [*MEASURES]


def test_a_question_that_nothing_answers_has_no_value() -> None:
    outcomes = an_evaluation(graded_set(questions=3)).outcomes
    difference = graded_pair_difference(NDCG, outcomes, outcomes, alpha=0.05)
    assert difference is not None
    assert difference.questions == 3


def test_a_failed_question_is_a_miss_and_both_extremes_are_told() -> None:
    asked = graded_set(questions=4)
    failing = an_evaluation(
        asked, {"q00": TimeoutError(), "q01": ["best", "good"]}, provenance=a_provenance()
    )
    right = an_evaluation(asked, provenance=a_provenance())
    decided = compared(fresh_side(right), fresh_side(failing)).primary_difference
    assert decided is not None
    assert decided.candidate_failed == 1
    assert decided.low < decided.delta + 1
    assert (float(decided.delta), float(decided.low), float(decided.high)) == (-0.75, -0.75, -0.5)


def test_the_benchmark_of_a_measure_is_bound_to_judgements_measure_and_depth() -> None:
    side = a_side()
    assert side.identity is not None
    scoring = scoring_identity(GRADED_VERSION, graded_set().qrels_digest, "nDCG@10", 12)
    expected = benchmark_fingerprint("c", graded_set().labels_fingerprint, scoring)
    assert scale_of(side, NDCG).benchmark(side.identity) == expected


CHANGED = {
    "one grade": (a_side(golden_set=graded_set(first=3)), ["grades_changed"], True),
    "the depth": (a_side(depth=20), ["depth_changed"], True),
    "the corpus": (a_side(corpus="d"), ["corpus_changed"], False),
    "a label": (a_side(golden_set=graded_set(questions=29)), ["labels_changed"], False),
    "corpus and depth": (
        a_side(corpus="d", depth=20),
        ["corpus_changed", "depth_changed"],
        False,
    ),
}


@pytest.mark.parametrize(("other", "codes", "hits_compare"), CHANGED.values(), ids=CHANGED)
def test_what_moves_the_benchmark_leaves_no_difference(
    other: Side, codes: list[str], *, hits_compare: bool
) -> None:
    comparison = compared(a_side(), other)
    assert comparison.verdict.state == "mismatch"
    assert [one.code for one in comparison.verdict.reasons] == codes
    assert (comparison.differences, comparison.flips, comparison.rank_moves) == ((), (), None)
    assert compare_sides(a_side(), other).is_comparable is hits_compare


def test_another_protocol_or_measure_is_another_benchmark() -> None:
    side = a_side()
    scales = [
        scale_of(side, NDCG),
        scale_of(side, NDCG, protocol="trec-eval-v2"),
        scale_of(side, parse_measure("nDCG@9")),
        scale_of(side, parse_measure("AP")),
    ]
    assert len({scale.benchmark(side.identity) for scale in scales}) == len(scales)


@pytest.mark.parametrize(
    ("current", "candidate", "codes"),
    [
        (replace(a_side(), qrels_digest=None), a_side(), ["previous_grades_unknown"]),
        (a_side(), replace(a_side(), qrels_digest=None), ["current_grades_unknown"]),
        (
            replace(a_side(), identity=None),
            replace(a_side(), qrels_digest=None),
            ["current_grades_unknown", "previous_unknown"],
        ),
    ],
)
def test_what_is_not_known_equals_nothing(
    current: Side, candidate: Side, codes: list[str]
) -> None:
    verdict = compared(current, candidate).verdict
    assert verdict.state == "unknown"
    assert [one.code for one in verdict.reasons] == codes


def test_without_outcomes_nothing_is_decided() -> None:
    comparison = compared(a_side(), replace(a_side(), outcomes=None))
    assert comparison.is_comparable
    assert (comparison.conclusion, comparison.differences) == (None, ())


def test_splits_are_those_of_the_graded_measure() -> None:
    current, candidate = a_side(good_from=25), a_side()
    comparison = compare_sides(current, candidate, primary=NDCG, golden_set=graded_set())
    assert [(one.name, one.difference.measure) for one in comparison.splits] == [
        ("match", "nDCG@10")
    ]


def test_a_count_has_no_mean_that_could_be_compared() -> None:
    with pytest.raises(InvalidSetting, match="NumRet: is a count"):
        require_comparable_measure(parse_measure("NumRet"))
    with pytest.raises(InvalidSetting, match="is a count"):
        compare_sides(a_side(), a_side(), primary=parse_measure("NumRet"))


def test_outcomes_of_other_judgements_are_refused() -> None:
    whole = an_evaluation(graded_set(questions=3)).outcomes
    with pytest.raises(Invalid, match="state equal judgements"):
        graded_pair_difference(NDCG, whole, whole[1:], alpha=0.05)
