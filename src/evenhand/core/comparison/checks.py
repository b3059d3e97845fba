"""What about two results makes one doubt them, whatever the verdict? Evenhand checks itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.comparison.side import Side
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.ranking import Answer, Failed, StoredRanking, distinct_documents

#: What the git commit of a checkout with uncommitted changes ends with.
DIRTY: Final = "-dirty"


class CheckCode(StrEnum):
    """What a self-check found; stable names.

    ``dirty_checkout``: a side ran code with uncommitted changes, so its execution revision names
    no code that can be had again. ``same_fingerprints_other_rankings``: both sides declare the
    same corpus, labels, scoring, model, chunking and pipeline, at the same depth, and still
    ranked otherwise: something that is not declared moved. ``outside_corpus``: documents came
    back that the corpus at hand does not hold. ``corpus_label_moved``: the corpus that a label
    names has another digest now. ``not_deterministic``: the same retriever ranked otherwise when
    it was asked again.
    """

    DIRTY_CHECKOUT = "dirty_checkout"
    SAME_FINGERPRINTS_OTHER_RANKINGS = "same_fingerprints_other_rankings"
    OUTSIDE_CORPUS = "outside_corpus"
    CORPUS_LABEL_MOVED = "corpus_label_moved"
    NOT_DETERMINISTIC = "not_deterministic"


class Which(StrEnum):
    """Of which side a finding speaks."""

    CURRENT = "current"
    CANDIDATE = "candidate"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """One finding.

    Attributes:
        code: what was found.
        which: of which side.
        count: questions that it concerns; None where it concerns the whole side.
        total: questions that were looked at; None likewise.
    """

    code: CheckCode
    which: Which
    count: int | None = None
    total: int | None = None


def side_checks(current: Side, candidate: Side) -> tuple[SelfCheck, ...]:
    """Everything that two sides say by themselves.

    Args:
        current: the current side; rankings, where both have them, are compared.
        candidate: the candidate.
    """
    return (
        *dirty_checkout(current.identity, Which.CURRENT),
        *dirty_checkout(candidate.identity, Which.CANDIDATE),
        *other_rankings(current, candidate),
    )


def outside_corpus(
    rankings: tuple[StoredRanking, ...], documents: Collection[bytes], *, which: Which
) -> SelfCheck | None:
    """Questions for which a document came back that the corpus does not hold, if there are any.

    Args:
        rankings: of one side.
        documents: ids of the corpus's documents.
        which: the side.
    """
    outside = sum(
        any(document not in documents for document in distinct_documents(ranking.documents))
        for ranking in rankings
    )
    if not outside:
        return None
    return SelfCheck(
        code=CheckCode.OUTSIDE_CORPUS, which=which, count=outside, total=len(rankings)
    )


def differing_rankings(
    one: tuple[StoredRanking, ...], other: tuple[StoredRanking, ...]
) -> tuple[int, int]:
    """Questions that were ranked otherwise, and questions that both sides ranked.

    Raw document ids in their order are compared, scores are not.
    """
    ranked = {ranking.query_id: ranking.documents for ranking in one}
    both = [
        (ranked[ranking.query_id], ranking.documents)
        for ranking in other
        if ranking.query_id in ranked
    ]
    return sum(before != after for before, after in both), len(both)


def dirty_checkout(identity: StoredIdentity | None, which: Which) -> Iterator[SelfCheck]:
    """That a side ran code with uncommitted changes, where it says so."""
    execution = None if identity is None else identity.provenance.execution_revision
    if execution is not None and execution.endswith(DIRTY):
        yield SelfCheck(code=CheckCode.DIRTY_CHECKOUT, which=which)


def not_deterministic(passes: Sequence[Sequence[Answer]], which: Which) -> Iterator[SelfCheck]:
    """That one retriever answered otherwise when it was asked again, if it did.

    A question that failed in one pass and not in another counts; scores do not.

    Args:
        passes: answers to the same questions in the same order, one pass after the other.
        which: the side.
    """
    given = [[_documents(answer) for answer in answers] for answers in passes]
    changed = sum(len(set(answers)) > 1 for answers in zip(*given, strict=True))
    if changed:
        yield SelfCheck(
            code=CheckCode.NOT_DETERMINISTIC, which=which, count=changed, total=len(given[0])
        )


def _documents(answer: Answer) -> tuple[bytes, ...] | None:
    return None if isinstance(answer, Failed) else answer.documents


def other_rankings(current: Side, candidate: Side) -> Iterator[SelfCheck]:
    """That two sides declare the same of everything and ranked otherwise, if they did.

    Args:
        current: the current side, or what came before.
        candidate: the candidate; nothing is found where either has no rankings.
    """
    # An unknown fingerprint equals nothing, so nothing is expected of it.
    if current.variant is None or current.variant != candidate.variant:
        return
    if current.benchmark != candidate.benchmark or current.depth != candidate.depth:
        return
    if current.rankings is None or candidate.rankings is None:
        return
    changed, both = differing_rankings(current.rankings, candidate.rankings)
    if changed:
        yield SelfCheck(
            code=CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS,
            which=Which.BOTH,
            count=changed,
            total=both,
        )
