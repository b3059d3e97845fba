"""How do several results read together? Which may be compared with which, before any difference.

Rates stand side by side only within one benchmark; a pair that the verdict refuses has its
reasons and no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.comparison.difference import RateDifference, build_leg, rate_differences
from evenhand.core.comparison.previous import flips
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.core.verdict import Verdict, VerdictState
from evenhand.reports import numbers, wording
from evenhand.reports.collection_view import (
    CollectionView,
    CommandView,
    EntryView,
    GroupView,
    MatrixCell,
    MatrixRow,
    PairView,
)
from evenhand.reports.evaluation_view import build_evaluation_view
from evenhand.reports.notices import flag, flags_first
from evenhand.reports.safe_text import shown_id, shown_lines, shown_text
from evenhand.reports.subject import fresh_subject
from evenhand.reports.verdict_view import difference_views, reason_views
from evenhand.reports.view import Fact, Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFacts:
    """What is known of a corpus.

    Attributes:
        name: what people call it.
        documents: how many.
        digest: of its manifest, which is its label.
    """

    name: str
    documents: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One result of a collection.

    Attributes:
        name: what this report calls it; distinct within the report.
        evaluation: the result.
        record: its row, None when it was not stored.
        note: one sentence about it, may be empty.
        operand: what a command calls its retriever, may be empty.
    """

    name: str
    evaluation: Evaluation
    record: EvaluationRecord | None = None
    note: str = ""
    operand: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command and what it does."""

    text: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReport:
    """Several results in one report.

    Attributes:
        title: of the report.
        intro: paragraphs.
        corpora: the corpora that were searched.
        entries: in the order in which they are shown; of a pair the later one is the current.
        commands: what a reader can do next.
        golden_set: what a command calls the set that was asked, may be empty.
        pair_options: what a command needs so that two of the retrievers search one corpus.
        typed_in: the folder in which such a command is typed, may be empty.
    """

    title: str
    intro: tuple[str, ...]
    corpora: tuple[CorpusFacts, ...]
    entries: tuple[Entry, ...]
    commands: tuple[Command, ...] = ()
    golden_set: str = ""
    pair_options: tuple[str, ...] = ()
    typed_in: str = ""


def build_collection_view(report: CollectionReport) -> CollectionView:
    """Everything that a report of several results shows."""
    entries = tuple(map(_entry, report.entries))
    pairs = tuple(
        _pair(report, earlier, later) for earlier, later in combinations(report.entries, 2)
    )
    return CollectionView(
        title=shown_text(report.title),
        intro=tuple(shown_text(text, limit=None) for text in report.intro),
        corpora=tuple(map(_corpus, report.corpora)),
        groups=tuple(_groups(report.entries, entries)),
        matrix=_matrix(report.entries),
        comparable=tuple(pair for pair in pairs if pair.state is VerdictState.COMPARABLE),
        refused=tuple(pair for pair in pairs if pair.state is not VerdictState.COMPARABLE),
        refused_note=_refused_note(report),
        entries=entries,
        commands=tuple(
            CommandView(text=shown_lines(one.text), says=shown_text(one.says, limit=None))
            for one in report.commands
        ),
    )


def _corpus(corpus: CorpusFacts) -> Fact:
    return Fact(
        name=shown_text(corpus.name),
        value=numbers.count(corpus.documents, "document"),
        note=shown_id(corpus.digest),
    )


def _entry(entry: Entry) -> EntryView:
    subject = fresh_subject(entry.evaluation, entry.record)
    return EntryView(
        name=shown_text(entry.name),
        note=shown_text(entry.note, limit=None),
        evaluation=build_evaluation_view(subject),
    )


def _groups(entries: tuple[Entry, ...], views: tuple[EntryView, ...]) -> Iterator[GroupView]:
    """Results by benchmark, in order of first appearance; an unknown one is alone in its group."""
    members: dict[str | int, list[EntryView]] = {}
    for number, (entry, view) in enumerate(zip(entries, views, strict=True)):
        benchmark = _benchmark(entry)
        members.setdefault(number if benchmark is None else benchmark, []).append(view)
    for key, group in members.items():
        yield GroupView(
            benchmark=numbers.short(key) if isinstance(key, str) else wording.UNKNOWN,
            corpus=numbers.short(group[0].evaluation.identities[0].value),
            entries=tuple(group),
        )


def _benchmark(entry: Entry) -> str | None:
    identity = entry.evaluation.identity
    return None if identity is None else identity.fingerprints.benchmark


def _verdict(earlier: Entry, later: Entry) -> Verdict:
    return baseline_verdict(
        later.evaluation.identity, earlier.evaluation.identity, has_previous=True
    )


def _matrix(entries: tuple[Entry, ...]) -> tuple[MatrixRow, ...]:
    return tuple(
        MatrixRow(name=shown_text(row.name), cells=tuple(_cell(row, column) for column in entries))
        for row in entries
    )


def _cell(row: Entry, column: Entry) -> MatrixCell:
    if row is column:
        return MatrixCell(state=None, word="", dimensions="")
    verdict = _verdict(row, column)
    dimensions = (wording.dimension_word(reason.dimension) for reason in verdict.reasons)
    return MatrixCell(
        state=verdict.state,
        word=wording.state_word(verdict.state),
        dimensions=", ".join(dict.fromkeys(dimensions)),
    )


def _refused_note(report: CollectionReport) -> str:
    if not report.typed_in:
        return wording.REFUSED
    return f"{wording.REFUSED} {wording.typed_in(shown_text(report.typed_in))}"


def _pair(report: CollectionReport, earlier: Entry, later: Entry) -> PairView:
    verdict = _verdict(earlier, later)
    names = (shown_text(earlier.name), shown_text(later.name))
    differences = _differences(earlier, later) if verdict.is_comparable else ()
    return PairView(
        earlier=names[0],
        later=names[1],
        state=verdict.state,
        word=wording.state_word(verdict.state),
        sentence=wording.state_sentence(verdict.state),
        reasons=reason_views(verdict, current=names[1], previous=names[0]),
        differences=difference_views(differences),
        flips=_flips(earlier, later) if verdict.is_comparable else "",
        notices=flags_first(_notices(earlier, later, differences)),
        advice=_advice(report, verdict, earlier, later),
    )


def _differences(earlier: Entry, later: Entry) -> tuple[RateDifference, ...]:
    then, now = earlier.evaluation, later.evaluation
    return rate_differences(
        build_leg(then.counts, then.outcomes), build_leg(now.counts, now.outcomes)
    )


def _flips(earlier: Entry, later: Entry) -> str:
    flipped = flips(earlier.evaluation.outcomes, later.evaluation.outcomes)
    won = sum(flip.won for flip in flipped)
    return (
        f"{numbers.count(won, 'question')} won and {len(flipped) - won} lost at top 1 by "
        f"{shown_text(later.name)}"
    )


def _notices(
    earlier: Entry, later: Entry, differences: tuple[RateDifference, ...]
) -> Iterator[Notice]:
    incomplete = [one.measure for one in differences if one.is_incomplete]
    if incomplete:
        yield flag(wording.incomplete(incomplete))
    then, now = earlier.evaluation.depth, later.evaluation.depth
    if then != now:
        yield flag(
            f"Depths differ: {shown_text(earlier.name)} was asked for {then} results, "
            f"{shown_text(later.name)} for {now}."
        )


def _advice(
    report: CollectionReport, verdict: Verdict, earlier: Entry, later: Entry
) -> wording.Advice | None:
    """One command that runs both; none where the report cannot name what it would run."""
    if not (report.golden_set and earlier.operand and later.operand):
        return None
    pair = wording.ab_command(
        report.golden_set, earlier.operand, later.operand, *report.pair_options
    )
    return wording.fair_pair_answer(verdict, shown_lines(pair), declaration="")
