"""What is one side of a comparison? A result, wherever it comes from: stored, fresh, or pinned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from evenhand.core.comparison.pinned import BaselineContent, PinnedBaseline
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import is_holdout_identifier
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Basis, Conditions, Evaluation, EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One result that is compared.

    Attributes:
        retriever: the retriever's identifier.
        set_identifier: of the golden set.
        identity: what was declared and the fingerprints; None means unknown.
        protocol: version of the scoring protocol.
        depth: the limit that was handed to the retriever.
        basis: who saw the rankings come into being.
        conditions: what latencies depend on.
        counts: over the outcomes.
        outcomes: by position, None where the privacy level kept none.
        rankings: by position, None where they are not at hand; only self-checks look at them.
        evaluation_id: the stored evaluation, None where it is not stored or not known.
        created_at: when it was stored or pinned, aware UTC; None where it is not stored.
        is_baseline: whether it is a pinned baseline or one from a file.
        qrels_digest: of every judgement it was scored with; None when unknown, and then no
            graded measure can be compared.
    """

    retriever: str
    set_identifier: str
    identity: StoredIdentity | None
    protocol: str
    depth: int
    basis: Basis
    conditions: Conditions
    counts: HitCounts
    outcomes: tuple[Outcome, ...] | None
    rankings: tuple[StoredRanking, ...] | None = None
    evaluation_id: str | None = None
    created_at: datetime | None = None
    is_baseline: bool = False
    qrels_digest: str | None = None

    @property
    def is_holdout(self) -> bool:
        """Whether it is of the part that a set holds out: then no question of it is shown."""
        return is_holdout_identifier(self.set_identifier)

    @property
    def benchmark(self) -> str | None:
        """Benchmark fingerprint; None when unknown, and then it equals nothing."""
        return None if self.identity is None else self.identity.fingerprints.benchmark

    @property
    def variant(self) -> str | None:
        """Variant fingerprint; None when unknown."""
        return None if self.identity is None else self.identity.fingerprints.variant

    @property
    def labels(self) -> str | None:
        """Labels fingerprint; None when unknown."""
        return None if self.identity is None else self.identity.fingerprints.labels


def stored_side(
    record: EvaluationRecord,
    outcomes: tuple[Outcome, ...] | None,
    rankings: tuple[StoredRanking, ...] | None = None,
) -> Side:
    """A stored evaluation as a side.

    Args:
        record: the row.
        outcomes: by position, None where none were kept.
        rankings: by position, None where none were kept or nobody asks for them.
    """
    return Side(
        retriever=record.retriever,
        set_identifier=record.set_identifier,
        identity=record.identity,
        protocol=record.protocol,
        depth=record.depth,
        basis=record.basis,
        conditions=record.conditions,
        counts=record.counts,
        outcomes=outcomes,
        rankings=rankings,
        evaluation_id=record.id,
        created_at=record.created_at,
        qrels_digest=record.qrels_digest,
    )


def stored_as(side: Side, record: EvaluationRecord) -> Side:
    """A fresh side with the row that it became."""
    return replace(side, evaluation_id=record.id, created_at=record.created_at)


def fresh_side(
    evaluation: Evaluation,
    record: EvaluationRecord | None = None,
    rankings: tuple[StoredRanking, ...] | None = None,
) -> Side:
    """A fresh evaluation as a side, with its row where it was stored.

    Args:
        evaluation: what was measured.
        record: the row that it became, None where it was not stored.
        rankings: by position, None where nobody asks for them.
    """
    return Side(
        retriever=evaluation.retriever,
        set_identifier=evaluation.golden_set.identifier,
        identity=evaluation.identity,
        protocol=evaluation.protocol,
        depth=evaluation.depth,
        basis=evaluation.basis,
        conditions=evaluation.conditions,
        counts=evaluation.counts,
        outcomes=evaluation.outcomes,
        rankings=rankings,
        evaluation_id=None if record is None else record.id,
        created_at=None if record is None else record.created_at,
        qrels_digest=evaluation.golden_set.qrels_digest,
    )


def pinned_side(content: BaselineContent) -> Side:
    """A baseline as a side, whether it is pinned or was read from a file."""
    pinned = content if isinstance(content, PinnedBaseline) else None
    return Side(
        retriever=content.retriever,
        set_identifier=content.set_identifier,
        identity=content.identity,
        protocol=content.scoring_version,
        depth=content.depth,
        basis=content.basis,
        conditions=content.conditions,
        counts=content.counts,
        outcomes=content.outcomes,
        evaluation_id=None if pinned is None else pinned.evaluation_id,
        created_at=None if pinned is None else pinned.set_at,
        is_baseline=True,
        qrels_digest=content.qrels_digest,
    )
