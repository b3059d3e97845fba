"""Which properties of a golden set make its numbers hard to trust?

A reader refuses what breaks a rule; lint reports what is legal and probably not meant. Nothing
here names the text of a question. How small a difference a set can show is `core.scoring.power`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet, QueryId
from evenhand.core.retrieval.profile import SetProfile, build_profile

#: A form or hard class with fewer judged questions than this says nothing by itself.
MIN_GROUP: Final = 5
#: A form below this share of the judged questions hardly moves a rate over all of them.
MIN_FORM_SHARE: Final = Fraction(1, 10)
#: Above this share an empty retriever gets most of the pooled rates right.
MAX_NO_ANSWER_SHARE: Final = Fraction(1, 2)


class Rule(StrEnum):
    """What lint looks for; the values are stable codes."""

    DUPLICATE_TEXT = "duplicate_text"
    SIMILAR_ID = "similar_id"
    MISSING_TARGET = "missing_target"
    FORM_BALANCE = "form_balance"
    CLASS_BALANCE = "class_balance"
    NO_ANSWER_SHARE = "no_answer_share"
    UNREVIEWED = "unreviewed"
    UNJUDGED = "unjudged"
    #: These three only where somebody asks whether the set may be a suite (`suite`).
    SUITE_SIZE = "suite_size"
    SUITE_REVIEW = "suite_review"
    SUITE_CORPUS = "suite_corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that lint found.

    Attributes:
        rule: which rule.
        message: what is so, in words; no text of a question.
        questions: ids of the questions concerned, in the set's order; empty where it is the set.
        documents: target ids concerned, in byte order.
    """

    rule: Rule
    message: str
    questions: tuple[QueryId, ...] = ()
    documents: tuple[DocId, ...] = ()


def lint(
    golden_set: GoldenSet, *, documents: Collection[bytes] | None = None
) -> tuple[Finding, ...]:
    """What is probably not meant, in the order of `Rule`.

    Args:
        golden_set: a legal set.
        documents: ids that the corpus has, at least those of targets; None when no corpus was
            given, and then missing targets are not looked for.
    """
    profile = build_profile(golden_set)
    findings = [
        *_duplicate_texts(golden_set),
        *_similar_ids(golden_set),
        *_missing_targets(golden_set, documents),
        *_form_balance(profile),
        *_class_balance(profile),
        *_no_answer_share(profile),
        *_unreviewed(golden_set),
        *_unjudged(golden_set),
    ]
    return tuple(findings)


def normalised_text(content: bytes) -> str:
    """A text as people compare it: composed characters, one case, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", to_text(content)).casefold().split())


def _duplicate_texts(golden_set: GoldenSet) -> Iterator[Finding]:
    for group in _groups(golden_set, lambda question: normalised_text(question.question)):
        labels = {(q.unjudged, frozenset(q.expected_document_ids)) for q in group}
        agreement = "equal" if len(labels) == 1 else "different"
        yield Finding(
            rule=Rule.DUPLICATE_TEXT,
            message=f"{len(group)} questions have one text, with {agreement} labels",
            questions=_ids(group),
        )


def _similar_ids(golden_set: GoldenSet) -> Iterator[Finding]:
    for group in _groups(golden_set, lambda question: normalised_text(question.id)):
        yield Finding(
            rule=Rule.SIMILAR_ID,
            message=f"{len(group)} ids differ only in case, blanks or Unicode normalisation",
            questions=_ids(group),
        )


def _missing_targets(
    golden_set: GoldenSet, documents: Collection[bytes] | None
) -> Iterator[Finding]:
    if documents is None:
        return
    for question in golden_set.with_holdout:
        missing = [t for t in question.expected_document_ids if t not in documents]
        if missing:
            total = len(question.expected_document_ids)
            yield Finding(
                rule=Rule.MISSING_TARGET,
                message=f"{len(missing)} of {total} targets are not in the corpus",
                questions=(question.id,),
                documents=tuple(sorted(missing)),
            )


def _form_balance(profile: SetProfile) -> Iterator[Finding]:
    for form, count in profile.forms:
        if profile.judged and count < profile.judged * MIN_FORM_SHARE:
            yield Finding(
                rule=Rule.FORM_BALANCE,
                message=f"{count} of {profile.judged} judged questions have the form {form.value}",
            )


def _class_balance(profile: SetProfile) -> Iterator[Finding]:
    for hard_class, count in profile.hard_classes:
        if count < MIN_GROUP:
            yield Finding(
                rule=Rule.CLASS_BALANCE,
                message=f"the hard class {to_text(hard_class)!r} has {count} judged question(s), "
                f"fewer than {MIN_GROUP}",
            )


def _no_answer_share(profile: SetProfile) -> Iterator[Finding]:
    if not profile.judged:
        return
    share = f"{profile.no_answer} of {profile.judged} judged questions have no answer"
    if not profile.no_answer:
        yield Finding(rule=Rule.NO_ANSWER_SHARE, message=f"{share}: abstention cannot be measured")
    elif profile.no_answer > profile.judged * MAX_NO_ANSWER_SHARE:
        yield Finding(
            rule=Rule.NO_ANSWER_SHARE,
            message=f"{share}: a retriever that returns nothing gets that share of the pooled rates",
        )


def _unreviewed(golden_set: GoldenSet) -> Iterator[Finding]:
    judged = [question for question in golden_set.with_holdout if not question.unjudged]
    found = [question for question in judged if not question.reviewed]
    if found:
        total = len(judged)
        yield Finding(
            rule=Rule.UNREVIEWED,
            message=f"{len(found)} of {total} judged questions {_are(found)} not reviewed",
            questions=_ids(found),
        )


def _unjudged(golden_set: GoldenSet) -> Iterator[Finding]:
    found = [question for question in golden_set.with_holdout if question.unjudged]
    if found:
        total = len(golden_set.with_holdout)
        yield Finding(
            rule=Rule.UNJUDGED,
            message=f"{len(found)} of {total} questions {_are(found)} unjudged and in no rate",
            questions=_ids(found),
        )


def _groups(
    golden_set: GoldenSet, key: Callable[[GoldenQuestion], str]
) -> Iterator[list[GoldenQuestion]]:
    """Questions that share a key, in the set's order; groups of one are left out."""
    groups: dict[str, list[GoldenQuestion]] = {}
    for question in golden_set.with_holdout:
        groups.setdefault(key(question), []).append(question)
    return (group for group in groups.values() if len(group) > 1)


def _ids(questions: Collection[GoldenQuestion]) -> tuple[QueryId, ...]:
    return tuple(question.id for question in questions)


def _are(found: Sequence[GoldenQuestion]) -> str:
    return "is" if len(found) == 1 else "are"
