"""How do groups of questions fare? Two shares a group on one axis from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.reports.charts import percent
from evenhand.reports.view import SplitTable


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSplit:
    """Where both shares of a group lie; empty where the group has no such questions.

    Attributes:
        first, third: of Success@1 and Success@3.
        width: between the two.
    """

    first: str
    third: str
    width: str


def draw_splits(table: SplitTable) -> tuple[DrawnSplit, ...]:
    """Where the shares of each row of a breakdown lie, in its order."""
    return tuple(_place(row.success_at_1.share, row.success_at_3.share) for row in table.rows)


def _place(first: float | None, third: float | None) -> DrawnSplit:
    if first is None or third is None:
        return DrawnSplit(first="", third="", width="")
    return DrawnSplit(first=percent(first), third=percent(third), width=percent(third - first))
