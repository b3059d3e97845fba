"""How is an answer about events drawn? Bars of the groups that may be held against each other.

A block is one benchmark and one review stratum: only inside of it do bars share a scale, and there
is no bar over two blocks. What is unknown is drawn as an empty bar and said in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from evenhand.contracts.trusted import Group, TrustedAnswer
from evenhand.reports.events import UNKNOWN, number_text, window_text

#: The columns that decide what may be compared; the others of a group tell its bars apart.
_BLOCK: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBar:
    """One group's value.

    Attributes:
        name: the versions that the group is of.
        text: the value in words.
        share: of the full width, in [0, 1]; None where the value is unknown.
    """

    name: str
    text: str
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSeries:
    """One number of every group of a block.

    Attributes:
        name: what it is called.
        means: one sentence.
        full: what the full width stands for; empty where nothing is known.
        bars: one a group, in the order of the answer.
    """

    name: str
    means: str
    full: str
    bars: tuple[ChartBar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBlock:
    """What may be compared: one benchmark and one review stratum.

    Attributes:
        of: name and value of what all of its groups share.
        series: shares and numbers, drawn.
        counts: the names of the counts.
        rows: for each group its versions and its counts.
    """

    of: tuple[tuple[str, str], ...]
    series: tuple[ChartSeries, ...]
    counts: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """An answer about events, ready to be drawn.

    Attributes:
        asks: the question.
        window: over which time.
        blocks: none where no event is in the window.
    """

    asks: str
    window: str
    blocks: tuple[ChartBlock, ...]


def build_answer_view(answer: TrustedAnswer) -> AnswerView:
    """The drawing of an answer; equal answers give equal drawings."""
    return AnswerView(
        asks=answer.question.stated.asks,
        window=window_text(answer),
        blocks=tuple(
            _block(answer, list(groups)) for _, groups in groupby(answer.groups, _identity)
        ),
    )


def _identity(group: Group) -> tuple[str | None, ...]:
    return tuple(group.of.values())[:_BLOCK]


def _block(answer: TrustedAnswer, groups: Sequence[Group]) -> ChartBlock:
    stated = answer.question.stated
    names = stated.groups[:_BLOCK]
    counts = tuple(one.name for one in stated.measures if one.type == "count")
    return ChartBlock(
        of=tuple((name, groups[0].of[name] or UNKNOWN) for name in names),
        series=tuple(_series(answer, groups)),
        counts=counts,
        rows=tuple(
            (_versions(one), tuple(number_text(one.measures[name]) for name in counts))
            for one in groups
        ),
    )


def _series(answer: TrustedAnswer, groups: Sequence[Group]) -> Iterator[ChartSeries]:
    stated = answer.question.stated
    for rate in stated.rates:
        yield _drawn(rate.name, rate.means, groups, [one.rates for one in groups], full=1.0)
    for measure in stated.measures:
        if measure.type != "count":
            values = [one.measures for one in groups]
            yield _drawn(measure.name, measure.means, groups, values, full=None)


def _drawn(
    name: str,
    means: str,
    groups: Sequence[Group],
    values: Sequence[Mapping[str, float | None]],
    *,
    full: float | None,
) -> ChartSeries:
    """Bars of one number; without a full width the largest value of the block has it."""
    known = [one for of in values if (one := of[name]) is not None]
    top = max(known, default=0.0) if full is None else full
    return ChartSeries(
        name=name,
        means=means,
        full=number_text(top) if known else "",
        bars=tuple(
            ChartBar(
                name=_versions(group),
                text=number_text(value),
                share=None if value is None else (value / top if top else 0.0),
            )
            for group, value in zip(groups, (of[name] for of in values), strict=True)
        ),
    )


def _versions(group: Group) -> str:
    pairs = list(group.of.items())[_BLOCK:]
    return ", ".join(f"{name} {value or UNKNOWN}" for name, value in pairs)
