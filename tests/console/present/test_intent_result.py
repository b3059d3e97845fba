"""What came of a comparison, and that without ``comparable`` there is no difference in it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from evenhand.console.present.intent_cases import case_rows
from evenhand.console.present.intent_result import result_view
from evenhand.console.rendering import environment
from evenhand.core.comparison.concluded import Concluded, Evidence
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.summary import EvaluationSummary, MeasureLine, summarise
from tests.builders import an_evaluation
from tests.suite_builders import a_frozen_suite

LINE = MeasureLine(
    measure="success_at_1",
    current=Fraction(1, 2),
    candidate=Fraction(1, 3),
    delta=Fraction(-1, 6),
    lower_bound=-0.25,
)


def a_summary(**stated: object) -> EvaluationSummary:
    measured = an_evaluation()
    return replace(summarise(measured, measured), lines=(LINE,), **stated)  # type: ignore[arg-type]


def concluded(**stated: object) -> Concluded:
    ids = {LegName.CURRENT: "current-id", LegName.CANDIDATE: "candidate-id"}
    return Concluded(summary=a_summary(**stated), evaluation_ids=ids)


@pytest.mark.proves("C-88", "G-56")
def test_a_difference_is_shown_of_comparable_sides_only() -> None:
    fair = result_view(concluded(comparability_reasons=()), 3)
    unfair = result_view(
        concluded(
            comparability_reasons=("corpus_changed",), eligibility_reasons=("not_comparable",)
        ),
        3,
    )

    [row], [refused] = fair.rows, unfair.rows
    assert (row.current, row.candidate, row.difference, row.bound) == (
        *("0.500", "0.333", "-0.167", "-0.250"),
    )
    assert (refused.current, refused.difference, refused.bound) == ("0.500", "", "")
    assert (unfair.headline, unfair.is_eligible) == ("Not comparable", False)
    assert unfair.reasons[0] == "The two results state different corpora."


@pytest.mark.proves("C-88", "G-56")
def test_a_page_of_sides_that_are_not_comparable_has_no_place_for_a_difference() -> None:
    view = result_view(concluded(comparability_reasons=("labels_changed",)), 3)
    source, _, _ = environment().loader.get_source(environment(), "intents/show.html")  # type: ignore[union-attr]
    begin, end = source.index("{% if result.is_comparable %}<th"), source.index("Over</th>")

    assert "Difference" in source[begin:end]
    assert source[begin:end].count("{% endif %}") == 1
    assert not view.is_comparable


@pytest.mark.proves("C-89", "C-90")
def test_eligible_says_that_nothing_was_put_into_production() -> None:
    view = result_view(concluded(comparability_reasons=(), eligibility_reasons=()), 3)

    assert (view.headline, view.reasons) == ("Eligible", ())
    assert "Nothing was put into production" in view.sentence


@pytest.mark.proves("G-56")
@pytest.mark.parametrize(
    ("measure", "bound", "is_open"),
    [
        ("success_at_1", -0.101, True),
        ("success_at_1", -0.099, False),
        ("false_abstention", 0.101, True),
        ("false_abstention", -0.5, False),
        ("reciprocal_rank_at_3", None, True),
        ("top1", -0.9, False),
    ],
)
def test_eligible_says_what_its_few_cases_cannot_rule_out(
    measure: str, bound: float | None, *, is_open: bool
) -> None:
    made = concluded(comparability_reasons=(), eligibility_reasons=())
    line = replace(made.summary.lines[0], measure=measure, lower_bound=bound)
    told = replace(made, summary=replace(made.summary, lines=(line,)))

    sentence = result_view(told, 3).sentence

    assert ("But 3 cases cannot rule out a larger loss" in sentence) is is_open


def test_a_side_whose_evaluation_was_purged_leads_nowhere() -> None:
    gone = replace(concluded(), evaluation_ids={LegName.CURRENT: "current-id"})

    view = result_view(gone, 3)

    assert [side.evaluation for side in view.sides] == ["/console/evaluations/current-id", ""]
    assert view.compare == ""


def test_cases_whose_outcomes_are_gone_are_unknown_and_those_held_out_are_not_shown() -> None:
    suite, evidence = a_frozen_suite(), Evidence(consumer_revision_sha256=None, requests=())

    rows = case_rows(suite, {}, evidence)

    assert rows is not None
    assert {row.current.outcome for row in rows} == {"unknown"}
    held = replace(suite, revision=replace(suite.revision, set_identifier="handbook.holdout"))
    assert case_rows(held, {}, evidence) is None
