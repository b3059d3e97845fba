"""How does a report look on a terminal? Load this module on use: it brings rich."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from evenhand.core.comparison.previous import PreviousComparison
from evenhand.reports import numbers, wording
from evenhand.reports.comparison_parts import ComparisonView
from evenhand.reports.comparison_view import build_baseline_view
from evenhand.reports.evaluation_view import build_evaluation_view
from evenhand.reports.graded import GRADED
from evenhand.reports.subject import Subject
from evenhand.reports.terminal_page import Page, make_console
from evenhand.reports.verdict_view import Hints
from evenhand.reports.view import (
    DifferenceView,
    EvaluationView,
    QuestionList,
    RateView,
    ReasonView,
    SplitRow,
    VerdictView,
)
from evenhand.reports.wording import Advice

__all__ = ["make_console", "print_evaluation"]

#: Questions that are named under one heading.
NAMED: Final = 10


def print_evaluation(
    subject: Subject,
    console: Console,
    *,
    comparison: PreviousComparison | None = None,
    hints: Hints | None = None,
    verbose: bool = False,
) -> None:
    """Print one evaluation.

    Args:
        subject: the evaluation.
        console: where to; see `make_console`.
        comparison: against the previous one, None when nothing was compared.
        hints: what only the caller knows.
        verbose: also name missed questions, and show digests in full.
    """
    view = build_evaluation_view(subject, comparison, hints)
    page = Page(console)
    _head(view, page)
    print_headline(view, page)
    if view.verdict is not None:
        page.blank()
        _verdict(view.verdict, page)
    has_advice = view.verdict is not None and view.verdict.advice is not None
    against = build_baseline_view(subject, hints or Hints(), has_advice=has_advice)
    if against is not None:
        page.blank()
        print_baseline(against, page)
    if view.notices:
        page.blank()
        for notice in view.notices:
            page.notice(notice)
    _splits(view, page)
    _questions(view.lists, page, verbose=verbose)
    _latency(view, page)
    _identities(view, page, verbose=verbose)


def print_headline(view: EvaluationView, page: Page) -> None:
    """The four headline rates and what stands beside them."""
    page.table(("",) * 4, (_rate_row(rate, page) for rate in view.headline))
    page.line(" · ".join(f"{count.name} {count.number}" for count in view.counts))
    if view.graded:
        page.line(GRADED, style="dim")
        page.table(("", "mean", ""), ((one.name, one.mean, one.scope) for one in view.graded))
    page.line(f"privacy {view.privacy}")
    page.line(f"basis {view.basis}")


def print_reasons(
    reasons: tuple[ReasonView, ...], page: Page, *, current: str, previous: str
) -> None:
    """Why a verdict refuses, with both sides where the values are known."""
    for reason in reasons:
        dimension = f"{reason.dimension}: " if reason.dimension else ""
        page.line(dimension + reason.sentence, indent=2)
        if reason.current or reason.previous:
            page.line(f"{current}: {reason.current}", indent=4)
            page.line(f"{previous}: {reason.previous}", indent=4)


def print_differences(
    differences: tuple[DifferenceView, ...], page: Page, *, current: str, previous: str
) -> None:
    """Differences of rates, with their bounds where questions failed."""
    bounds = any(row.bounds for row in differences)
    columns = ("Rate", previous, current, "difference") + (("bounds",) if bounds else ())
    page.table(columns, (_difference_row(row, bounds=bounds) for row in differences))


def print_advice(advice: Advice, page: Page) -> None:
    """What gives a fair answer; the commands come last."""
    if advice.paste:
        page.line(wording.PASTE, indent=2)
        page.verbatim(advice.paste)
    page.line(advice.sentence, indent=2)
    page.verbatim("\n".join(advice.commands))


def print_baseline(against: ComparisonView, page: Page) -> None:
    """The result against the pinned baseline, in few lines; `evenhand compare` gives them all."""
    page.state(against.state, f"Against the pinned {against.sides[0].source}: {against.word}", "")
    if against.reasons:
        page.line(against.sentence, indent=2)
    print_reasons(against.reasons, page, current="now", previous="baseline")
    if against.answer:
        page.line(f"{against.answer}: {against.answer_sentence}", indent=2, hang=2)
    row = against.primary
    if row is not None:
        page.line(
            f"{row.measure} from {row.current} to {row.candidate}: {row.delta}; "
            f"{row.confidence} interval {row.interval}; won {row.wins}, lost {row.losses}",
            indent=2,
            hang=2,
        )
        if row.bounds:
            page.line(f"bounds {row.bounds}", indent=2)
    if against.advice is not None:
        print_advice(against.advice, page)


def _head(view: EvaluationView, page: Page) -> None:
    page.line(f"{view.retriever} on {view.set_name} ({view.set_identifier})", style="bold")
    stored = f"evaluation {view.stored_as}" if view.stored_as else "not stored"
    page.line(f"{stored} · started {view.started} · took {view.duration}", style="dim")
    page.blank()


def _rate_row(rate: RateView, page: Page) -> tuple[str, ...]:
    drawing = page.bar(rate.share) if page.is_wide else ""
    return rate.name, rate.text, drawing, rate.scope


def _verdict(verdict: VerdictView, page: Page) -> None:
    page.state(verdict.state, verdict.word, "")
    page.line(verdict.sentence, indent=2)
    if verdict.previous:
        page.line(f"previous: {verdict.previous}", indent=2, style="dim")
    print_reasons(verdict.reasons, page, current="now", previous="before")
    if verdict.differences:
        print_differences(verdict.differences, page, current="now", previous="before")
    for notice in verdict.notices:
        page.notice(notice, indent=2)
    if verdict.advice is not None:
        print_advice(verdict.advice, page)


def _difference_row(row: DifferenceView, *, bounds: bool) -> tuple[str, ...]:
    delta = f"{row.delta} incomplete" if row.incomplete else row.delta
    return (row.measure, row.previous, row.current, delta) + ((row.bounds,) if bounds else ())


def _splits(view: EvaluationView, page: Page) -> None:
    for table in view.splits:
        page.heading(table.caption)
        columns = (table.group, "n", "failed", "no-answer", "Success@1", "Success@3")
        page.table(
            (*columns, "Abstention") if table.has_no_answer else columns,
            (_split_row(row, has_no_answer=table.has_no_answer) for row in table.rows),
            right=(1, 2, 3),
        )
    page.heading("Pooled rates")
    page.line(wording.POOLED, style="dim")
    page.table(
        ("", "n", "top1", "top3"),
        ((row.name, str(row.questions), row.top1.text, row.top3.text) for row in view.pooled),
        right=(1,),
    )


def _split_row(row: SplitRow, *, has_no_answer: bool) -> tuple[str, ...]:
    counts = (str(row.questions), str(row.failed), str(row.no_answer))
    rates = (row.success_at_1.text, row.success_at_3.text)
    return (row.name, *counts, *rates) + ((row.abstention.text,) if has_no_answer else ())


def _questions(lists: tuple[QuestionList, ...], page: Page, *, verbose: bool) -> None:
    if not lists:
        return
    page.heading("Questions")
    for listed in lists:
        if not (listed.is_named or verbose):
            page.line(f"{listed.title}: {listed.total}. Option -v names them.")
            continue
        page.line(f"{listed.title}: {listed.total}")
        for question in listed.shown[:NAMED]:
            text = f"  {question.text}" if question.text else ""
            page.line(f"{question.id}  [{question.detail}]{text}", indent=2, hang=2)
        if listed.total > NAMED:
            page.line(f"and {listed.total - NAMED} more", indent=2, style="dim")


def _latency(view: EvaluationView, page: Page) -> None:
    page.heading("Latency of the retrieval call")
    if view.latency is None:
        page.line("not known")
        return
    latency = view.latency
    page.line(
        f"median {latency.median}, 90th percentile {latency.p90} over "
        f"{numbers.count(latency.questions, 'question')} that did not fail"
    )
    page.line(latency.conditions, style="dim")


def _identities(view: EvaluationView, page: Page, *, verbose: bool) -> None:
    page.heading("What was run")
    page.line(view.identity_note, style="dim")
    for note in dict.fromkeys(fact.note for fact in view.identities):
        page.line(f"{note.capitalize()}:", style="dim")
        page.facts(
            (fact.name, fact.value if verbose else numbers.short(fact.value))
            for fact in view.identities
            if fact.note == note
        )
    page.line("Recorded:", style="dim")
    page.facts((fact.name, fact.value) for fact in view.facts)
