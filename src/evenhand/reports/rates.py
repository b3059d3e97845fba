"""Which rates and breakdowns does a result show? Headline rates apart from the pooled ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.core.scoring.protocols import HitCounts, Split, rate
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_text
from evenhand.reports.subject import Subject
from evenhand.reports.view import CountView, PooledRow, RateView, SplitRow, SplitTable

ANSWERABLE: Final = "answerable questions"
NO_ANSWER: Final = "no-answer questions"
ALL: Final = "all judged questions"


def rate_view(name: str, scope: str, hits: int, total: int) -> RateView:
    """One rate, written out."""
    return RateView(
        name=name,
        scope=scope,
        text=numbers.rate_text(hits, total),
        decimal=numbers.decimal(rate(hits, total)) if total else "",
        fraction=numbers.fraction_text(hits, total),
        share=float(rate(hits, total)) if total else None,
    )


def headline_rates(counts: HitCounts) -> tuple[RateView, ...]:
    """Success@1, Success@3, abstention, false abstention; a pooled rate is never among them."""
    false_abstention = rate_view(
        "False abstention", ANSWERABLE, counts.false_abstained, counts.answerable
    )
    return (
        rate_view("Success@1", ANSWERABLE, counts.answerable_top1_hits, counts.answerable),
        rate_view("Success@3", ANSWERABLE, counts.answerable_top3_hits, counts.answerable),
        rate_view("Abstention", NO_ANSWER, counts.abstained, counts.no_answer),
        replace(false_abstention, lower_is_better=True),
    )


def count_views(counts: HitCounts) -> tuple[CountView, ...]:
    """What stands beside every mean (DESIGN 2.3)."""
    return (
        CountView(name="attempted", number=counts.attempted),
        CountView(name="scored", number=counts.scored),
        CountView(name="failed", number=counts.failed),
        CountView(name="unjudged", number=counts.unjudged),
        CountView(name="no-answer", number=counts.no_answer),
    )


def split_tables(subject: Subject) -> tuple[SplitTable, ...]:
    """Breakdowns by form and by hard class, those that have a group."""
    tables = (("form", subject.forms), ("hard class", subject.hard_classes))
    return tuple(
        SplitTable(
            caption=f"By {group} ({wording.DESCRIPTIVE})",
            group=group.capitalize(),
            rows=tuple(map(_split_row, splits)),
        )
        for group, splits in tables
        if splits
    )


def pooled_rows(subject: Subject) -> tuple[PooledRow, ...]:
    """Pooled rates of all judged questions, then of each group (BP-11)."""
    whole = Split(name="all", counts=subject.counts)
    return tuple(map(_pooled_row, (whole, *subject.forms, *subject.hard_classes)))


def _split_row(split: Split) -> SplitRow:
    counts = split.counts
    success_at_1, success_at_3, abstention, _ = headline_rates(counts)
    return SplitRow(
        name=shown_text(split.name),
        questions=counts.questions,
        scored=counts.scored,
        failed=counts.failed,
        no_answer=counts.no_answer,
        success_at_1=success_at_1,
        success_at_3=success_at_3,
        abstention=abstention,
    )


def _pooled_row(split: Split) -> PooledRow:
    counts = split.counts
    return PooledRow(
        name=shown_text(split.name),
        questions=counts.questions,
        top1=rate_view("top1", ALL, counts.top1_hits, counts.questions),
        top3=rate_view("top3", ALL, counts.top3_hits, counts.questions),
    )
