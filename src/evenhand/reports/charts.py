"""Where does a share lie in a drawing? Positions as CSS percentages; templates draw with them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

_STEP: Final = 0.05


def percent(share: float) -> str:
    """A share in [0, 1] as a CSS percentage with one decimal."""
    return f"{100 * share:.1f}%"


class Drawn(Protocol):
    """What lies on an axis."""

    @property
    def drawn(self) -> tuple[float, float, float]:
        """Low, difference and high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A symmetric axis around zero, so that equal differences look equal in all rows.

    Attributes:
        reach: the difference at either end, in (0, 1].
    """

    reach: float

    def at(self, difference: float) -> str:
        """Where a difference lies, from the left end."""
        return percent((difference / self.reach + 1) / 2)

    def span(self, low: float, high: float) -> str:
        """How wide the room between two differences is."""
        return percent((high - low) / self.reach / 2)

    @property
    def end(self) -> str:
        """The difference at the right end, as text."""
        return f"{self.reach:.2f}"


def difference_scale(differences: Iterable[Drawn]) -> Scale:
    """The smallest scale in steps of 0.05 that holds every difference and bound."""
    widest = max((abs(end) for row in differences for end in row.drawn), default=0.0)
    # A hair is taken off, so that 0.15 in floating point does not become 0.20.
    steps = max(1, math.ceil(widest / _STEP - 1e-9))
    return Scale(reach=min(1.0, steps * _STEP))
