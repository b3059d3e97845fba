"""What of an evaluation's details may be stored under a privacy policy?

Details are the per-question snapshot of statements P-48 to P-62: they have no read path but the
export at ``full``. The policy acts before anything is written, and sees originals, never only
their encoded form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.core.identity.canonical import readable_json, to_bytes
from evenhand.core.identity.details import QuestionDetail, records_at_full, records_substituted
from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy, redact, scrub_values
from evenhand.core.retrieval.golden import DocId, QueryId
from evenhand.core.retrieval.ranking import Failed, StoredRanking, distinct_documents
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.scoring.protocols import TOP_K, WINDOW


def build_details(evaluation: Evaluation, policy: PrivacyPolicy) -> str | None:
    """The details payload that may be stored.

    Returns:
        None at ``none`` and ``metadata``; else JSON text, which at ``redacted`` may be cut in
        the middle and then no longer parses; empty text where the policy drops the payload. At
        ``redacted`` it is scrubbed and bounded whatever a custom policy answers.

    Raises:
        ValueError: the policy's level is none of the four.
        InvalidText: the policy answered with something that is no text.
        Exception: whatever the policy raises; content is never stored unfiltered (G-14).
    """
    # A policy of one's own may say its level in plain text.
    level = PrivacyLevel(policy.level)
    if level in (PrivacyLevel.NONE, PrivacyLevel.METADATA):
        return None
    details = _question_details(evaluation)
    if level is PrivacyLevel.FULL:
        payload = readable_json(records_at_full(details, policy.filter_content))
    else:
        # Each value first, then the text as a whole: an escape cannot hide a secret (G-15).
        payload = readable_json(scrub_values(records_substituted(details)))
    filtered = policy.filter_content(payload)
    if filtered is None:
        return ""
    kept = to_bytes(filtered, field="answer of filter_content", refuse_nul=True)
    text = kept.decode("utf-8", "replace")
    return redact(text) if level is PrivacyLevel.REDACTED else text


def build_rankings(
    evaluation: Evaluation, policy: PrivacyPolicy
) -> tuple[StoredRanking, ...] | None:
    """Ids and scores of every query that did not fail, by position; only at ``full``.

    A policy that changes or drops an id at ``full`` changes it here as well: a document id that
    it drops becomes an empty id, which scoring ignores; a question whose id it drops has no
    ranking.

    Raises:
        InvalidText: the policy answered with something that is no text.
        Exception: whatever the policy raises; content is never stored unfiltered (G-14).
    """
    if not PrivacyLevel(policy.level).keeps_run:
        return None
    keep = _Kept(policy)
    pairs = zip(evaluation.golden_set.questions, evaluation.answers, strict=True)
    answered = {question.id: answer for question, answer in pairs}
    rankings = []
    for position, question in enumerate(evaluation.golden_set.by_position):
        answer, query_id = answered[question.id], keep[question.id]
        if isinstance(answer, Failed) or not query_id:
            continue
        rankings.append(
            StoredRanking(
                position=position,
                query_id=QueryId(query_id),
                documents=tuple(DocId(keep[document]) for document in answer.documents),
                scores=answer.scores,
            )
        )
    return tuple(rankings)


def filter_details(details: str, policy: PrivacyPolicy) -> str:
    """What a policy at ``full`` leaves of a payload that came from elsewhere.

    Raises:
        InvalidText: the policy answered with something that is no text.
        Exception: whatever the policy raises; content is never stored unfiltered (G-14).
    """
    filtered = policy.filter_content(details)
    if filtered is None:
        return ""
    return to_bytes(filtered, field="answer of filter_content", refuse_nul=True).decode(
        "utf-8", "replace"
    )


def filter_rankings(
    rankings: tuple[StoredRanking, ...], policy: PrivacyPolicy
) -> tuple[StoredRanking, ...] | None:
    """What a policy leaves of rankings that came from elsewhere; see `build_rankings`."""
    if not PrivacyLevel(policy.level).keeps_run:
        return None
    keep = _Kept(policy)
    return tuple(
        replace(
            ranking,
            query_id=QueryId(keep[ranking.query_id]),
            documents=tuple(DocId(keep[document]) for document in ranking.documents),
        )
        for ranking in rankings
        if keep[ranking.query_id]
    )


class _Kept(dict[bytes, bytes]):
    """What the policy leaves of an id; each distinct id is put to it once."""

    def __init__(self, policy: PrivacyPolicy) -> None:
        self._policy = policy

    def __missing__(self, identifier: bytes) -> bytes:
        # Ids that are not UTF-8 reach the policy as the bytes they are (P-57, P-62).
        try:
            value: str | bytes = identifier.decode("utf-8")
        except UnicodeDecodeError:
            value = identifier
        filtered = self._policy.filter_content(value)
        kept = b"" if filtered is None else to_bytes(filtered, field="answer of filter_content")
        self[identifier] = kept
        return kept


def _question_details(evaluation: Evaluation) -> Iterator[QuestionDetail]:
    position_of = {q.id: index for index, q in enumerate(evaluation.golden_set.by_position)}
    pairs = zip(evaluation.golden_set.questions, evaluation.answers, strict=True)
    for question, answer in pairs:
        outcome = evaluation.outcomes[position_of[question.id]]
        documents = () if isinstance(answer, Failed) else answer.documents[:WINDOW]
        yield QuestionDetail(
            question_id=question.id,
            form=question.form.value,
            hard_class=question.hard_class,
            top1_hit=outcome.is_hit(1),
            top3_hit=outcome.is_hit(TOP_K),
            retrieved_document_ids=distinct_documents(documents)[:TOP_K],
            latency_ms=outcome.latency_ms,
        )
