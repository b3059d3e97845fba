"""How does a trusted answer read? Versions beside each other inside one benchmark and stratum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evenhand.console.charts.answers import AnswerPart, answer_parts, drawn_series
from evenhand.console.present.events import window_text
from evenhand.contracts.trusted import TrustedAnswer
from evenhand.reports.events import number_text
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import Fact
from evenhand.reports.wording import UNKNOWN

_TITLES: Final = {"benchmark": "Benchmark", "review_stratum": "Review stratum"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCell:
    """One number of a group; ``bar`` is how long its bar is, and empty where there is no value."""

    text: str
    bar: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One group: its versions, what is drawn of it, and all of its numbers.

    Attributes:
        versions: in the order of the columns; the first names the group.
        drawn: in the order of the drawn columns.
        numbers: in the order of the columns.
    """

    versions: tuple[str, ...]
    drawn: tuple[AnswerCell, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """The groups of one benchmark and stratum, which alone may be set beside each other.

    Attributes:
        shared: benchmark and stratum.
        is_known: whether both are; unknown equals nothing, so then nothing is drawn.
        rows: one for each group.
    """

    shared: tuple[Fact, ...]
    is_known: bool
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """A question, its window and what it gives.

    Attributes:
        name, asks: the question.
        window: as text.
        start, end: the same to be typed over, to the minute.
        digest: of the text that was asked; ``reviewed`` says by whom and when.
        versions, drawn: headings of the columns.
        columns: name and meaning of each number.
        parts: in the answer's order.
        csv: address of the same as CSV.
    """

    name: str
    asks: str
    window: str
    start: str
    end: str
    digest: str
    reviewed: str
    versions: tuple[str, ...]
    drawn: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    parts: tuple[PartView, ...]
    csv: str


def answer_view(answer: TrustedAnswer, *, csv: str) -> AnswerView:
    """The page of an answer.

    Args:
        answer: over a window.
        csv: address of the same as CSV.
    """
    stated = answer.question.stated
    versions = tuple(name for name in stated.groups if name not in _TITLES)
    columns = (
        *((one.name, one.means) for one in stated.measures),
        *((one.name, one.means) for one in stated.rates),
    )
    drawn = drawn_series(answer)
    return AnswerView(
        name=answer.question.name,
        asks=stated.asks,
        window=window_text(answer.window),
        start=f"{answer.window.start:%Y-%m-%dT%H:%M}",
        end=f"{answer.window.end:%Y-%m-%dT%H:%M}",
        digest=stated.sql_sha256,
        reviewed=f"by {stated.reviewed_by} on {stated.reviewed_on:%Y-%m-%d}",
        versions=tuple(map(_words, versions)),
        drawn=tuple(map(_words, drawn)),
        columns=tuple((_words(name), means) for name, means in columns),
        parts=tuple(
            _part(part, versions, tuple(name for name, _ in columns), drawn)
            for part in answer_parts(answer)
        ),
        csv=csv,
    )


def _part(
    part: AnswerPart, versions: tuple[str, ...], columns: tuple[str, ...], drawn: tuple[str, ...]
) -> PartView:
    rows = []
    for place, group in enumerate(part.groups):
        values: Mapping[str, float | None] = {**group.measures, **group.rates}
        rows.append(
            AnswerRow(
                versions=tuple(_label(group.of[name]) for name in versions),
                drawn=tuple(
                    AnswerCell(
                        text=number_text(values[name]),
                        bar=part.bars[name][place] if name in part.bars else "",
                    )
                    for name in drawn
                ),
                numbers=tuple(number_text(values[name]) for name in columns),
            )
        )
    return PartView(
        shared=tuple(
            Fact(name=_TITLES[name], value=_label(value)) for name, value in part.shared.items()
        ),
        is_known=part.is_known,
        rows=tuple(rows),
    )


def _label(value: str | None) -> str:
    return UNKNOWN if value is None else shown_id(value)


def _words(name: str) -> str:
    return name.replace("_", " ")
