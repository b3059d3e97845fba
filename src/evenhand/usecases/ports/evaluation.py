"""Where are results kept, and what they were asked, decided and published by?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.comparison.set_use import SetUse, SetUseCounts
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.review.given_answer import KeptAnswer
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.scoring.publication import Publication


class EvaluationRepository(Protocol):
    """Stored evaluations: aggregates for all, outcomes from ``metadata`` up."""

    def add(
        self,
        record: EvaluationRecord,
        *,
        outcomes: tuple[Outcome, ...] | None,
        rankings: tuple[StoredRanking, ...] | None,
        details: str | None,
    ) -> None:
        """Insert one evaluation with what its privacy level keeps."""

    def get(self, evaluation_id: str) -> EvaluationRecord:
        """One evaluation; raises EvaluationNotFound."""

    def find_previous(
        self, set_identifier: str, retriever: str, grader: str
    ) -> EvaluationRecord | None:
        """The latest stored evaluation of a series, by time then id."""

    def find_by_prefix(self, prefix: str, limit: int) -> tuple[EvaluationRecord, ...]:
        """Evaluations whose id starts so, newest first, at most ``limit``."""

    def list_latest(
        self,
        *,
        set_identifier: str | None,
        retriever: str | None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[EvaluationRecord, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""

    def list_outcomes(
        self, evaluation_id: str, *, after: int, limit: int
    ) -> tuple[Outcome, ...] | None:
        """Those behind a position, in order, at most ``limit``; None where none were kept."""

    def get_outcomes(self, evaluation_id: str) -> tuple[Outcome, ...] | None:
        """In order of position; None where the privacy level kept none."""

    def get_rankings(self, evaluation_id: str) -> tuple[StoredRanking, ...] | None:
        """In order of position; None below ``full``."""

    def get_details(self, evaluation_id: str) -> str | None:
        """The details payload, for export at ``full`` only; None or empty text without one."""

    def purge(self, *, before: datetime, category: str, actor: str) -> int:
        """Delete evaluations created strictly before; returns how many, leaves a trace."""

    def delete(self, evaluation_id: str, *, actor: str) -> None:
        """Delete one evaluation, leaving a trace; raises EvaluationNotFound."""


class PublicationRepository(Protocol):
    """How evaluations came over the network: added with them, never changed."""

    def add(self, publication: Publication) -> None:
        """Note one; raises IdempotencyRace where another one has its key."""

    def find_by_key(self, project_id: str, key: str) -> Publication | None:
        """The one of a project that was sent under this key."""

    def find_by_evaluation(self, evaluation_id: str) -> Publication | None:
        """The one of an evaluation."""

    def find_previous(self, publication: Publication, record: EvaluationRecord) -> str | None:
        """Id of the evaluation before this one, of its series, project and writer."""

    def has_other_size(
        self,
        *,
        project_id: str,
        client_id: str | None,
        set_identifier: str,
        benchmark: str | None,
        counts: HitCounts,
    ) -> bool:
        """Whether the writer has a result of this benchmark with other numbers of questions."""


class GoldenSetRepository(Protocol):
    """Golden sets that were imported."""

    def save(self, golden_set: GoldenSet, *, imported_at: datetime) -> None:
        """Insert the set, or replace the one of the same identifier, as a whole."""

    def find(self, identifier: str) -> GoldenSet | None:
        """One set with its questions."""

    def list_all(self) -> tuple[tuple[str, str, int, int], ...]:
        """Identifier, name, number of questions and of those held out, by identifier."""

    def delete(self, identifier: str) -> bool:
        """Whether a set was there to delete."""


class BaselineRepository(Protocol):
    """Pinned baselines: added, never changed; the newest of a set and retriever is active."""

    def add(self, baseline: PinnedBaseline) -> None:
        """Pin one; it is active from now on."""

    def find(self, baseline_id: str) -> PinnedBaseline | None:
        """The one with this id."""

    def find_active(self, set_identifier: str, retriever: str) -> PinnedBaseline | None:
        """The newest of a set and retriever."""

    def list_active(self) -> tuple[PinnedBaseline, ...]:
        """The newest of each set and retriever, by these two."""

    def history(
        self, *, set_identifier: str | None, retriever: str | None, limit: int
    ) -> tuple[PinnedBaseline, ...]:
        """Newest first, at most ``limit``."""


class SetUseRepository(Protocol):
    """The ledger of decisions that rest on a set: added to, never changed."""

    def add(self, use: SetUse) -> None:
        """Note one decision."""

    def count(self, labels_fingerprint: str) -> SetUseCounts:
        """How many decisions rest on sets with these labels."""

    def list_latest(self, labels_fingerprint: str, limit: int) -> tuple[SetUse, ...]:
        """Newest first, at most ``limit``."""


class AnswerRepository(Protocol):
    """Answers beside evaluations: added once, never changed."""

    def add(self, evaluation_id: str, answers: Sequence[KeptAnswer]) -> None:
        """Keep the answers of one evaluation; raises EvaluationNotFound."""

    def list_of(self, evaluation_id: str) -> tuple[KeptAnswer, ...]:
        """The answers of one evaluation, in order of position."""


class ScoreRepository(Protocol):
    """Graded values of evaluations: added, never changed."""

    def add(self, score: StoredScore) -> None:
        """Keep one value."""

    def list_of(self, evaluation_id: str) -> tuple[StoredScore, ...]:
        """The values of one evaluation, by protocol, judgements and measure."""
