"""What do the list of golden sets and the page of one show?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evenhand.console.addresses import EVALUATIONS, evaluation_address, set_address, with_query
from evenhand.console.present.evaluation_rows import EvaluationRow, evaluation_row
from evenhand.console.present.questions import QuestionRow, question_row
from evenhand.console.present.times import Moment, moment
from evenhand.core.comparison.set_use import SetUse, SetUseCounts
from evenhand.core.retrieval.golden import GoldenQuestion
from evenhand.core.retrieval.lint import Finding
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports import numbers
from evenhand.reports.comparison_wording import uses_sentence
from evenhand.reports.golden_sets import SetFacts, detectable_lead, findings_lines, findings_total
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.usecases.golden_sets import SetSummary
from evenhand.usecases.ports.browsing import SetEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRow:
    """One set in the list.

    Attributes:
        identifier, name: shown.
        address: of its page.
        questions, holdout: as text; unknown where the set is not imported.
        origin: imported, or only known from results.
        latest: its newest evaluation; None where there is none.
    """

    identifier: str
    name: str
    address: str
    questions: str
    holdout: str
    origin: str
    latest: EvaluationRow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """One decision of the ledger, with the results it rested on."""

    at: Moment
    kind: str
    conclusion: str
    results: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetParts:
    """What is made of every question of a set.

    Attributes:
        facts: name and value.
        detectable_says: over what the sizes are.
        detectable: share of questions on which two sides disagree, and the smallest difference.
        findings: lines of each thing that lint found.
        total: how many were found, and what that says.
    """

    facts: tuple[tuple[str, str], ...]
    detectable_says: str
    detectable: tuple[tuple[str, str], ...]
    findings: tuple[tuple[str, ...], ...]
    total: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPage:
    """One golden set.

    Attributes:
        identifier, name, description: shown.
        imported: when it was imported last; None where it is only known from results.
        labels: fingerprint of its labels; empty where unknown.
        counts: name and number.
        evaluations: address of its results.
        latest: the newest of them.
        uses_says: how often it was decided on.
        uses: the latest decisions.
        questions: a page of them, in the set's order.
        on: address of the next page; None for the last.
        first: address of the first page; None where it is this one.
        commands: what to type with it, with the reason.
        parts: makes what rests on every question; None where it is not imported.
    """

    identifier: str
    name: str
    description: str
    imported: Moment | None
    labels: str
    counts: tuple[tuple[str, int], ...]
    evaluations: str
    latest: tuple[EvaluationRow, ...]
    uses_says: str
    uses: tuple[UseRow, ...]
    questions: tuple[QuestionRow, ...]
    on: str | None
    first: str | None
    commands: tuple[tuple[str, str], ...]
    parts: Callable[[], SetParts] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The decisions that rest on a set: how many, and the latest; None where its labels are unknown."""

    counts: SetUseCounts | None
    latest: tuple[SetUse, ...]


def set_rows(
    imported: Sequence[SetSummary],
    evaluated: Sequence[str],
    latest: Mapping[str, EvaluationRecord],
    *,
    now: datetime,
) -> tuple[SetRow, ...]:
    """Every set that is imported or has a result, by identifier.

    Args:
        imported: sets that are kept.
        evaluated: identifiers of which there is a result.
        latest: the newest result of each.
        now: aware UTC.
    """
    kept = {one.identifier: one for one in imported}
    return tuple(
        _row(identifier, kept.get(identifier), latest.get(identifier), now)
        for identifier in sorted({*kept, *evaluated})
    )


def use_rows(uses: Sequence[SetUse], *, now: datetime) -> tuple[UseRow, ...]:
    """Decisions of a ledger, in the order given."""
    return tuple(
        UseRow(
            at=moment(use.at, now=now),
            kind=use.kind.value,
            conclusion=use.conclusion.replace("_", " "),
            results=tuple((one, evaluation_address(one)) for one in use.evaluation_ids),
        )
        for use in uses
    )


def build_set(  # noqa: PLR0913 -- what one page is made of, by keyword
    identifier: str,
    entry: SetEntry | None,
    *,
    records: Sequence[EvaluationRecord],
    ledger: Ledger,
    questions: Sequence[tuple[int, GoldenQuestion]],
    after: int,
    size: int,
    typed: str | None,
    now: datetime,
    parts: Callable[[], SetParts],
) -> SetPage:
    """The page of one set.

    Args:
        identifier: of the set.
        entry: the imported set; None where it is only known from results.
        records: its newest results.
        ledger: the decisions that rest on it.
        questions: ordinal and question, one more than a page where there are more.
        after: ordinal of the question before the page's first; -1 for the first page.
        size: of a page.
        typed: what somebody types for the set; None where that is not known.
        now: aware UTC.
        parts: makes what rests on every question.
    """
    address = set_address(identifier)
    shown = questions[:size]
    has_more = len(questions) > len(shown)
    name = entry.name if entry is not None else records[0].set_name if records else identifier
    return SetPage(
        identifier=shown_id(identifier),
        name=shown_text(name),
        description="" if entry is None else shown_text(entry.description, limit=None),
        imported=None if entry is None else moment(entry.imported_at, now=now),
        labels=_labels(entry, records),
        counts=_counts(entry),
        evaluations=with_query(EVALUATIONS, set=identifier),
        latest=tuple(evaluation_row(one, now=now) for one in records),
        uses_says=uses_sentence(ledger.counts),
        uses=use_rows(ledger.latest, now=now),
        questions=tuple(question_row(one) for _, one in shown),
        on=f"{with_query(address, after=shown[-1][0])}#questions" if has_more else None,
        first=f"{address}#questions" if after >= 0 else None,
        commands=_commands(typed, is_imported=entry is not None),
        parts=None if entry is None else parts,
    )


def build_parts(facts: SetFacts, findings: Sequence[Finding]) -> SetParts:
    """What rests on every question of a set.

    Args:
        facts: about the set.
        findings: of lint.
    """
    profile = facts.profile
    return SetParts(
        facts=(
            ("Forms", ", ".join(f"{form.value} {number}" for form, number in profile.forms)),
            (
                "Hard classes",
                ", ".join(f"{shown_id(name)} {number}" for name, number in profile.hard_classes)
                or "none",
            ),
            (
                "Targets",
                f"{profile.targets} on {numbers.count(profile.documents, 'document')}",
            ),
            ("Reviewed", numbers.rate_text(profile.reviewed, profile.judged)),
            ("Critical", numbers.fraction_text(profile.critical, profile.questions)),
        ),
        detectable_says=_sentence(detectable_lead(profile.answerable)),
        detectable=tuple(
            (
                f"{row.discordance:.0%}",
                "none" if row.difference is None else f"{row.difference:.3f}",
            )
            for row in facts.detectable
        ),
        findings=tuple(tuple(findings_lines([one])) for one in findings),
        total=tuple(line.strip() for line in findings_total(findings, facts)),
    )


def _row(
    identifier: str, kept: SetSummary | None, latest: EvaluationRecord | None, now: datetime
) -> SetRow:
    name = kept.name if kept is not None else identifier if latest is None else latest.set_name
    return SetRow(
        identifier=shown_id(identifier),
        name=shown_text(name),
        address=set_address(identifier),
        questions="unknown" if kept is None else str(kept.questions),
        holdout="unknown" if kept is None else str(kept.holdout),
        origin="known from results" if kept is None else "imported",
        latest=None if latest is None else evaluation_row(latest, now=now),
    )


def _labels(entry: SetEntry | None, records: Sequence[EvaluationRecord]) -> str:
    if entry is not None:
        return entry.labels_fingerprint
    stated = [one.identity.fingerprints.labels for one in records if one.identity is not None]
    return stated[0] if stated else ""


def _counts(entry: SetEntry | None) -> tuple[tuple[str, int], ...]:
    if entry is None:
        return ()
    return (
        ("questions", entry.questions),
        ("unjudged", entry.unjudged),
        ("held out", entry.holdout),
    )


def _commands(typed: str | None, *, is_imported: bool) -> tuple[tuple[str, str], ...]:
    golden_set = typed or "SET"
    if is_imported:
        return ()
    return (
        (
            (
                "It is known here from its results only. Imported, its questions, what lint "
                "finds and what it can show stand on this page:"
            ),
            f"evenhand sets import {golden_set}",
        ),
        ("Lint looks at it where it lies, too:", f"evenhand sets lint {golden_set}"),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
