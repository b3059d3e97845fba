"""What comes of two sides: comparable, complete, eligible, and by exactly how much."""

from fractions import Fraction
from typing import Any

import pytest

from evenhand.core.comparison.legs import score_leg
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.report import CaseReport, LegReport, RankedEntry, ResultReport
from evenhand.core.comparison.summary import EvaluationSummary, summarise
from evenhand.core.scoring.evaluation import Basis
from tests.builders import START, a_provenance, an_evaluation
from tests.comparison_builders import REVISION, World
from tests.suite_builders import a_case_question, a_frozen_suite

#: Per case the documents of a ranking, or the code of a failure.
Given = list[list[str] | str]


def a_world(answerable: int, unanswered: int = 0, *, critical: int = 0) -> World:
    questions = [
        a_case_question(f"q{n:03}", f"d{n}", critical=n < critical) for n in range(answerable)
    ]
    questions += [a_case_question(f"z{n:03}") for n in range(unanswered)]
    return World(suite=a_frozen_suite(*questions))


def summary_of(world: World, current: Given, candidate: Given) -> EvaluationSummary:
    given = {LegName.CURRENT: current, LegName.CANDIDATE: candidate}
    report = ResultReport(
        pins_digest=world.pins.digest,
        consumer_revision_sha256=REVISION,
        **{name.value: a_leg(world, answers) for name, answers in given.items()},
    )
    legs = {
        name: score_leg(
            world.suite, report, name, pins=world.pins, retriever=f"r-{name}", at=START
        )
        for name in LegName
    }
    return summarise(legs[LegName.CURRENT], legs[LegName.CANDIDATE])


def a_leg(world: World, answers: Given) -> LegReport:
    results = []
    for case, answer in zip(world.cases, answers, strict=True):
        failed = answer if isinstance(answer, str) else None
        entries = tuple(
            RankedEntry(chunk_id=f"{one}#1", document_id=one, score=1.0)
            for one in (() if isinstance(answer, str) else answer)
        )
        results.append(
            CaseReport(case_id=case.case_id, entries=entries, latency_ms=2.0, error_code=failed)
        )
    return LegReport(results=tuple(results), requests={})


def line(summary: EvaluationSummary, measure: str) -> Any:
    return next(one for one in summary.lines if one.measure == measure)


@pytest.mark.proves("C-88", "G-56")
def test_a_drop_of_exactly_the_tolerance_is_tolerated_and_one_case_more_is_not() -> None:
    world = a_world(10)
    hits: Given = [[f"d{n}"] for n in range(10)]
    one_less: Given = [["x"], *hits[1:]]
    two_less: Given = [["x"], ["x"], *hits[2:]]

    tolerated, dropped = (summary_of(world, hits, given) for given in (one_less, two_less))

    assert line(tolerated, "success_at_1").delta == Fraction(-1, 10)
    assert (tolerated.eligible, tolerated.eligibility_reasons) == (True, ())
    assert not dropped.eligible
    assert dropped.eligibility_reasons == (
        "success_at_1_dropped",
        "success_at_3_dropped",
        "reciprocal_rank_at_3_dropped",
    )


@pytest.mark.proves("G-55")
def test_the_reciprocal_rank_is_exact_and_reaches_three_distinct_documents() -> None:
    world = a_world(3)
    current: Given = [["d0"], ["x", "d1"], ["x", "x", "y", "d2"]]
    candidate: Given = [["x", "y", "z", "d0"], ["d1"], ["x", "y", "d2"]]

    found = line(summary_of(world, current, candidate), "reciprocal_rank_at_3")

    assert found.current == Fraction(1, 3) * (1 + Fraction(1, 2) + Fraction(1, 3))
    assert found.candidate == Fraction(1, 3) * (0 + 1 + Fraction(1, 3))
    assert found.delta == found.candidate - found.current


@pytest.mark.proves("C-83", "G-55")
def test_a_critical_case_counts_where_only_current_hits_within_three() -> None:
    world = a_world(4, critical=3)
    current: Given = [["d0"], ["x", "y", "d1"], ["x"], ["d3"]]
    candidate: Given = [["x", "y", "z", "d0"], ["x"], ["d2"], ["x"]]

    summary = summary_of(world, current, candidate)

    assert summary.critical_regressions == 2
    assert "critical_regression" in summary.eligibility_reasons


@pytest.mark.proves("C-81", "G-56")
def test_a_failed_case_is_a_miss_and_nothing_is_eligible_that_is_incomplete() -> None:
    world = a_world(20)
    hits: Given = [[f"d{n}"] for n in range(20)]

    summary = summary_of(world, hits, ["TIMEOUT", *hits[1:]])

    assert (summary.complete, summary.candidate.failed) == (False, 1)
    assert summary.eligibility_reasons == ("failed_cases",)
    assert line(summary, "success_at_1").candidate == Fraction(19, 20)


def test_a_failed_case_is_decided_against_the_candidate_in_the_lower_bound() -> None:
    world = a_world(20)
    hits: Given = [[f"d{n}"] for n in range(20)]

    whole = summary_of(world, [["x"], *hits[1:]], hits)
    failed = summary_of(world, ["TIMEOUT", *hits[1:]], hits)

    bounds = [line(one, "success_at_1").lower_bound for one in (failed, whole)]
    assert bounds[0] < bounds[1]


def test_the_no_answer_outcome_stands_beside_eligibility() -> None:
    world = a_world(5, 5)
    hits: Given = [[f"d{n}"] for n in range(5)]

    summary = summary_of(world, [*hits, *[[]] * 5], [*hits, *[["x"]] * 5])

    assert summary.no_answer_cases == 5
    assert (summary.current.abstained, summary.candidate.abstained) == (5, 0)
    assert line(summary, "abstention").delta == -1
    assert summary.eligible


def test_of_a_suite_that_nothing_answers_abstention_decides() -> None:
    world = a_world(0, 5)

    summary = summary_of(world, [[]] * 5, [["x"]] * 5)

    assert summary.eligibility_reasons == ("abstention_dropped",)
    assert [one.measure for one in summary.lines] == ["abstention", "top1", "top3"]


def test_a_side_of_failures_only_was_witnessed_by_nobody() -> None:
    world = a_world(2)

    summary = summary_of(world, [["d0"], ["d1"]], ["A", "A"])

    assert (summary.current.basis, summary.candidate.basis) == (Basis.WITNESSED, Basis.REPORTED)


@pytest.mark.proves("C-88", "G-56")
def test_two_benchmarks_are_not_comparable() -> None:
    one = an_evaluation(provenance=a_provenance())
    other = an_evaluation(provenance=a_provenance(corpus="corpus-2"))

    summary = summarise(one, other)

    assert summary.comparability_reasons == ("corpus_changed",)
    assert (summary.comparable, summary.eligible) == (False, False)
    assert summary.eligibility_reasons[0] == "not_comparable"
