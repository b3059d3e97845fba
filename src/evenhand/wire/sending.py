"""What of a stored evaluation goes over the network to a hub? No more than its level keeps.

Kept at ``full`` and seen by this program: the rankings, with the questions and labels that scoring
needs, so that the hub can score. Everything else: rows by position, with digests of the set and no
id and no text. The form depends on what is stored alone, so that to send again is the same call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from evenhand.core.errors.publication import NotPublishable
from evenhand.core.identity.legacy_bytes import encode_text
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Basis, EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.publication import error_code_of

_FORMAT: Final = "evenhand.golden/1"
_WITHOUT_OUTCOMES: Final = "it was stored at privacy level none, without outcomes"
_HELD_OUT: Final = "it is of a part that is held out, which stays where it is"
_WITHOUT_SET: Final = (
    "the golden set that it ran on is not at hand, or is another one by now; --set SET names it"
)


def needs_set(record: EvaluationRecord, rankings: Sequence[StoredRanking] | None) -> bool:
    """Whether rankings are sent, for which the hub needs questions and labels."""
    if rankings is None or record.privacy is not PrivacyLevel.FULL:
        return False
    # Of a run file nobody saw the retrieval, and the hub should not say more. An empty id is
    # refused there, while a retriever may give one.
    return record.basis is not Basis.IMPORTED and all(
        document for ranking in rankings for document in ranking.documents
    )


def evaluation_body(
    record: EvaluationRecord,
    outcomes: Sequence[Outcome] | None,
    rankings: Sequence[StoredRanking] | None,
    *,
    golden_set: GoldenSet | None,
    project: str | None,
) -> bytes:
    """The body that publishes a stored evaluation: JSON of `wire.publications.NewEvaluation`.

    Args:
        record: the row.
        outcomes: by position, None where none were kept.
        rankings: by position, None where none were kept.
        golden_set: the set at hand; needed only where rankings are sent.
        project: id or name of a project of the hub; None is a service client's own.

    Raises:
        NotPublishable: too little was kept, or the set is needed and is not the one that it ran on.
    """
    if record.is_holdout:
        raise NotPublishable(record.id, _HELD_OUT)
    if outcomes is None:
        raise NotPublishable(record.id, _WITHOUT_OUTCOMES)
    body: dict[str, Any] = {
        "project_id": project,
        # One stored result is one call, however often it is tried.
        "idempotency_key": f"evenhand:{record.id}",
        "retriever": record.retriever,
        "provenance": None if record.identity is None else record.identity.provenance.to_dict(),
        "protocol": record.protocol,
        "depth": record.depth,
    }
    if rankings is not None and needs_set(record, rankings):
        asked = _require_set(record, outcomes, rankings, golden_set)
        body |= {
            "golden_set": _set(asked),
            "questions": list(_questions(asked, outcomes, rankings)),
        }
    else:
        body |= {"described_set": _described(record), "outcomes": list(map(_row, outcomes))}
    return msgspec.json.encode(body)


def _require_set(
    record: EvaluationRecord,
    outcomes: Sequence[Outcome],
    rankings: Sequence[StoredRanking],
    golden_set: GoldenSet | None,
) -> GoldenSet:
    """The set that a result ran on, as far as that can be told of it."""
    if golden_set is None or golden_set.qrels_digest != record.qrels_digest:
        raise NotPublishable(record.id, _WITHOUT_SET)
    held = record.identity
    if held is not None and held.fingerprints.labels != golden_set.labels_fingerprint:
        raise NotPublishable(record.id, _WITHOUT_SET)
    asked = golden_set.by_position
    is_the_same = len(asked) == len(outcomes) and all(
        one.position < len(asked) and asked[one.position].id == one.query_id for one in rankings
    )
    if golden_set.identifier != record.set_identifier or not is_the_same:
        raise NotPublishable(record.id, _WITHOUT_SET)
    return golden_set


def _set(asked: GoldenSet) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "identifier": asked.identifier,
        "name": asked.name,
        "questions": list(map(_question, asked.by_position)),
    }


def _question(question: GoldenQuestion) -> dict[str, Any]:
    """What scoring and the labels need; gist, review and who labelled stay here."""
    stated: dict[str, Any] = {
        "id": encode_text(question.id),
        "question": encode_text(question.question),
        "form": question.form.value,
        "unjudged": question.unjudged,
    }
    if not question.unjudged:
        stated["expected_document_ids"] = list(map(encode_text, question.expected_document_ids))
    if question.hard_class is not None:
        stated["hard_class"] = encode_text(question.hard_class)
    if question.grades:
        stated["grades"] = [{"id": encode_text(d), "grade": g} for d, g in question.grades]
    return stated


def _questions(
    asked: GoldenSet, outcomes: Sequence[Outcome], rankings: Sequence[StoredRanking]
) -> Sequence[dict[str, Any]]:
    ranked = {one.position: one.documents for one in rankings}
    return [
        {
            "question_id": encode_text(question.id),
            "ranking": None
            if outcome.error_class is not None
            else list(map(encode_text, ranked[outcome.position])),
            **_about(outcome),
        }
        for question, outcome in zip(asked.by_position, outcomes, strict=True)
    ]


def _described(record: EvaluationRecord) -> dict[str, Any]:
    held = record.identity
    return {
        "identifier": record.set_identifier,
        "name": record.set_name,
        "labels_fingerprint": None if held is None else held.fingerprints.labels,
        "qrels_digest": record.qrels_digest,
    }


def _row(outcome: Outcome) -> dict[str, Any]:
    grades = outcome.judged_grades
    return {
        "position": outcome.position,
        "state": outcome.state.value,
        "retrieved": outcome.retrieved,
        "window": outcome.window,
        "judged_hits": [{"rank": hit.rank, "grade": hit.grade} for hit in outcome.judged_hits],
        "targets": outcome.targets,
        "judged_grades": None if grades is None else list(grades),
        **_about(outcome),
    }


def _about(outcome: Outcome) -> dict[str, Any]:
    failed = outcome.error_class
    return {
        "error_code": None if failed is None else error_code_of(failed),
        "latency_ms": outcome.latency_ms,
    }
