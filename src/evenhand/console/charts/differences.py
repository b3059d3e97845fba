"""How large is a difference, and how sure? One row a measure or group, on one scale around zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.reports.charts import Drawn, Scale, difference_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnDifference:
    """Where a difference lies between the ends of a scale, whose middle is zero.

    Attributes:
        x: of the difference.
        low: where its interval begins; empty where there is none.
        width: of the interval.
    """

    x: str
    low: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceChart:
    """Differences that are drawn on one scale.

    Attributes:
        low, high: the ends of the scale, as text.
        rows: in the order given.
    """

    low: str
    high: str
    rows: tuple[DrawnDifference, ...]


def build_difference_chart(
    rows: Sequence[Drawn], *, scale: Scale | None = None
) -> DifferenceChart:
    """Where each of some differences lies.

    Args:
        rows: low, difference and high of each; all three alike without an interval.
        scale: of the page; by default one for these rows.
    """
    used = difference_scale(rows) if scale is None else scale
    return DifferenceChart(
        low=f"-{used.end}", high=f"+{used.end}", rows=tuple(_place(row, used) for row in rows)
    )


def _place(row: Drawn, scale: Scale) -> DrawnDifference:
    low, difference, high = row.drawn
    has_interval = low != high
    return DrawnDifference(
        x=scale.at(difference),
        low=scale.at(low) if has_interval else "",
        width=scale.span(low, high) if has_interval else "",
    )
