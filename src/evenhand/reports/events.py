"""An answer about events, as plain lines: one paragraph a group, and no total."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.contracts.trusted import Group, TrustedAnswer

UNKNOWN: Final = "unknown"


def answer_lines(answer: TrustedAnswer) -> tuple[str, ...]:
    """The question, the window, then each group with its numbers."""
    return (
        answer.question.stated.asks,
        window_text(answer),
        *(line for group in answer.groups for line in _group_lines(group)),
        *(() if answer.groups else ("", "no event in the window")),
    )


def window_text(answer: TrustedAnswer) -> str:
    """The half-open window in words."""
    start, end = answer.window.start, answer.window.end
    return f"from {start:%Y-%m-%dT%H:%M:%SZ} until before {end:%Y-%m-%dT%H:%M:%SZ}"


def number_text(value: float | None) -> str:
    """A number of an answer: a count as it is, any other to four decimals; None is unknown."""
    if value is None:
        return UNKNOWN
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _group_lines(group: Group) -> Iterator[str]:
    yield ""
    yield "  ".join(f"{name} {UNKNOWN if one is None else one}" for name, one in group.of.items())
    for name, value in {**group.measures, **group.rates}.items():
        yield f"    {name}  {number_text(value)}"
