"""How are suites and their revisions shown? As JSON values and as lines of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

import msgspec

from evenhand.core.identity.legacy_bytes import encode_text
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import SuiteCase, SuiteRevision
from evenhand.reports.golden_sets import question_lines
from evenhand.reports.safe_text import shown_text


def suite_document(one: Suite) -> dict[str, object]:
    """A suite as a JSON value."""
    return {
        "id": one.id,
        "project_id": one.project_id,
        "name": one.name,
        "active": one.active,
        "version": one.version,
        "created_at": one.created_at.isoformat(),
    }


def suite_lines(found: Iterable[Suite]) -> list[str]:
    """Plain lines, two for each: what it is called; since when, and its id."""
    return [
        line
        for one in found
        for line in (
            f"{one.name}{'' if one.active else '  not active'}",
            f"  since {one.created_at:%Y-%m-%d %H:%M} UTC  {one.id}",
        )
    ]


def revision_document(one: SuiteRevision) -> dict[str, object]:
    """A revision as a JSON value, with its settings exactly as they are stored."""
    return {
        "id": one.id,
        "suite_id": one.suite_id,
        "project_id": one.project_id,
        "number": one.number,
        "created_at": one.created_at.isoformat(),
        "frozen_by": {"kind": one.frozen_by.kind.value, "id": one.frozen_by.id},
        "golden_set": {
            "identifier": one.set_identifier,
            "name": one.set_name,
            "description": one.set_description,
        },
        "corpus_sha256": one.corpus_sha256,
        # As it is: a number that the encoder does not know is printed as it was digested.
        "retrieval_settings": msgspec.Raw(one.settings.text.encode("ascii")),
        "retrieval_config_sha256": one.retrieval_config_sha256,
        "content_digest": one.content_digest,
        "labels_fingerprint": one.labels_fingerprint,
        "case_count": one.case_count,
        "critical_count": one.critical_count,
    }


def revision_lines(found: Iterable[SuiteRevision]) -> list[str]:
    """Plain lines, two for each: number, set and cases; since when, and its id."""
    return [line for one in found for line in (_what(one), _since(one))]


def revision_facts(one: SuiteRevision) -> Iterator[str]:
    """Everything about one revision but its cases, a line each."""
    yield _what(one)
    yield _since(one)
    yield f"  set       {shown_text(one.set_name)}"
    yield f"  corpus    {one.corpus_sha256}"
    yield f"  settings  {one.retrieval_config_sha256}"
    yield f"  content   {one.content_digest}"
    yield f"  labels    {one.labels_fingerprint}"


def case_document(one: SuiteCase) -> dict[str, object]:
    """A case with its labels as a JSON value."""
    question = one.question
    return {
        "case_id": one.case_id,
        "position": one.position,
        "question_id": encode_text(question.id),
        "query": encode_text(question.question),
        "query_digest": one.query_digest,
        "form": question.form.value,
        "critical": question.critical,
        "hard_class": _optional(question.hard_class),
        "answer_gist": _optional(question.answer_gist),
        "expected_document_ids": [encode_text(each) for each in question.expected_document_ids],
        "grades": [{"id": encode_text(each), "grade": grade} for each, grade in question.grades],
        "label_provenance": asdict(one.label_provenance),
    }


def case_lines(found: Iterable[SuiteCase]) -> Iterator[str]:
    """Each case: its id, and its question with text and targets."""
    for one in found:
        yield f"case {one.case_id}"
        yield from question_lines(one.question)


def _what(one: SuiteRevision) -> str:
    cases = f"{one.case_count} case{'' if one.case_count == 1 else 's'}"
    critical = f", {one.critical_count} critical" if one.critical_count else ""
    return f"revision {one.number}  {cases}{critical}"


def _since(one: SuiteRevision) -> str:
    return f"  frozen {one.created_at:%Y-%m-%d %H:%M} UTC  {one.id}"


def _optional(content: bytes | None) -> object:
    return None if content is None else encode_text(content)
