"""What is in a golden set, and what did lint find? As text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.core.identity.legacy_bytes import encode_text
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.lint import Finding
from evenhand.core.retrieval.profile import SetProfile, build_profile
from evenhand.core.scoring.power import ALPHA, POWER, Detectable, detectable_table
from evenhand.reports.numbers import count, fraction_text, rate_text, short
from evenhand.reports.safe_text import shown_id, shown_text

_SHOWN_IDS: Final = 5
_TEST: Final = "exact McNemar"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFacts:
    """A set with everything that is said about it.

    Attributes:
        golden_set: the set.
        origin: where it was found, in words.
        split: judgements of a BEIR folder, else None.
        only_nonrelevant: of the unjudged questions those whose grades are all 0 or below.
        profile: its counts.
        detectable: smallest differences that its answerable questions can show.
        uses: decisions that rest on its labels; None where nobody asked the store.
        holdout_uses: those that rest on the labels of its holdout part; None as `uses`, and
            where nothing is held out.
    """

    golden_set: GoldenSet
    origin: str
    split: str | None
    only_nonrelevant: int
    profile: SetProfile
    detectable: tuple[Detectable, ...]
    uses: SetUseCounts | None = None
    holdout_uses: SetUseCounts | None = None


def build_facts(
    golden_set: GoldenSet,
    *,
    origin: str,
    split: str | None = None,
    only_nonrelevant: int = 0,
    uses: SetUseCounts | None = None,
    holdout_uses: SetUseCounts | None = None,
) -> SetFacts:
    """The facts about a set; see `SetFacts`."""
    profile = build_profile(golden_set)
    return SetFacts(
        golden_set=golden_set,
        origin=origin,
        split=split,
        only_nonrelevant=only_nonrelevant,
        profile=profile,
        detectable=detectable_table(profile.answerable),
        uses=uses,
        holdout_uses=holdout_uses,
    )


def facts_document(facts: SetFacts) -> dict[str, object]:
    """The facts as JSON values; bytes that are not UTF-8 are tagged."""
    profile = facts.profile
    return {
        "identifier": facts.golden_set.identifier,
        "name": facts.golden_set.name,
        "description": facts.golden_set.description,
        "origin": facts.origin,
        "split": facts.split,
        "labels_fingerprint": facts.golden_set.labels_fingerprint,
        "questions": profile.questions,
        "judged": profile.judged,
        "answerable": profile.answerable,
        "no_answer": profile.no_answer,
        "unjudged": profile.unjudged,
        "only_nonrelevant": facts.only_nonrelevant,
        "forms": {form.value: number for form, number in profile.forms},
        "hard_classes": [
            {"hard_class": encode_text(name), "questions": number}
            for name, number in profile.hard_classes
        ],
        "targets": profile.targets,
        "target_documents": profile.documents,
        "reviewed": profile.reviewed,
        "critical": profile.critical,
        "with_label_provenance": profile.labelled,
        "decisions": None if facts.uses is None else _uses_document(facts.uses),
        "holdout": _holdout_document(facts),
        "detectable_differences": {
            "test": _TEST,
            "alpha": ALPHA,
            "power": POWER,
            "questions": profile.answerable,
            "rows": [
                {"discordance": row.discordance, "difference": row.difference}
                for row in facts.detectable
            ],
        },
    }


def findings_document(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """The findings as JSON values, all ids included."""
    return [
        {
            "rule": finding.rule.value,
            "message": finding.message,
            "questions": [encode_text(one) for one in finding.questions],
            "documents": [encode_text(one) for one in finding.documents],
        }
        for finding in findings
    ]


def facts_lines(facts: SetFacts) -> Iterator[str]:
    """The facts as lines of text."""
    profile, golden_set = facts.profile, facts.golden_set
    split = "" if facts.split is None else f", judgements of the split {shown_id(facts.split)}"
    yield f"{golden_set.identifier}: {shown_id(golden_set.name)}"
    yield f"  origin        {facts.origin}{split}"
    yield f"  labels        {short(golden_set.labels_fingerprint)}"
    yield (
        f"  questions     {profile.questions}: {profile.answerable} answerable, "
        f"{profile.no_answer} without an answer, {profile.unjudged} unjudged"
    )
    if facts.only_nonrelevant:
        yield (
            f"                {facts.only_nonrelevant} of the unjudged have only judgements of "
            "documents that are not relevant"
        )
    yield "  forms         " + ", ".join(f"{form.value} {n}" for form, n in profile.forms)
    classes = ", ".join(f"{shown_id(name)} {n}" for name, n in profile.hard_classes)
    yield f"  hard classes  {classes or 'none'}"
    yield f"  targets       {profile.targets} on {count(profile.documents, 'document')}"
    yield f"  reviewed      {rate_text(profile.reviewed, profile.judged)}"
    yield f"  critical      {fraction_text(profile.critical, profile.questions)}"
    if facts.uses is not None:
        yield f"  decisions     {_uses_text(facts.uses)}"
    yield from _holdout_lines(facts)
    yield from _detectable_lines(facts.detectable, profile.answerable)


def question_lines(question: GoldenQuestion) -> Iterator[str]:
    """One question with its text and targets, as lines of text."""
    marks = [question.form.value]
    if question.hard_class is not None:
        marks.append(shown_id(question.hard_class))
    marks.extend(name for name in ("critical", "reviewed") if getattr(question, name))
    yield f"{shown_id(question.id)} ({', '.join(marks)})"
    yield f"  {shown_text(question.question)}"
    if question.unjudged:
        yield "  unjudged"
    elif question.expected_document_ids:
        yield "  " + ", ".join(map(shown_id, question.expected_document_ids))
    else:
        yield "  no answer in the corpus"


def findings_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The findings as lines of text, some ids of each."""
    for finding in findings:
        yield f"{finding.rule.value}: {finding.message}"
        if finding.questions:
            yield f"  questions {_some(finding.questions)}"
        if finding.documents:
            yield f"  documents {_some(finding.documents)}"


def findings_total(findings: Sequence[Finding], facts: SetFacts) -> Iterator[str]:
    """How many were found; that it is none must not read as if the set could decide anything."""
    yield f"findings: {len(findings)}"
    if any(row.difference is not None for row in facts.detectable):
        return
    few = count(facts.profile.answerable, "answerable question")
    most = facts.detectable[-1].discordance
    yield (
        f"  That is about how the set is made, not about what it can decide. With {few}, a "
        f"retriever that does better on {most:.0%} of them and worse on none is missed more often "
        "than one time in five."
    )


def _uses_document(uses: SetUseCounts) -> dict[str, int]:
    return {"total": uses.total, **{kind.value: uses.of(kind) for kind in SetUseKind}}


def _holdout_document(facts: SetFacts) -> dict[str, object] | None:
    part = facts.golden_set.holdout_part
    if part is None:
        return None
    return {
        "identifier": part.identifier,
        "questions": len(part.questions),
        "labels_fingerprint": part.labels_fingerprint,
        "decisions": None if facts.holdout_uses is None else _uses_document(facts.holdout_uses),
    }


def _holdout_lines(facts: SetFacts) -> Iterator[str]:
    """What is held out; the lines above count none of it."""
    part = facts.golden_set.holdout_part
    if part is None:
        return
    asked = count(len(part.questions), "more question")
    yield f"  held out      {asked}, asked only by evenhand gate --holdout"
    yield f"                {short(part.labels_fingerprint)}"
    if facts.holdout_uses is not None:
        readings = facts.holdout_uses.of(SetUseKind.HOLDOUT)
        others = facts.holdout_uses.total - readings
        more = f", and {count(others, 'other decision')}" if others else ""
        yield f"                read {count(readings, 'time')} in this database{more}"


def _uses_text(uses: SetUseCounts) -> str:
    """Each further decision on one set is a little easier to win by chance."""
    if not uses.total:
        return "none in this database rest on these labels yet"
    kinds = ", ".join(f"{kind.value} {number}" for kind, number in uses.by_kind.items())
    return f"{uses.total} in this database rest on these labels: {kinds}"


def detectable_lead(questions: int) -> str:
    """What the sizes of differences beside it are, for so many answerable questions."""
    return (
        f"smallest difference of Success@1 that {count(questions, 'answerable question')} can "
        f"be expected to show ({_TEST}, alpha {ALPHA}, power {POWER})"
    )


def _detectable_lines(rows: Sequence[Detectable], questions: int) -> Iterator[str]:
    yield f"  {detectable_lead(questions)}"
    for row in rows:
        found = "none" if row.difference is None else f"{row.difference:.3f}"
        yield f"    where the two disagree on {row.discordance:.0%}: {found}"


def _some(ids: Sequence[bytes]) -> str:
    shown = ", ".join(shown_id(one) for one in ids[:_SHOWN_IDS])
    more = len(ids) - _SHOWN_IDS
    return f"{shown} and {more} more" if more > 0 else shown
