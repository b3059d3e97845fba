"""What could a review look at, and by which criteria? The snapshot taken before it is executed.

A source that could not be read is a fact of its own with a reason, never an empty one. Which
revision of each practice was admitted stands here exactly; no time is consulted later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from evenhand.core.errors.review import InvalidEvidence
from evenhand.core.identity.canonical import is_sha256, json_ascii_v1
from evenhand.core.identity.file_digests import require_safe_paths
from evenhand.core.review.states import ArtifactKind

CONTRACT_VERSION: Final = 1


class SourceState(StrEnum):
    """Whether a source could be looked at."""

    AVAILABLE = "available"
    NOT_COLLECTED = "not_collected"
    UNAVAILABLE = "unavailable"
    REDACTED = "redacted"
    COLLECTION_ERROR = "collection_error"


class Completeness(StrEnum):
    """How much of an available source was collected."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedFile:
    """A file that was staged from a source: its path and its content's SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of evidence.

    Attributes:
        kind: such as ``retrieved_passages``; no other source of the manifest has it.
        state: whether it could be looked at.
        reason: why not; None exactly where it is available.
        completeness: of an available one, else None.
        limitations: of one that is not complete.
        is_empty: whether an available one held nothing; None otherwise.
        files: what was staged, only of an available one.

    Raises:
        InvalidEvidence: parts that contradict each other.
    """

    kind: str
    state: SourceState
    reason: str | None = None
    completeness: Completeness | None = None
    limitations: tuple[str, ...] = ()
    is_empty: bool | None = None
    files: tuple[StagedFile, ...] = ()

    def __post_init__(self) -> None:
        is_there = self.state is SourceState.AVAILABLE
        if is_there is (self.reason is not None):
            raise InvalidEvidence("sources.reason", "belongs to a source that is not available")
        if is_there is (self.completeness is None) or is_there is (self.is_empty is None):
            rule = "completeness and is_empty belong to an available source"
            raise InvalidEvidence("sources.state", rule)
        if self.files and not is_there:
            raise InvalidEvidence("sources.files", "belong to an available source")
        if self.limitations and self.completeness in (None, Completeness.COMPLETE):
            raise InvalidEvidence("sources.limitations", "belong to a source that is not complete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A practice that a review may speak of.

    Attributes:
        slug: the practice's name.
        revision_id: the very revision of its criteria.
        not_ready: codes of why it cannot be judged; empty: it is ready (BR-13).
        text_sha256: of the criteria as whoever judges has them, without blanks around; None where
            it does not say. It is held against the revision and not stored.
    """

    slug: str
    revision_id: str
    not_ready: tuple[str, ...] = ()
    text_sha256: str | None = None

    @property
    def is_ready(self) -> bool:
        """Whether it can be judged."""
        return not self.not_ready


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence snapshot of one attempt.

    Attributes:
        catalogue_digest: of all criteria at hand, 64 hex digits.
        artifact_kind: what is reviewed.
        captured_at: aware UTC, as the preparer says.
        repository_revision: of a checkout, where there is one (R-09).
        sources: no kind and no path twice.
        practices: the admitted ones, no slug and no revision twice; at least one.

    Raises:
        InvalidEvidence: a rule is broken; the message names the member.
        InvalidPath: an unsafe path of a staged file.

    Source: statements BR-11 to BR-13, R-22.
    """

    catalogue_digest: str
    artifact_kind: ArtifactKind
    captured_at: datetime
    repository_revision: str | None
    sources: tuple[Source, ...]
    practices: tuple[Admitted, ...]

    def __post_init__(self) -> None:
        if not is_sha256(self.catalogue_digest):
            raise InvalidEvidence("catalogue_digest", "must be 64 lowercase hex digits")
        if not self.practices:
            raise InvalidEvidence("practices", "must hold at least one")
        _require_distinct("sources.kind", (one.kind for one in self.sources))
        staged = [one for source in self.sources for one in source.files]
        _require_distinct("sources.files.path", (one.path for one in staged))
        require_safe_paths(one.path for one in staged)
        if not all(is_sha256(one.sha256) for one in staged):
            raise InvalidEvidence("sources.files.sha256", "must be 64 lowercase hex digits")
        _require_distinct("practices.slug", (one.slug for one in self.practices))
        _require_distinct("practices.revision_id", (one.revision_id for one in self.practices))

    @property
    def ready(self) -> tuple[Admitted, ...]:
        """The practices that can be judged."""
        return tuple(one for one in self.practices if one.is_ready)

    def admits(self, slug: str) -> Admitted | None:
        """The practice of this name that can be judged, None where none is."""
        return next((one for one in self.ready if one.slug == slug), None)

    @property
    def text(self) -> str:
        """The snapshot as it is stored: manifest and admitted practices, ``json-ascii-v1``."""
        return json_ascii_v1(
            {
                "manifest": {
                    "contract_version": CONTRACT_VERSION,
                    "catalogue_digest": self.catalogue_digest,
                    "artifact_kind": self.artifact_kind.value,
                    "captured_at": self.captured_at.isoformat(),
                    "repository_revision": self.repository_revision,
                    "sources": [_source(one) for one in self.sources],
                },
                "practices": [
                    {"slug": one.slug, "revision_id": one.revision_id} for one in self.practices
                ],
            }
        )

    @property
    def readiness(self) -> str:
        """The readiness report as it is stored: one decision per practice."""
        return json_ascii_v1(
            [
                {
                    "slug": one.slug,
                    "revision_id": one.revision_id,
                    "ready": one.is_ready,
                    "reasons": list(one.not_ready),
                }
                for one in self.practices
            ]
        )


def read_evidence(evidence: str, readiness: str) -> Evidence:
    """The evidence that two stored texts spell.

    Raises:
        InvalidEvidence: they are not what was written.
    """
    try:
        held, decisions = json.loads(evidence), json.loads(readiness)
        manifest = held["manifest"]
        found = Evidence(
            catalogue_digest=manifest["catalogue_digest"],
            artifact_kind=ArtifactKind(manifest["artifact_kind"]),
            captured_at=datetime.fromisoformat(manifest["captured_at"]),
            repository_revision=manifest["repository_revision"],
            sources=tuple(map(_to_source, manifest["sources"])),
            practices=tuple(
                Admitted(
                    slug=one["slug"],
                    revision_id=one["revision_id"],
                    not_ready=tuple(one["reasons"]),
                )
                for one in decisions
            ),
        )
    except (KeyError, TypeError, ValueError):
        found = None
    if found is None or (found.text, found.readiness) != (evidence, readiness):
        raise InvalidEvidence("evidence", "must be the canonical texts that were stored")
    return found


def _to_source(stored: dict[str, Any]) -> Source:
    completeness = stored["completeness"]
    return Source(
        kind=stored["kind"],
        state=SourceState(stored["state"]),
        reason=stored["reason"],
        completeness=None if completeness is None else Completeness(completeness),
        limitations=tuple(stored["limitations"]),
        is_empty=stored["is_empty"],
        files=tuple(StagedFile(**file) for file in stored["files"]),
    )


def _source(one: Source) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "state": one.state.value,
        "reason": one.reason,
        "completeness": None if one.completeness is None else one.completeness.value,
        "limitations": list(one.limitations),
        "is_empty": one.is_empty,
        "files": [{"path": file.path, "sha256": file.sha256} for file in one.files],
    }


def _require_distinct(field: str, values: Iterable[str]) -> None:
    listed = list(values)
    if len(set(listed)) != len(listed):
        raise InvalidEvidence(field, "must not occur twice")
