"""What does the permitted detail snapshot of a retrieval run look like as JSON values?

A list with one record a question. Ids and hard classes are text where their bytes are UTF-8; at
FULL other bytes become the ``retrieval-bytes-v1`` tag, at REDACTED they are substituted. Whether
anything is stored at all, and the filter of the payload as a whole, are the policy's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from evenhand.core.identity.legacy_bytes import ContentFilter, Tag, encode_at_full

Field: TypeAlias = str | Tag | None
Record: TypeAlias = dict[str, Field | bool | int | list[Field]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDetail:
    """What was measured for one question.

    Attributes:
        question_id: original bytes.
        form: lowercase name of the form.
        hard_class: original bytes, None where the question has none.
        top1_hit: whether the first distinct document is a target.
        top3_hit: whether one of the first three distinct documents is.
        retrieved_document_ids: the measured distinct top three, best first, original bytes.
        latency_ms: whole milliseconds of the retrieval call; None is unknown.
    """

    question_id: bytes
    form: str
    hard_class: bytes | None
    top1_hit: bool
    top3_hit: bool
    retrieved_document_ids: tuple[bytes, ...]
    latency_ms: int | None


def records_at_full(
    details: Iterable[QuestionDetail], filter_content: ContentFilter
) -> list[Record]:
    """Records for privacy level FULL: each field that is not UTF-8 filtered, then tagged.

    A document id that the policy drops stays in its place as None, so ranks do not move.

    Raises:
        InvalidText: the policy answered with neither text nor bytes. What the policy raises
            passes through.

    Source: statements P-48, P-49, P-52, BP-26, BP-27, G-14.
    """
    return [
        _record(detail, lambda content: encode_at_full(content, filter_content))
        for detail in details
    ]


def records_substituted(details: Iterable[QuestionDetail]) -> list[Record]:
    """Records for privacy level REDACTED: no tag, U+FFFD for bytes that are not UTF-8.

    They are to be scrubbed before they are stored.

    Source: statements P-60, BP-27.
    """
    return [
        _record(detail, lambda content: content.decode("utf-8", "replace")) for detail in details
    ]


def _record(detail: QuestionDetail, encode: Callable[[bytes], Field]) -> Record:
    return {
        "questionId": encode(detail.question_id),
        "form": detail.form,
        "hardClass": None if detail.hard_class is None else encode(detail.hard_class),
        "top1Hit": detail.top1_hit,
        "top3Hit": detail.top3_hit,
        "retrievedDocumentIds": [encode(document) for document in detail.retrieved_document_ids],
        "latencyMs": detail.latency_ms,
    }
