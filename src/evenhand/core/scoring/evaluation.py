"""What is an evaluation: a run scored under a protocol, stamped with what was run?

`Evaluation` is the fresh value with questions and rankings at hand; `EvaluationRecord` is what
the store keeps and gives back at every privacy level.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import Final

from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.coverage import Coverage
from evenhand.core.retrieval.golden import GoldenSet, is_holdout_identifier
from evenhand.core.retrieval.ranking import Answer
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import GRADER, SCORING_VERSION, HitCounts

#: Stands for the machine where Evenhand timed no retrieval, so that none was measured on any.
UNKNOWN_MACHINE: Final = "unknown"


class Basis(StrEnum):
    """Who saw the rankings come into being.

    ``imported``: somebody's run file. ``local``: Evenhand called the retriever. ``reported``: a
    consumer reported rankings to the hub. ``witnessed``: reported, and each successful query's
    model call is matched to the gateway; the calls are witnessed, the rankings are not.
    """

    IMPORTED = "imported"
    LOCAL = "local"
    REPORTED = "reported"
    WITNESSED = "witnessed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What latencies depend on; they are compared only between equal conditions.

    Attributes:
        machine: label of the machine's kind (digest; names no host), or `UNKNOWN_MACHINE`.
        jobs: retrievals at a time, at least 1.
        warmup: unmeasured calls before the first question.
        batch: questions per call, 1 when asked one by one.
    """

    machine: str
    jobs: int = 1
    warmup: int = 0
    batch: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A run scored under the hits protocol; not stored yet.

    Attributes:
        golden_set: what was asked.
        retriever: the retriever's identifier.
        identity: what the retriever declared and the fingerprints; None means unknown.
        answers: one per question, in the set's order.
        outcomes: one per question, in order of position.
        counts: over the outcomes.
        basis: who saw the rankings come into being.
        depth: the limit handed to the retriever.
        conditions: what the latencies depend on.
        started_at: aware UTC.
        finished_at: aware UTC.
        protocol: version of the scoring protocol.
        grader: the series this evaluation belongs to.
        labels_derived: whether Evenhand itself derived every label, from digests of what it ran.
        corpus_digested: whether the corpus label is a digest that Evenhand made of the corpus or
            manifest that was named; that the retriever searched just that is not known.
        coverage: what a run file and the set do not have in common; None of other rankings.
    """

    golden_set: GoldenSet
    retriever: str
    identity: StoredIdentity | None
    answers: tuple[Answer, ...]
    outcomes: tuple[Outcome, ...]
    counts: HitCounts
    basis: Basis
    depth: int
    conditions: Conditions
    started_at: datetime
    finished_at: datetime
    protocol: str = SCORING_VERSION
    grader: str = GRADER
    labels_derived: bool = False
    corpus_digested: bool = False
    coverage: Coverage | None = None

    @property
    def failed_share(self) -> Fraction:
        """Share of attempted questions whose retrieval failed, unjudged ones included."""
        failed = sum(outcome.error_class is not None for outcome in self.outcomes)
        return Fraction(failed, len(self.outcomes))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRecord:
    """The stored row of an evaluation: aggregates and identities, no text.

    Attributes:
        id: UUIDv7 text.
        created_at: when it was stored, aware UTC; orders the series together with the id.
        set_identifier, retriever, grader: the series it belongs to (BP-12).
        set_name: what people call the set.
        protocol, basis, depth, conditions, counts: as in `Evaluation`.
        privacy: the level under which it was stored.
        identity: None when unknown, or when what is stored does not read back as valid.
        started_at, finished_at: aware UTC.
        release: version of Evenhand that stored it.
        qrels_digest: of every judgement that it was scored with; None where it was not kept.
    """

    id: str
    created_at: datetime
    set_identifier: str
    set_name: str
    retriever: str
    grader: str
    protocol: str
    basis: Basis
    depth: int
    conditions: Conditions
    counts: HitCounts
    privacy: PrivacyLevel
    identity: StoredIdentity | None
    started_at: datetime
    finished_at: datetime
    release: str
    qrels_digest: str | None = None

    @property
    def is_holdout(self) -> bool:
        """Whether it is of the part that a set holds out: then no question of it is shown."""
        return is_holdout_identifier(self.set_identifier)


def build_record(
    evaluation: Evaluation,
    *,
    id: str,  # noqa: A002 -- the field's name
    created_at: datetime,
    privacy: PrivacyLevel,
    release: str,
) -> EvaluationRecord:
    """The row that an evaluation becomes when it is stored."""
    return EvaluationRecord(
        id=id,
        created_at=created_at,
        set_identifier=evaluation.golden_set.identifier,
        set_name=evaluation.golden_set.name,
        retriever=evaluation.retriever,
        grader=evaluation.grader,
        protocol=evaluation.protocol,
        basis=evaluation.basis,
        depth=evaluation.depth,
        conditions=evaluation.conditions,
        counts=evaluation.counts,
        privacy=privacy,
        identity=evaluation.identity,
        started_at=evaluation.started_at,
        finished_at=evaluation.finished_at,
        release=release,
        qrels_digest=evaluation.golden_set.qrels_digest,
    )
