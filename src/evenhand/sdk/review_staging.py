"""What does a review look at, and how is that told? Files in a folder, digested as they lie there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evenhand.core.identity.canonical import sha256_hex
from evenhand.core.identity.file_digests import require_paths_without_job_id
from evenhand.core.review.review_case import ANSWER, QUESTION, ReviewCase
from evenhand.core.review.reviewer import Used
from evenhand.sdk.answers import saying_what_is_wrong
from evenhand.wire.agent_jobs import AgentJob
from evenhand.wire.review_attempts import (
    NewAdmitted,
    NewEvidence,
    NewFile,
    NewRates,
    NewSource,
    NewTokens,
    NewUsage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """By which criteria a worker judges.

    Attributes:
        practice: name of the practice.
        revision_id: of what it asks, as a hub gave it.
        text_sha256: of what it asks as this worker has it, without blanks around; the hub refuses
            another text than the revision's.
    """

    practice: str
    revision_id: str
    text_sha256: str


def stage(folder: Path, case: ReviewCase | None, *, job_id: str) -> dict[str, bytes]:
    """What lies in a folder once everything of a case is written there, by path.

    Args:
        folder: empty.
        case: None for one that nobody has; nothing is written then.
        job_id: of the review, which no path may hold.

    Raises:
        InvalidPath: a path is unsafe or holds the id.
    """
    files = () if case is None else case.files
    require_paths_without_job_id((path for path, _ in files), job_id=job_id)
    for path, content in files:
        place = folder / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    return {path: (folder / path).read_bytes() for path, _ in files}


def evidence_of(
    job: AgentJob,
    criteria: Criteria,
    staged: Mapping[str, bytes],
    not_ready: Sequence[str],
    *,
    now: datetime,
) -> NewEvidence:
    """The evidence snapshot of an attempt.

    Args:
        job: whose.
        criteria: by which is judged.
        staged: content by path; empty where nobody has the case.
        not_ready: codes of why it cannot be judged.
        now: aware UTC.

    Raises:
        InvalidValue: the criteria are named as no practice is.
    """
    with saying_what_is_wrong():
        admitted = NewAdmitted(
            slug=criteria.practice,
            revision_id=criteria.revision_id,
            not_ready=list(not_ready),
            text_sha256=criteria.text_sha256,
        )
        return NewEvidence(
            # One text is all that is at hand.
            catalogue_digest=criteria.text_sha256,
            artifact_kind="rag.answer",
            captured_at=now,
            repository_revision=job.repository_revision,
            sources=list(_sources(staged)),
            practices=[admitted],
        )


def _sources(staged: Mapping[str, bytes]) -> Iterator[NewSource]:
    for kind, own in (("question", QUESTION), ("answer", ANSWER)):
        yield _source(kind, staged, [path for path in staged if path == own])
    passages = [path for path in staged if path not in (QUESTION, ANSWER)]
    yield _source("retrieved_passages", staged, passages)


def _source(kind: str, staged: Mapping[str, bytes], paths: Sequence[str]) -> NewSource:
    if not staged:
        return NewSource(kind=kind, state="not_collected", reason="not_in_inputs")
    return NewSource(
        kind=kind,
        state="available",
        # That nothing is missing is the word of whoever wrote the file of cases.
        completeness="unknown",
        is_empty=not any(staged[path].strip() for path in paths),
        files=[NewFile(path=path, sha256=sha256_hex(staged[path])) for path in paths],
    )


def usage_to_wire(used: Used) -> NewUsage:
    """What an attempt used, as it is told."""
    tokens, rates = used.tokens, used.rates
    return NewUsage(
        calls=used.calls,
        tokens=NewTokens(
            input=tokens.input, cached_input=tokens.cached_input, output=tokens.output
        ),
        source=used.source.value,
        rates=None
        if rates is None
        else NewRates(
            input=f"{rates.input:f}",
            cached_input=f"{rates.cached_input:f}",
            output=f"{rates.output:f}",
        ),
    )
