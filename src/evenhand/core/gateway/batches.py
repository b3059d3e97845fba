"""How does a long request fit an upstream that takes few inputs at a time?

It is cut into parts of consecutive inputs. Each part's answer is checked by itself and the parts
are put together in their order; where one fails, nothing is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: The greatest number of tokens that is believed: every reader of JSON holds it exactly, and so
#: does every database.
MAX_TOKENS: Final = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an upstream says that it counted. None is unknown, which is not zero.

    Attributes:
        prompt_tokens: from 0 to `MAX_TOKENS`.
        total_tokens: from 0 to `MAX_TOKENS`.
    """

    prompt_tokens: int | None = None
    total_tokens: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a number to pass on."""
        return self.prompt_tokens is not None


def split(count: int, limit: int | None) -> tuple[range, ...]:
    """Which inputs go out together: consecutive, each part but the last of ``limit`` inputs.

    Args:
        count: of inputs, at least 1.
        limit: how many the upstream takes at a time, at least 1; None where it takes all.

    Source: case B-103.
    """
    if limit is None or count <= limit:
        return (range(count),)
    step = limit
    return tuple(range(start, min(start + step, count)) for start in range(0, count, step))


def total(parts: Sequence[Usage]) -> Usage:
    """Usage of a whole request; unknown where it is unknown of any part, or out of range.

    Args:
        parts: at least one, each of numbers that are believed.

    Source: cases B-101, B-103.
    """
    if len(parts) == 1:
        return parts[0]
    return Usage(
        prompt_tokens=_sum([part.prompt_tokens for part in parts]),
        total_tokens=_sum([part.total_tokens for part in parts]),
    )


def read_count(value: object) -> int | None:
    """A number of tokens that an upstream stated; None for whatever is no such number.

    Source: case B-101.
    """
    return value if type(value) is int and 0 <= value <= MAX_TOKENS else None


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return read_count(sum(known)) if known and len(known) == len(numbers) else None
