"""How do versions fare in a trusted answer? A bar a version, inside one benchmark and stratum.

Versions are set beside each other only where benchmark and review stratum are the same and both
are known: each pair of the two is a drawing of its own. Where one is unknown nothing says that
the rows belong together, so no bar is drawn there at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.console.charts.axis import axis_from_zero
from evenhand.contracts.trusted import Group, TrustedAnswer

#: What must be equal for two groups to be set beside each other.
SHARED: Final = ("benchmark", "review_stratum")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """The groups of one benchmark and stratum.

    Attributes:
        shared: the values of benchmark and stratum; None is unknown.
        groups: in the answer's order.
        bars: by the name of a series, how long the bar of each group is; empty for no value.
            Without a bar at all where benchmark or stratum is unknown.
    """

    shared: Mapping[str, str | None]
    groups: tuple[Group, ...]
    bars: Mapping[str, tuple[str, ...]]

    @property
    def is_known(self) -> bool:
        """Whether its groups may be set beside each other."""
        return None not in self.shared.values()


def answer_parts(answer: TrustedAnswer) -> tuple[AnswerPart, ...]:
    """The groups of an answer, apart wherever benchmark or stratum differ, in its order."""
    parts: dict[tuple[str | None, ...], list[Group]] = {}
    for group in answer.groups:
        parts.setdefault(tuple(group.of[name] for name in SHARED), []).append(group)
    return tuple(_part(answer, key, groups) for key, groups in parts.items())


def drawn_series(answer: TrustedAnswer) -> tuple[str, ...]:
    """The names of the series that have bars: shares and numbers; counts stand as they are."""
    stated = answer.question.stated
    return (
        *(one.name for one in stated.rates),
        *(one.name for one in stated.measures if one.type == "number"),
    )


def _part(
    answer: TrustedAnswer, key: tuple[str | None, ...], groups: Sequence[Group]
) -> AnswerPart:
    shared = dict(zip(SHARED, key, strict=True))
    series = () if None in key else drawn_series(answer)
    return AnswerPart(
        shared=shared,
        groups=tuple(groups),
        bars={name: _bars(name, groups) for name in series},
    )


def _bars(name: str, groups: Sequence[Group]) -> tuple[str, ...]:
    values = [{**one.measures, **one.rates}[name] for one in groups]
    known = [value for value in values if value is not None]
    # A share is drawn against the whole, whatever the others are.
    is_share = all(name in one.rates for one in groups) or max(known, default=0) <= 1
    axis = axis_from_zero(1 if is_share else max(known))
    return tuple("" if value is None else axis.across(value) for value in values)
