"""Where does a value lie on an axis? Ticks at round numbers, positions as CSS percentages.

An axis need not begin at zero where values are drawn as points: then its ends are written beside
it. What is drawn as a bar begins at zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from evenhand.reports.charts import percent

#: Room at either end for points, as a share of the whole, so that one at the end is seen whole.
INSET: Final = 0.04
_STEPS: Final = (Decimal(1), Decimal(2), Decimal(5), Decimal(10))
#: Shares are never drawn nearer than this: a change of a thousandth is no cliff.
_LEAST_SPAN: Final = 0.1
#: Below this nothing can be drawn that would differ from zero.
_NOTHING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A round number on an axis: where it lies, and its text."""

    at: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A straight axis between two values.

    Attributes:
        low, high: its ends; ``low`` lies below ``high``.
        step: between two ticks, above 0.
        inset: room at either end, as a share of the whole.
    """

    low: Decimal
    high: Decimal
    step: Decimal
    inset: float = 0.0

    def across(self, value: float) -> str:
        """Where a value lies, from the left."""
        return percent(self.inset + (1 - 2 * self.inset) * self._share(value))

    def down(self, value: float) -> str:
        """Where a value lies, from the top; great values lie high."""
        return percent(self.inset + (1 - 2 * self.inset) * (1 - self._share(value)))

    @property
    def ticks_down(self) -> tuple[Tick, ...]:
        """The ticks from the highest to the lowest, placed from the top."""
        return tuple(Tick(at=self.down(float(one)), text=_text(one)) for one in self._values[::-1])

    @property
    def _values(self) -> tuple[Decimal, ...]:
        count = int((self.high - self.low) / self.step)
        return tuple(self.low + self.step * number for number in range(count + 1))

    def _share(self, value: float) -> float:
        low, high = float(self.low), float(self.high)
        return min(1.0, max(0.0, (value - low) / (high - low)))


def share_axis(values: Sequence[float]) -> Axis:
    """An axis for shares, around what is drawn and inside [0, 1].

    Args:
        values: shares in [0, 1]; none gives the whole axis.
    """
    if not values:
        return Axis(low=Decimal(0), high=Decimal(1), step=Decimal("0.5"), inset=INSET)
    low, high = min(values), max(values)
    missing = max(0.0, _LEAST_SPAN - (high - low)) / 2
    low = max(0.0, min(low - missing, 1 - _LEAST_SPAN))
    high = min(1.0, max(high + missing, _LEAST_SPAN))
    step = _round_step((high - low) / 3)
    first, last = _floor(low, step), -_floor(-high, step)
    return Axis(low=first, high=last, step=step, inset=INSET)


def axis_from_zero(highest: float, *, ticks: int = 4) -> Axis:
    """An axis from zero to a round number that is not below the highest value.

    Args:
        highest: at least 0; 0 gives an axis up to 1.
        ticks: how many steps there are, about.
    """
    if highest < _NOTHING:
        return Axis(low=Decimal(0), high=Decimal(1), step=Decimal(1))
    step = _round_step(highest / ticks)
    steps = max(1, math.ceil(highest / float(step) - 1e-9))
    return Axis(low=Decimal(0), high=step * steps, step=step)


def round_width(span: float, parts: int) -> int:
    """A whole number of 1, 2 or 5 times a power of ten, so that few parts of it cover a span.

    Args:
        span: above 0.
        parts: how many there may be, at least 1.
    """
    return max(1, int(_round_step(span / parts)))


def _round_step(least: float) -> Decimal:
    """The smallest of 1, 2, 5 times a power of ten that is not below a value."""
    power = Decimal(10) ** math.floor(math.log10(least))
    reached = Decimal(repr(least)) * (1 - Decimal("1e-9"))
    return next(step * power for step in _STEPS if step * power >= reached)


def _floor(value: float, step: Decimal) -> Decimal:
    # A hair is added, so that 0.3 in floating point does not fall to 0.2.
    return step * math.floor(value / float(step) + 1e-9)


def _text(value: Decimal) -> str:
    plain = f"{value.normalize():f}"
    return "0" if plain in ("-0", "0") else plain
