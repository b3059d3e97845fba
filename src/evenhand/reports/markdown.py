"""How does a comparison read as Markdown? For a pull request or a workflow's summary.

Somebody else's words stand in code spans or are escaped, so that no id and no question can become
a link, an image, HTML or a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.reports import comparison_wording as words
from evenhand.reports import numbers
from evenhand.reports.comparison_parts import ComparisonView, PairedView
from evenhand.reports.view import NoticeKind, QuestionList
from evenhand.reports.wording import PASTE, Advice

#: Questions that one list shows.
LISTED: Final = 50
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&:@/])")
_SIGNS: Final = {"comparable": "🔵", "baseline": "🟣", "unknown": "🟡", "mismatch": "🔴"}


def comparison_markdown(view: ComparisonView) -> str:
    """The text of one comparison, with a line feed at its end; equal input gives equal text."""
    return "\n".join(_blocks(view)) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown reads as nothing but text."""
    return _SPECIAL.sub(r"\\\1", text)


def code(text: str) -> str:
    """A code span around any text; a cell of a table may hold it."""
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    # A bar would end a table's cell even inside a code span.
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _blocks(view: ComparisonView) -> Iterator[str]:
    yield f"## {escaped(view.title)}\n"
    yield f"**{_SIGNS[view.state.value]} {view.word}.** {view.sentence}\n"
    yield from _reasons(view)
    if view.answer:
        yield from _answer(view)
    for notice in view.notices:
        mark = "⚠️ " if notice.kind is NoticeKind.FLAG else ""
        yield f"- {mark}{notice.text}"
    if view.notices:
        yield ""
    yield from _behind(view)
    yield from _folded("What was run", _identities(view))
    yield from (f"- {side.role}: {code(side.retriever)}, {side.source}" for side in view.sides)
    yield f"\n{view.uses}\n" if view.uses else ""
    if view.advice is not None:
        yield from _advice(view.advice)


def _reasons(view: ComparisonView) -> Iterator[str]:
    for reason in view.reasons:
        dimension = f"**{reason.dimension}**: " if reason.dimension else ""
        yield f"- {dimension}{reason.sentence}"
        if reason.current or reason.previous:
            yield f"  - candidate: {code(reason.current)}"
            yield f"  - current: {code(reason.previous)}"
    if view.reasons:
        yield ""


def _behind(view: ComparisonView) -> Iterator[str]:
    for listed in view.lists:
        yield from _questions(listed)
    if view.descriptive:
        yield from _folded("Other measures", _measures(view))
    for split in view.splits:
        rows = [(escaped(name), *_cells(row)) for name, row in split.rows]
        yield from _folded(split.caption, _table(("Group", *_HEADS), rows))
    if view.moves:
        yield f"{view.moves} {view.latency}\n"


_HEADS: Final = ("Current", "Candidate", "Difference", "Won", "Lost")


def _answer(view: ComparisonView) -> Iterator[str]:
    yield f"**{view.answer}.** {view.answer_sentence}\n"
    primary = view.primary
    if primary is not None:
        heads = ("Measure", *_HEADS, f"{primary.confidence} interval", "Test")
        yield from _table(
            heads, [(primary.measure, *_cells(primary), primary.interval, primary.test)]
        )
        if primary.bounds:
            yield f"Bounds {primary.bounds}. {words.BOUNDS}\n"
    if view.detectable:
        yield f"{view.detectable}\n"


def _measures(view: ComparisonView) -> Iterator[str]:
    yield f"{words.DESCRIPTIVE}\n"
    rows = [(row.measure, *_cells(row), row.interval) for row in view.descriptive]
    yield from _table(("Measure", *_HEADS, "Interval"), rows)


def _cells(row: PairedView) -> tuple[str, ...]:
    return row.current, row.candidate, row.delta, str(row.wins), str(row.losses)


def _questions(listed: QuestionList) -> Iterator[str]:
    rows = [(code(one.id), one.detail, escaped(one.text)) for one in listed.shown[:LISTED]]
    yield from _folded(
        f"{listed.title}: {listed.total}",
        [
            *_table(("Question", listed.detail, "Text"), rows),
            *([f"and {listed.total - len(rows)} more\n"] if listed.total > len(rows) else ()),
        ],
    )


def _identities(view: ComparisonView) -> Iterator[str]:
    rows = [
        (row.name, *(map(code, numbers.short_pair(row.current, row.candidate))))
        for row in view.identities
    ]
    yield from _table(("Identity", "Current", "Candidate"), rows)


def _advice(advice: Advice) -> Iterator[str]:
    if advice.paste:
        yield f"{PASTE}\n"
        yield from _fenced(advice.paste, "toml")
    yield f"{advice.sentence}\n"
    yield from _fenced("\n".join(advice.commands), "sh")


def _fenced(text: str, language: str) -> Iterator[str]:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    yield f"{fence}{language}\n{text}\n{fence}\n"


def _folded(title: str, lines: Iterator[str] | Sequence[str]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>\n"
    yield from lines
    yield "</details>\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(heads)
    yield _row(["---"] * len(heads))
    yield from map(_row, rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
