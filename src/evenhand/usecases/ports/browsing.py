"""What do people look through, page by page, and how large is one page?

Each read costs what it gives, however much is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import GoldenQuestion, QueryId
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Basis, Conditions, EvaluationRecord
from evenhand.core.scoring.protocols import HitCounts

#: Time and id of the row at the edge of a page.
Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFilter:
    """Which evaluations somebody wants to see; None means any.

    Attributes:
        set_identifier, retriever: as in `EvaluationRecord`.
        benchmark: fingerprint; those that have it may be compared with each other.
    """

    set_identifier: str | None = None
    retriever: str | None = None
    benchmark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """A pinned baseline without its outcomes.

    Attributes:
        id, evaluation_id, set_at, actor, note, basis, depth, conditions, counts, qrels_digest: as
            in `PinnedBaseline`.
        identity: what was declared, and the fingerprints; None where it does not read back.
    """

    id: str
    evaluation_id: str | None
    set_at: datetime
    actor: str
    note: str
    identity: StoredIdentity | None
    basis: Basis
    depth: int
    conditions: Conditions
    counts: HitCounts
    qrels_digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEntry:
    """An imported golden set without its questions.

    Attributes:
        identifier, name, description: as in `GoldenSet`.
        imported_at: when it was imported last, aware UTC.
        labels_fingerprint: of what is not held out.
        questions, unjudged: of what is not held out.
        holdout: how many questions are held out.
    """

    identifier: str
    name: str
    description: str
    imported_at: datetime
    labels_fingerprint: str
    questions: int
    unjudged: int
    holdout: int


class EvaluationPages(Protocol):
    """Stored evaluations, a page at a time."""

    def list_newest(
        self, wanted: EvaluationFilter, *, limit: int, after: Place | None
    ) -> tuple[EvaluationRecord, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that place."""

    def list_oldest(
        self, wanted: EvaluationFilter, *, limit: int, after: Place | None
    ) -> tuple[EvaluationRecord, ...]:
        """Oldest first, at most ``limit``; with ``after`` those behind that place."""

    def find_baseline(self, set_identifier: str, retriever: str) -> BaselineEntry | None:
        """The active baseline of a set and retriever."""

    def list_set_identifiers(self, limit: int) -> tuple[str, ...]:
        """Sets of which there is an evaluation, in order, at most ``limit``."""

    def list_retrievers(self, limit: int) -> tuple[str, ...]:
        """Retrievers of which there is an evaluation, in order, at most ``limit``."""

    def list_rankings_at(
        self, evaluation_id: str, positions: Collection[int]
    ) -> Mapping[int, StoredRanking]:
        """Rankings by position; those that were not kept are missing."""


class GoldenSetPages(Protocol):
    """Imported golden sets, a page at a time; nothing of what a set holds out."""

    def find_entry(self, identifier: str) -> SetEntry | None:
        """One set without its questions."""

    def list_questions(
        self, identifier: str, *, after: int, limit: int
    ) -> tuple[tuple[int, GoldenQuestion], ...]:
        """Ordinal and question in the set's order, behind an ordinal, at most ``limit``."""

    def find_ids_at(self, identifier: str, positions: Collection[int]) -> Mapping[int, QueryId]:
        """Ids of questions by position, which is their place in byte order of the ids."""

    def find_questions(
        self, identifier: str, ids: Sequence[QueryId]
    ) -> Mapping[QueryId, GoldenQuestion]:
        """Questions by id; those that the set does not have are missing."""
