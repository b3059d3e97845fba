"""Vectors of the content digest of suite revisions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.errors.registry import InvalidSuite
from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.core.retrieval.suite_revision import FrozenContent, freeze_content
from evenhand.usecases.vectors.expectation import Case, compare, spelt


def check_suite_revision(case: Case, _defaults: Case) -> Iterator[str]:
    """Canonical text and digest of what is frozen, or the code that refuses it."""
    if "refused" in case:
        yield from compare("refused", case["refused"], _refusal(case))
        return
    content = _content(case)
    yield from compare("canonical", case["canonical"], json_ascii_v1(content.document))
    yield from compare("content_digest", case["content_digest"], content.digest)


def _refusal(case: Case) -> str | None:
    try:
        _content(case)
    except InvalidSuite as error:
        return error.code
    return None


def _content(case: Case) -> FrozenContent:
    golden_set = GoldenSet(
        **case["golden_set"], questions=tuple(_question(one) for one in case["questions"])
    )
    return freeze_content(
        golden_set,
        corpus_sha256=case["corpus_sha256"],
        retrieval_settings=case["retrieval_settings"],
    )


def _question(stated: Case) -> GoldenQuestion:
    return GoldenQuestion(
        id=spelt(stated["id"]),
        question=spelt(stated["question"]),
        form=stated["form"],
        expected_document_ids=[spelt(one) for one in stated["expected"]],
        hard_class=_optional(stated["hard_class"]),
        answer_gist=_optional(stated["answer_gist"]),
        critical=stated["critical"],
        reviewed=stated["reviewed"],
        label_provenance=LabelProvenance(**stated["label_provenance"]),
        grades=[(spelt(document), grade) for document, grade in stated["grades"]],
    )


def _optional(value: Any) -> bytes | None:
    return None if value is None else spelt(value)
