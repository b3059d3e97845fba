"""How do several results look on a terminal? Load this module on use: it brings rich."""

from __future__ import annotations

from rich.console import Console

from evenhand.reports import numbers, wording
from evenhand.reports.collection import CollectionReport, build_collection_view
from evenhand.reports.collection_view import CollectionView, EntryView, GroupView, PairView
from evenhand.reports.terminal import print_advice, print_differences, print_reasons
from evenhand.reports.terminal_page import Page


def print_collection(report: CollectionReport, console: Console) -> None:
    """Print several evaluations: what may be compared with what, then what follows from it.

    Args:
        report: the evaluations.
        console: where to; see `terminal_page.make_console`.
    """
    view = build_collection_view(report)
    page = Page(console)
    page.line(view.title, style="bold")
    for text in view.intro:
        page.line(text)
    _corpora(view, page)
    _groups(view, page)
    _pairs(view, page)
    _commands(view, page)


def _corpora(view: CollectionView, page: Page) -> None:
    if not view.corpora:
        return
    page.heading("Corpora")
    page.table(
        ("Corpus", "size", "digest"),
        ((corpus.name, corpus.value, numbers.short(corpus.note)) for corpus in view.corpora),
    )


def _groups(view: CollectionView, page: Page) -> None:
    page.heading("Headline rates")
    page.line(f"{wording.SIDE_BY_SIDE} {wording.FAILED_COUNT}", style="dim")
    for group in view.groups:
        page.blank()
        page.line(f"Benchmark {group.benchmark}, corpus {group.corpus}", style="bold")
        _rates(group, page)


def _rates(group: GroupView, page: Page) -> None:
    names = [rate.name for rate in group.entries[0].evaluation.headline]
    page.table(("Result", *names), (_rate_row(entry) for entry in group.entries))
    counts = [count.name for count in group.entries[0].evaluation.counts]
    page.table(
        ("Result", *counts),
        (_count_row(entry) for entry in group.entries),
        right=range(1, len(counts) + 1),
    )


def _rate_row(entry: EntryView) -> tuple[str, ...]:
    return (entry.name, *(rate.text for rate in entry.evaluation.headline))


def _count_row(entry: EntryView) -> tuple[str, ...]:
    return (entry.name, *(str(count.number) for count in entry.evaluation.counts))


def _pairs(view: CollectionView, page: Page) -> None:
    if view.comparable:
        page.heading("May be compared")
        page.line(wording.PLAIN, style="dim")
    for pair in view.comparable:
        page.state(pair.state, pair.word, f"{pair.later} minus {pair.earlier}: {pair.flips}")
        print_differences(pair.differences, page, current=pair.later, previous=pair.earlier)
        _notices(pair, page)
    if view.refused:
        page.heading("Refused")
        page.line(view.refused_note, style="dim")
    for pair in view.refused:
        page.state(pair.state, pair.word, f"{pair.earlier} and {pair.later}")
        page.line(pair.sentence, indent=2)
        print_reasons(pair.reasons, page, current=pair.later, previous=pair.earlier)
        _notices(pair, page)
        if pair.advice is not None:
            print_advice(pair.advice, page)


def _notices(pair: PairView, page: Page) -> None:
    for notice in pair.notices:
        page.notice(notice, indent=2)


def _commands(view: CollectionView, page: Page) -> None:
    if not view.commands:
        return
    page.heading("Next, with your own data")
    for command in view.commands:
        page.line(command.says, indent=2)
        page.verbatim(command.text)
