"""How did a measure move over stored evaluations? A line that breaks where the benchmark changed.

Two neighbours are joined only where both state the same benchmark and both have a value: across
a break nothing can be compared, so nothing is drawn there but the break itself, with a number
under which its reason is written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evenhand.console.charts.axis import INSET, Axis, Tick, share_axis
from evenhand.reports import numbers
from evenhand.reports.charts import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryValue:
    """One evaluation of a series.

    Attributes:
        when: when it was stored, as text.
        name: of the evaluation, as text.
        href: of its page; empty for none.
        value: a share in [0, 1]; None where there is none.
        text: the value as text, or why there is none.
        moved: why it is not compared with the one before; empty where it is, and for the first.
    """

    when: str
    name: str
    href: str
    value: float | None
    text: str
    moved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A value in the drawing; ``is_last`` is the newest of all."""

    x: str
    y: str
    title: str
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What joins two neighbours."""

    x1: str
    y1: str
    x2: str
    y2: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """The part of the drawing in which results may be compared."""

    x: str
    width: str
    is_odd: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where the line breaks: its number in the drawing, why, and between which two results."""

    x: str
    number: int
    reason: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryChart:
    """The drawing of a series, oldest first, and its table.

    Attributes:
        measure: what is drawn.
        ticks: of the axis of values, highest first.
        zones: from left to right.
        lines, dots: from left to right.
        breaks: from left to right.
        values: the rows of the table, oldest first.
        first, last: when the series begins and ends.
        summary: the drawing in one sentence.
    """

    measure: str
    ticks: tuple[Tick, ...]
    zones: tuple[Zone, ...]
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]
    breaks: tuple[Break, ...]
    values: tuple[HistoryValue, ...]
    first: str
    last: str
    summary: str


def build_history_chart(values: Sequence[HistoryValue], measure: str) -> HistoryChart | None:
    """The drawing of a series; None where there are not two results.

    Args:
        values: oldest first.
        measure: what they are values of.
    """
    if len(values) < 2:
        return None
    axis = share_axis([one.value for one in values if one.value is not None])
    breaks = _breaks(values)
    return HistoryChart(
        measure=measure,
        ticks=axis.ticks_down,
        zones=_zones(values),
        lines=_lines(values, axis),
        dots=_dots(values, axis),
        breaks=breaks,
        values=tuple(values),
        first=values[0].when,
        last=values[-1].when,
        summary=_summary(values, measure, len(breaks)),
    )


def _lines(values: Sequence[HistoryValue], axis: Axis) -> tuple[Line, ...]:
    lines = []
    for place, (before, after) in enumerate(pairwise(values)):
        if after.moved or before.value is None or after.value is None:
            continue
        lines.append(
            Line(
                x1=_x(place, len(values)),
                y1=axis.down(before.value),
                x2=_x(place + 1, len(values)),
                y2=axis.down(after.value),
            )
        )
    return tuple(lines)


def _dots(values: Sequence[HistoryValue], axis: Axis) -> tuple[Dot, ...]:
    return tuple(
        Dot(
            x=_x(place, len(values)),
            y=axis.down(one.value),
            title=f"{one.when}: {one.text}",
            is_last=place == len(values) - 1,
        )
        for place, one in enumerate(values)
        if one.value is not None
    )


def _breaks(values: Sequence[HistoryValue]) -> tuple[Break, ...]:
    places = [place for place, one in enumerate(values) if place and one.moved]
    return tuple(
        Break(
            x=_x(place - 0.5, len(values)),
            number=number,
            reason=values[place].moved,
            before=values[place - 1].when,
            after=values[place].when,
        )
        for number, place in enumerate(places, 1)
    )


def _zones(values: Sequence[HistoryValue]) -> tuple[Zone, ...]:
    inner = [place for place, one in enumerate(values) if place and one.moved]
    edges = [0.0, *(_share(place - 0.5, len(values)) for place in inner), 1.0]
    return tuple(
        Zone(x=percent(left), width=percent(right - left), is_odd=number % 2 == 1)
        for number, (left, right) in enumerate(pairwise(edges))
    )


def _summary(values: Sequence[HistoryValue], measure: str, breaks: int) -> str:
    told = f"{measure} of {numbers.count(len(values), 'result')}"
    without = sum(1 for one in values if one.value is None)
    missing = f"; {without} without a value" if without else ""
    if not breaks:
        return f"{told}, all on one benchmark{missing}."
    return (
        f"{told} in {numbers.count(breaks + 1, 'part')}, between which nothing is "
        f"compared{missing}."
    )


def _share(place: float, count: int) -> float:
    return INSET + (1 - 2 * INSET) * place / (count - 1)


def _x(place: float, count: int) -> str:
    return percent(_share(place, count))
