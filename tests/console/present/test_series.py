"""Stored results as a drawn series: what moved is named, and nothing is inferred from a name."""

import pytest

from evenhand.console.charts.history import HistoryChart
from evenhand.console.present.series import RATES, series_chart, usual_measure
from evenhand.core.scoring.evaluation import EvaluationRecord
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports.test_history import a_series


def chart(*corpora: str | None) -> HistoryChart:
    found = series_chart(a_series(*corpora), measure="Success@1")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("corpora", "moved"),
    [
        (("a", "a"), [""]),
        (("a", "b", "b"), ["corpus changed", ""]),
        ((None, None), ["benchmark unknown"]),
        (("a", None, "a"), ["benchmark unknown", "benchmark unknown"]),
    ],
)
def test_a_break_says_what_moved(corpora: tuple[str | None, ...], moved: list[str]) -> None:
    found = chart(*corpora)
    assert [one.moved for one in found.values] == ["", *moved]
    assert [one.reason for one in found.breaks] == [one for one in moved if one]
    assert len(found.lines) == moved.count("")


def test_other_labels_are_a_break_of_labels() -> None:
    made = [
        a_record(an_evaluation(golden_set, provenance=a_provenance()), number=number)
        for number, golden_set in enumerate((a_set(), a_set(a_question("q9", "d9"))), 1)
    ]
    found = series_chart(made[::-1], measure="Success@1")
    assert found is not None
    assert [one.reason for one in found.breaks] == ["labels changed"]


def test_a_rate_over_nothing_is_no_value() -> None:
    golden_set = a_set(a_question("q1", "d1"))
    made = [a_record(an_evaluation(golden_set), number=number) for number in (2, 1)]
    found = series_chart(made, measure="abstention")
    assert found is not None
    assert [(one.value, one.text) for one in found.values] == [(None, "no such questions")] * 2
    assert (found.lines, found.dots) == ((), ())


def test_each_value_leads_to_its_result() -> None:
    records = a_series("a", "a")

    def href(record: EvaluationRecord) -> str:
        return f"/{record.id}"

    found = series_chart(records, measure="Success@1", href=href)
    assert found is not None
    assert [one.href for one in found.values] == [f"/{one.id}" for one in records[::-1]]


def test_a_set_that_nothing_answers_shows_abstention() -> None:
    golden_set = a_set(a_question("n1"), a_question("n2"))
    nothing = a_record(an_evaluation(golden_set, {}, provenance=a_provenance()))
    assert usual_measure([nothing]) == "abstention"
    assert usual_measure(a_series("a")) == "Success@1"
    assert set(RATES) == {"Success@1", "Success@3", "abstention", "false abstention"}
