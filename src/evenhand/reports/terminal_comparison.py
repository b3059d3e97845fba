"""How does a comparison look on a terminal? Load this module on use: it brings rich."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from evenhand.reports import comparison_wording as words
from evenhand.reports import numbers
from evenhand.reports.comparison_parts import ComparisonView, PairedView
from evenhand.reports.terminal import print_advice, print_reasons
from evenhand.reports.terminal_page import Page

#: Questions that are named under one heading, more with ``verbose``.
NAMED: Final = 10
_STYLES: Final = {"Better": "bold green", "Worse": "bold red"}


def print_comparison(view: ComparisonView, console: Console, *, verbose: bool = False) -> None:
    """Print one comparison: the verdict, the answer with its uncertainty, the questions behind it.

    Args:
        view: the comparison.
        console: where to; see `make_console`.
        verbose: name every listed question, and show digests in full.
    """
    page = Page(console)
    page.line(view.title, style="bold")
    for side in view.sides:
        page.line(f"{side.role}: {side.retriever}, {side.source}", style="dim", hang=2)
    page.blank()
    page.state(view.state, view.word, "")
    page.line(view.sentence, indent=2)
    print_reasons(view.reasons, page, current="candidate", previous="current")
    if view.answer:
        _answer(view, page)
    if view.notices:
        page.blank()
        for notice in view.notices:
            page.notice(notice)
    if view.answer:
        _behind(view, page, verbose=verbose)
    _identities(view, page, verbose=verbose)
    if view.uses:
        page.blank()
        page.line(view.uses, style="dim")
    if view.advice is not None:
        page.blank()
        print_advice(view.advice, page)


def _answer(view: ComparisonView, page: Page) -> None:
    page.blank()
    page.line(view.answer, style=_STYLES.get(view.answer, "bold yellow"))
    page.line(view.answer_sentence, indent=2)
    primary = view.primary
    if primary is not None:
        page.line(
            f"{primary.measure}: {primary.delta}; {primary.confidence} interval "
            f"{primary.interval}; {primary.test}",
            indent=2,
            hang=2,
        )
        page.line(f"current {primary.current}, candidate {primary.candidate}", indent=2, hang=2)
        page.line(_record(primary), indent=2)
        if primary.bounds:
            page.line(f"bounds {primary.bounds}. {words.BOUNDS}", indent=2, hang=2)
    if view.detectable:
        page.line(view.detectable, indent=2, hang=2)


def _behind(view: ComparisonView, page: Page, *, verbose: bool) -> None:
    for listed in view.lists:
        page.heading(f"{listed.title}: {listed.total}")
        shown = listed.shown if verbose else listed.shown[:NAMED]
        for question in shown:
            text = f"  {question.text}" if question.text else ""
            page.line(f"{question.id}  [{question.detail}]{text}", indent=2, hang=2)
        if listed.total > len(shown):
            page.line(f"and {listed.total - len(shown)} more", indent=2, style="dim")
    if view.descriptive:
        page.heading("Other measures")
        page.line(words.DESCRIPTIVE, style="dim")
        columns = ("Measure", "current", "candidate", "difference", "interval", "won/lost")
        page.table(columns, (_row(row) for row in view.descriptive))
    for split in view.splits:
        page.heading(split.caption)
        page.table(
            ("Group", "current", "candidate", "difference", "won/lost"),
            ((name, *_row(row)[1:4], _row(row)[5]) for name, row in split.rows),
        )
    if view.moves:
        page.heading("Ranks and latency")
        page.line(view.moves)
        page.line(view.latency)


def _row(row: PairedView) -> tuple[str, ...]:
    lost = f"{row.wins}/{row.losses}"
    return row.measure, row.current, row.candidate, row.delta, row.interval, lost


def _record(row: PairedView) -> str:
    return (
        f"won {row.wins}, lost {row.losses}, alike {row.ties} of "
        f"{numbers.count(row.wins + row.losses + row.ties, 'question')}"
    )


def _identities(view: ComparisonView, page: Page, *, verbose: bool) -> None:
    moved = [row for row in view.identities if row.moved]
    rows = view.identities if verbose else moved
    page.heading("What was run")
    if not moved:
        page.line(words.NOTHING_MOVED)
    elif not verbose:
        page.line("What the two sides state differently:", style="dim")
    for row in rows:
        sides = (row.current, row.candidate)
        current, candidate = sides if verbose else numbers.short_pair(*sides)
        page.line(row.name, indent=2)
        if row.moved:
            page.line(f"current   {current}", indent=4, hang=10)
            page.line(f"candidate {candidate}", indent=4, hang=10)
        else:
            page.line(f"both      {current}", indent=4, hang=10)
