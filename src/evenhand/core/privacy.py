"""How much of an evaluation may be kept, and who decides what a text becomes before it is?"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class PrivacyLevel(StrEnum):
    """How much content is kept, strict to loose.

    ``none`` and ``metadata`` drop content; ``redacted`` keeps a scrubbed, bounded copy; ``full``
    keeps it as it is. Aggregates and identities are kept at every level.
    """

    NONE = "none"
    METADATA = "metadata"
    REDACTED = "redacted"
    FULL = "full"

    @property
    def keeps_outcomes(self) -> bool:
        """Whether outcomes (no ids, no text) are kept: from ``metadata`` up."""
        return self is not PrivacyLevel.NONE

    @property
    def keeps_run(self) -> bool:
        """Whether ranked ids and scores are kept: only at ``full``."""
        return self is PrivacyLevel.FULL


def stricter(one: PrivacyLevel, other: PrivacyLevel) -> PrivacyLevel:
    """The stricter of two levels (BP-28)."""
    order = tuple(PrivacyLevel)
    return min(one, other, key=order.index)


class PrivacyPolicy(Protocol):
    """What decides about content before it is stored."""

    @property
    def level(self) -> PrivacyLevel:
        """The level this policy stands for."""

    def filter_content(self, value: str | bytes | None) -> str | bytes | None:
        """What may be kept of a value; None keeps nothing. Sees the original, never an encoding."""
