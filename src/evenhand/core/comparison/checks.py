"""What about two results makes one doubt them, whatever the verdict? Evenhand checks itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.comparison.side import Side
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.qrels import MIN_RELEVANCE
from evenhand.core.retrieval.ranking import Answer, Failed, StoredRanking, distinct_documents
from evenhand.core.scoring.outcome import Outcome, OutcomeState

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
        at_least: whether there may be more than `count` of them, since rankings were not at hand
            and outcomes show only some.
    """

    code: CheckCode
    which: Which
    count: int | None = None
    total: int | None = None
    at_least: bool = False


def side_checks(current: Side, candidate: Side) -> tuple[SelfCheck, ...]:
    """Everything that two sides say by themselves.

    Args:
        current: the current side; rankings, where both have them, else outcomes, are compared.
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


def differing_outcomes(current: Side, candidate: Side) -> tuple[int, int]:
    """Questions that outcomes show to be ranked otherwise, and questions that both answered.

    Over equal labels and an equal depth equal rankings give equal outcomes, so each question that
    is counted was ranked otherwise; more may have been. A failed question was not ranked.

    Args:
        current: over the same labels, at the same depth.
        candidate: likewise; nothing is counted where either has no outcomes, or those of other
            questions.
    """
    before, after = _judged(current.outcomes or ()), _judged(candidate.outcomes or ())
    if [one.targets for one in before] != [one.targets for one in after]:
        return 0, 0
    # Which documents are judged beyond the targets is in no labels fingerprint.
    same_judgements = (
        current.qrels_digest is not None and current.qrels_digest == candidate.qrels_digest
    )
    both = [
        (_shown(one, everything=same_judgements), _shown(other, everything=same_judgements))
        for one, other in zip(before, after, strict=True)
        if OutcomeState.FAILED not in (one.state, other.state)
    ]
    return sum(one != other for one, other in both), len(both)


def _judged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.state is not OutcomeState.UNJUDGED]


def _shown(outcome: Outcome, *, everything: bool) -> tuple[object, ...]:
    """What of a ranking an outcome shows."""
    ranks = [hit.rank for hit in outcome.judged_hits if hit.grade >= MIN_RELEVANCE]
    return (
        outcome.retrieved,
        outcome.window,
        outcome.judged_hits if everything else tuple(ranks),
    )


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
        candidate: the candidate. Where either has no rankings, outcomes tell of how many
            questions at least; where it has none of these either, nothing is found.
    """
    # An unknown fingerprint equals nothing, so nothing is expected of it.
    if current.variant is None or current.variant != candidate.variant:
        return
    if current.benchmark != candidate.benchmark or current.depth != candidate.depth:
        return
    at_least = current.rankings is None or candidate.rankings is None
    if current.rankings is None or candidate.rankings is None:
        changed, both = differing_outcomes(current, candidate)
    else:
        changed, both = differing_rankings(current.rankings, candidate.rankings)
    if changed:
        yield SelfCheck(
            code=CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS,
            which=Which.BOTH,
            count=changed,
            total=both,
            at_least=at_least,
        )
