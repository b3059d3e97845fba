"""Where lies what in a drawing? Nothing across a break, no failed question, no made-up number."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.console.charts.axis import INSET, axis_from_zero, round_width, share_axis
from evenhand.console.charts.differences import build_difference_chart
from evenhand.console.charts.history import HistoryValue, build_history_chart
from evenhand.console.charts.latency import build_latency_chart
from evenhand.console.charts.moves import Move, build_move_chart
from evenhand.reports.charts import Scale

SHARES = st.floats(0, 1)


def share(percentage: str) -> float:
    return float(percentage.removesuffix("%")) / 100


@given(st.lists(SHARES, min_size=1, max_size=9))
def test_an_axis_of_shares_holds_all_of_them_in_their_order(values: list[float]) -> None:
    axis = share_axis(values)
    assert 0 <= axis.low < axis.high <= 1
    assert float(axis.low) <= min(values) + 1e-9
    assert float(axis.high) >= max(values) - 1e-9
    for low, high in pairwise(sorted(values)):
        assert share(axis.across(low)) <= share(axis.across(high))
        assert share(axis.down(low)) >= share(axis.down(high))


@given(st.lists(SHARES, min_size=1, max_size=9))
def test_a_small_change_is_no_cliff(values: list[float]) -> None:
    axis = share_axis(values)
    assert float(axis.high - axis.low) >= 0.099
    assert 2 <= len(axis.ticks_down) <= 9


@given(st.floats(0, 1e9))
def test_an_axis_of_bars_begins_at_zero_and_holds_the_highest(highest: float) -> None:
    axis = axis_from_zero(highest)
    assert axis.low == 0
    assert float(axis.high) >= highest * (1 - 1e-8)
    assert axis.ticks_down[-1].text == "0"


def test_no_value_gives_the_whole_axis() -> None:
    axis = share_axis([])
    assert [tick.text for tick in axis.ticks_down] == ["1", "0.5", "0"]
    assert axis.across(0) == f"{100 * INSET:.1f}%"


@pytest.mark.parametrize(("span", "width"), [(1, 1), (20, 1), (25, 2), (100, 5), (1500, 100)])
def test_a_step_is_a_round_number_of_milliseconds(span: int, width: int) -> None:
    assert round_width(span, 24) == width


def value(number: int, share: float | None, moved: str = "") -> HistoryValue:
    return HistoryValue(
        when=f"day {number}",
        name=f"e{number}",
        href="",
        value=share,
        text="unknown" if share is None else str(share),
        moved=moved,
    )


def series(*values: tuple[float | None, str]) -> list[HistoryValue]:
    return [value(number, *one) for number, one in enumerate(values)]


def test_no_line_leads_across_a_break_and_the_break_is_named() -> None:
    chart = build_history_chart(
        series((0.5, ""), (0.6, ""), (0.7, "corpus changed"), (0.8, "")), "Success@1"
    )
    assert chart is not None
    xs = [dot.x for dot in chart.dots]
    assert [(line.x1, line.x2) for line in chart.lines] == [(xs[0], xs[1]), (xs[2], xs[3])]
    [found] = chart.breaks
    assert (found.number, found.reason) == (1, "corpus changed")
    assert (found.before, found.after) == ("day 1", "day 2")
    assert share(xs[1]) < share(found.x) < share(xs[2])
    assert "2 parts" in chart.summary


@given(
    st.lists(
        st.tuples(st.none() | SHARES, st.sampled_from(["", "", "corpus changed"])),
        min_size=2,
        max_size=12,
    )
)
def test_two_neighbours_are_joined_exactly_where_both_have_a_value_and_nothing_moved(
    made: list[tuple[float | None, str]],
) -> None:
    values = series(*made)
    chart = build_history_chart(values, "Success@1")
    assert chart is not None
    joined = [
        not after.moved and None not in (before.value, after.value)
        for before, after in pairwise(values)
    ]
    assert len(chart.lines) == sum(joined)
    assert len(chart.dots) == sum(one.value is not None for one in values)
    assert len(chart.breaks) == sum(bool(one.moved) for one in values[1:])
    assert len(chart.zones) == len(chart.breaks) + 1
    assert math.isclose(sum(share(zone.width) for zone in chart.zones), 1, abs_tol=0.01)


def test_one_result_is_no_history() -> None:
    assert build_history_chart(series((0.5, "")), "Success@1") is None


class Row:
    def __init__(self, low: float, difference: float, high: float) -> None:
        self.drawn = (low, difference, high)


def test_differences_lie_on_one_scale_around_zero() -> None:
    chart = build_difference_chart([Row(-0.05, 0.05, 0.15), Row(-0.1, -0.1, -0.1)])
    assert (chart.low, chart.high) == ("-0.15", "+0.15")
    first, second = chart.rows
    assert (first.x, first.low, first.width) == ("66.7%", "33.3%", "66.7%")
    assert (second.x, second.low, second.width) == ("16.7%", "", "")


def test_a_scale_of_the_page_is_used_where_there_is_one() -> None:
    chart = build_difference_chart([Row(0, 0.1, 0.2)], scale=Scale(reach=1.0))
    assert chart.rows[0].x == "55.0%"


def test_ranks_before_stand_against_ranks_after() -> None:
    chart = build_move_chart({(1, 1): 90, (4, 1): 5, (1, None): 3, (5, 4): 2})
    assert chart is not None
    assert chart.names == ("1", "4-5", "none")
    assert [row.name for row in chart.rows] == ["1", "4-5", "none"]
    first, second, last = chart.rows
    assert [(one.move, one.count) for one in first.cells] == [
        (Move.ALIKE, 90),
        (Move.FURTHER, 0),
        (Move.FURTHER, 3),
    ]
    assert [one.count for one in second.cells] == [5, 2, 0]
    assert [one.move for one in last.cells] == [Move.NEARER, Move.NEARER, Move.ALIKE]
    assert (
        chart.summary
        == "First target nearer for 7 questions, further off for 3, where it was for 90."
    )


RANKS = st.none() | st.integers(1, 30)


@given(st.dictionaries(st.tuples(RANKS, RANKS), st.integers(1, 1000), min_size=1))
def test_every_question_is_in_one_cell(counts: dict[tuple[int | None, int | None], int]) -> None:
    chart = build_move_chart(counts)
    assert chart is not None
    cells = [cell for row in chart.rows for cell in row.cells]
    assert sum(cell.count for cell in cells) == sum(counts.values())
    assert all((cell.level == 0) is (cell.count == 0) for cell in cells)
    assert max(cell.level for cell in cells) == 4


def test_without_a_question_there_are_no_moves() -> None:
    assert build_move_chart({}) is None


@given(
    st.dictionaries(st.integers(0, 5000), st.integers(1, 500), min_size=1),
    st.integers(0, 9),
)
def test_every_timed_question_is_in_one_step_and_no_failed_one(
    counted: dict[int, int], failed: int
) -> None:
    chart = build_latency_chart(sorted(counted.items()), failed=failed)
    assert chart is not None
    assert sum(bar.count for bar in chart.bars) == sum(counted.values())
    assert sum(bar.is_open for bar in chart.bars) <= 1
    assert [mark.name for mark in chart.marks] == ["median", "p90", "p99"]
    assert all(0 <= share(mark.x) <= 1 for mark in chart.marks)
    assert all(
        share(bar.x) >= 0 and share(bar.x) + share(bar.width) <= 1.002 for bar in chart.bars
    )
    assert ("failed" in chart.summary) is (failed > 0)


def test_one_straggler_does_not_press_the_others_together() -> None:
    chart = build_latency_chart([(10, 500), (12, 480), (15, 19), (90_000, 1)], failed=2)
    assert chart is not None
    assert [bar.span for bar in chart.bars] == ["10 ms", "12 ms", "15 ms", "16 ms and more"]
    assert chart.last == "16 ms and more"
    assert [mark.text for mark in chart.marks] == ["10 ms", "12 ms", "15 ms"]
    assert chart.summary == (
        "Latency of 1000 retrieval calls: median 10 ms, p90 12 ms, p99 15 ms; "
        "2 failed questions are not among them."
    )


def test_nothing_measured_is_nothing_drawn() -> None:
    assert build_latency_chart([], failed=3) is None
