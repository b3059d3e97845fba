"""How long did retrievals take? Counts in equal steps of milliseconds, and what lies beyond.

A failed question has no latency and is in no step. The axis ends at the 99th percentile, so that
one straggler does not press all others together; what lies beyond is counted in a step of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.console.charts.axis import Axis, Tick, axis_from_zero, round_width
from evenhand.reports import numbers
from evenhand.reports.charts import percent

_STEPS: Final = 24
_MARKS: Final = ((50, "median"), (90, "p90"), (99, "p99"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyBar:
    """Questions whose latency lies in one step.

    Attributes:
        x, width: where it is drawn, from the left.
        y, height: the same from the top.
        span: ``20 to 29 ms``, or ``200 ms and more``.
        count: of questions.
        is_open: whether it holds all that lies beyond the axis.
    """

    x: str
    width: str
    y: str
    height: str
    span: str
    count: int
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyMark:
    """A percentile by nearest rank: where it lies, its name, and the milliseconds as text."""

    x: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyChart:
    """The drawing of latencies.

    Attributes:
        bars: from left to right; steps without a question are left out.
        marks: percentiles, ascending.
        ticks: of the axis of counts, highest first.
        first, last: the ends of the axis of milliseconds.
        summary: the drawing in one sentence.
    """

    bars: tuple[LatencyBar, ...]
    marks: tuple[LatencyMark, ...]
    ticks: tuple[Tick, ...]
    first: str
    last: str
    summary: str


def build_latency_chart(counts: Sequence[tuple[int, int]], *, failed: int) -> LatencyChart | None:
    """The drawing of measured latencies; None where nothing was measured.

    Args:
        counts: whole milliseconds and how many questions took them, ascending; no failed one.
        failed: how many questions failed, to be named beside it.
    """
    timed = sum(count for _, count in counts)
    if not timed:
        return None
    marks = [(name, _nearest_rank(counts, timed, share)) for share, name in _MARKS]
    low, end = counts[0][0], marks[-1][1]
    width = round_width(max(1, end - low + 1), _STEPS)
    start = low // width * width
    steps = (end - start) // width + 1
    binned = _binned(counts, start, width, steps)
    axis = axis_from_zero(max(binned.values()), ticks=3)
    drawn = steps + (1 if steps in binned else 0)
    return LatencyChart(
        bars=tuple(
            _bar(number, count, drawn, steps, start, width, axis)
            for number, count in sorted(binned.items())
        ),
        marks=tuple(
            LatencyMark(
                x=percent(((ms - start) / width + 0.5 / width) / drawn), name=name, text=f"{ms} ms"
            )
            for name, ms in marks
        ),
        ticks=axis.ticks_down,
        first=f"{start} ms",
        last=f"{start + steps * width} ms" + (" and more" if drawn > steps else ""),
        summary=_summary(timed, failed, dict(marks)),
    )


def _binned(
    counts: Sequence[tuple[int, int]], start: int, width: int, steps: int
) -> dict[int, int]:
    binned: dict[int, int] = {}
    for ms, count in counts:
        number = min((ms - start) // width, steps)
        binned[number] = binned.get(number, 0) + count
    return binned


def _bar(  # noqa: PLR0913 -- private: one step and the axes it lies on
    number: int, count: int, drawn: int, steps: int, start: int, width: int, axis: Axis
) -> LatencyBar:
    first = start + number * width
    is_open = number == steps
    last = first + width - 1
    span = f"{first} ms" if width == 1 else f"{first} to {last} ms"
    return LatencyBar(
        x=percent((number + 0.08) / drawn),
        width=percent(0.84 / drawn),
        y=axis.down(count),
        height=axis.across(count),
        span=f"{first} ms and more" if is_open else span,
        count=count,
        is_open=is_open,
    )


def _nearest_rank(counts: Sequence[tuple[int, int]], timed: int, share: int) -> int:
    """The smallest value with at least so many percent of all values at or below it."""
    wanted = -(-timed * share // 100)
    seen = 0
    for ms, count in counts:
        seen += count
        if seen >= wanted:
            return ms
    return counts[-1][0]


def _summary(timed: int, failed: int, marks: dict[str, int]) -> str:
    left_out = (
        f"; {numbers.count(failed, 'failed question')} "
        f"{numbers.verb(failed, 'is', 'are')} not among them"
        if failed
        else ""
    )
    told = ", ".join(f"{name} {ms} ms" for name, ms in marks.items())
    return f"Latency of {numbers.count(timed, 'retrieval call')}: {told}{left_out}."
