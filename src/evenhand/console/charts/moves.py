"""Where did first targets stand before, and where after? A table of ranks against ranks.

A row is a rank on the current side, a column one of the candidate. On the diagonal nothing
moved; left of it the target came nearer, right of it it went further off. Questions that failed
on a side have no rank and are in no cell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.reports import numbers

#: A rank from 1, or None where no target came back.
Rank = int | None
#: The last rank of each band but the last two.
_BANDS: Final = (1, 2, 3, 5, 12)
_NAMES: Final = ("1", "2", "3", "4-5", "6-12", "13+", "none")
_LEVELS: Final = 4


class Move(StrEnum):
    """What became of a first target."""

    NEARER = "nearer"
    ALIKE = "alike"
    FURTHER = "further"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCell:
    """Questions that went from one band of ranks to another.

    Attributes:
        move: of the band; inside one a target counts as alike.
        count: of questions.
        level: how strongly it is drawn: 0 for none, else 1 to 4.
    """

    move: Move
    count: int
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """One band of ranks on the current side, and where its questions stand now."""

    name: str
    cells: tuple[MoveCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveChart:
    """Ranks against ranks.

    Attributes:
        names: of the columns; the bands that occur.
        rows: one for each band that occurs.
        summary: the table in one sentence.
    """

    names: tuple[str, ...]
    rows: tuple[MoveRow, ...]
    summary: str


def build_move_chart(counts: Mapping[tuple[Rank, Rank], int]) -> MoveChart | None:
    """Ranks before against ranks after; None where no question has both.

    Args:
        counts: of questions by rank on the current side and rank for the candidate.
    """
    bands: dict[tuple[int, int], int] = {}
    moved = dict.fromkeys(Move, 0)
    for (before, after), count in counts.items():
        place = _band(before), _band(after)
        bands[place] = bands.get(place, 0) + count
        moved[_move(before, after)] += count
    if not sum(bands.values()):
        return None
    used = sorted({band for place, count in bands.items() if count for band in place})
    most = max(bands.values())
    return MoveChart(
        names=tuple(_NAMES[band] for band in used),
        rows=tuple(
            MoveRow(
                name=_NAMES[row],
                cells=tuple(
                    _cell(row, column, bands.get((row, column), 0), most) for column in used
                ),
            )
            for row in used
        ),
        summary=(
            f"First target nearer for {numbers.count(moved[Move.NEARER], 'question')}, further "
            f"off for {moved[Move.FURTHER]}, where it was for {moved[Move.ALIKE]}."
        ),
    )


def _band(rank: Rank) -> int:
    if rank is None:
        return len(_NAMES) - 1
    return next((place for place, last in enumerate(_BANDS) if rank <= last), len(_BANDS))


def _move(before: Rank, after: Rank) -> Move:
    if before == after:
        return Move.ALIKE
    if before is None or (after is not None and after < before):
        return Move.NEARER
    return Move.FURTHER


def _cell(row: int, column: int, count: int, most: int) -> MoveCell:
    move = Move.ALIKE if row == column else Move.NEARER if column < row else Move.FURTHER
    # By the root: a few questions beside thousands are still seen.
    level = math.ceil(_LEVELS * math.sqrt(count / most)) if count else 0
    return MoveCell(move=move, count=count, level=level)
