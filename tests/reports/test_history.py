"""The line of a series: joined within one benchmark, broken where it changed or is not known."""

import pytest

from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.side import fresh_side
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.reports.history import HistoryView, build_history
from evenhand.reports.html import render_comparisons_html, render_evaluation_html
from evenhand.reports.subject import fresh_subject
from evenhand.reports.verdict_view import Hints
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports.rendering import read_page


def a_series(*corpora: str | None) -> tuple[EvaluationRecord, ...]:
    """Stored results over these corpora, None for one that declares nothing; newest first."""
    made = [
        a_record(
            an_evaluation(provenance=None if one is None else a_provenance(corpus=one)),
            number=number,
        )
        for number, one in enumerate(corpora, 1)
    ]
    return tuple(reversed(made))


def line(*corpora: str | None) -> HistoryView:
    view = build_history(a_series(*corpora))
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("corpora", "breaks"),
    [
        (("a", "a", "a"), ["", "", ""]),
        (("a", "b", "b"), ["", "benchmark changed", ""]),
        (("a", "b", "a"), ["", "benchmark changed", "benchmark changed"]),
        ((None, None), ["", "benchmark unknown"]),
        (("a", None, "a"), ["", "benchmark unknown", "benchmark unknown"]),
    ],
)
def test_it_breaks_where_the_benchmark_changed_or_is_unknown(
    corpora: tuple[str | None, ...], breaks: list[str]
) -> None:
    points = line(*corpora).points
    assert [point.breaks for point in points] == breaks
    assert [point.is_joined for point in points[1:]] == [not one for one in breaks[1:]]


def test_it_runs_from_the_oldest_to_the_newest() -> None:
    points = line("a", "a", "b").points
    assert [point.when for point in points] == sorted(point.when for point in points)
    assert [point.x for point in points] == ["3.0%", "50.0%", "97.0%"]


def test_one_result_is_no_line() -> None:
    assert build_history(a_series("a")) is None


def test_a_set_that_nothing_answers_shows_abstention() -> None:
    golden_set = a_set(a_question("n1"), a_question("n2"))
    made = [
        a_record(an_evaluation(golden_set, given, provenance=a_provenance()), number=number)
        for number, given in enumerate(({"n1": ["x"]}, {}), 1)
    ]
    view = build_history(made[::-1])
    assert view is not None
    assert view.measure == "abstention"
    assert [point.y for point in view.points] == ["50.0%", "0.0%"]


def pages(history: tuple[EvaluationRecord, ...]) -> list[str]:
    evaluation = an_evaluation(provenance=a_provenance())
    side = fresh_side(evaluation)
    view = build_comparison_view(compare_sides(side, side), hints=ComparisonHints(history=history))
    subject = fresh_subject(evaluation)
    return [
        render_comparisons_html([view]),
        render_evaluation_html(subject, hints=Hints(history=history)),
    ]


def test_the_pages_draw_a_segment_less_where_it_breaks() -> None:
    for page in pages(a_series("a", "a", "b", "b", "b")):
        drawn = [element.attributes.get("class") for element in read_page(page).of("line")]
        assert drawn.count("course") == 3
        assert drawn.count("break") == 1


def test_a_page_without_a_series_has_no_line() -> None:
    for page in pages(a_series("a")):
        assert "Earlier results" not in page
