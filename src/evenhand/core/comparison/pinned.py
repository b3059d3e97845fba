"""What is a pinned baseline: a result that somebody chose to compare later ones with?

It holds its own copy of everything that a comparison needs, so that it outlives the evaluation
that it came from and can leave the machine as a file. It names questions by position only.
Which baseline is active, and since when, is the business of the store.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from fractions import Fraction

from evenhand.core.errors.evaluation import InvalidBaseline, TooManyFailed
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import Basis, Conditions, EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineContent:
    """A result as a baseline holds it, in the store or in a file.

    Attributes:
        set_identifier, retriever: the series that is compared with it.
        identity: what was declared, and the fingerprints; never unknown.
        basis: who saw the rankings come into being.
        depth: the limit that was handed to the retriever.
        conditions: what the latencies depend on.
        counts: over the outcomes.
        outcomes: by position, without ids or texts.
        qrels_digest: of every judgement behind them; None where it was not kept.
    """

    set_identifier: str
    retriever: str
    identity: StoredIdentity
    basis: Basis
    depth: int
    conditions: Conditions
    counts: HitCounts
    outcomes: tuple[Outcome, ...]
    qrels_digest: str | None = None

    @property
    def provenance(self) -> RetrievalProvenance:
        """What was declared."""
        return self.identity.provenance

    @property
    def labels_fingerprint(self) -> str:
        """Digest of the golden questions' labels, ``v1:`` and hex."""
        return self.identity.fingerprints.labels

    @property
    def benchmark_fingerprint(self) -> str | None:
        """Decides comparability; not None, a baseline's identity being known."""
        return self.identity.fingerprints.benchmark

    @property
    def variant_fingerprint(self) -> str | None:
        """Changes with the treatment; not None, a baseline's identity being known."""
        return self.identity.fingerprints.variant

    @property
    def scoring_version(self) -> str:
        """Version of the scoring protocol that is part of the benchmark."""
        return self.identity.fingerprints.scoring_version


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedBaseline(BaselineContent):
    """A baseline in the store. History is kept; the newest of a set and retriever is active.

    Attributes:
        id: UUIDv7 text.
        evaluation_id: the evaluation it was copied from, which may be gone by now; None when it
            was read from a file.
        set_at: when it was pinned, aware UTC; orders the history together with the id.
        actor: who pinned it.
        note: why, in the actor's words; may be empty.
    """

    id: str
    evaluation_id: str | None
    set_at: datetime
    actor: str
    note: str


def content_of(
    record: EvaluationRecord, outcomes: tuple[Outcome, ...] | None, *, level: PrivacyLevel
) -> BaselineContent:
    """The copy of a stored evaluation that a baseline holds.

    Args:
        record: the evaluation.
        outcomes: its outcomes, None where its privacy level kept none.
        level: what may be kept now; it may have become stricter since.

    Raises:
        InvalidBaseline: it does not say what was run, or outcomes are not or may not be kept.
    """
    if record.identity is None:
        raise InvalidBaseline(_unknown(record.id))
    require_keepable(level)
    if outcomes is None:
        raise InvalidBaseline(_without_outcomes(record.id))
    return BaselineContent(
        set_identifier=record.set_identifier,
        retriever=record.retriever,
        identity=record.identity,
        basis=record.basis,
        depth=record.depth,
        conditions=record.conditions,
        counts=record.counts,
        outcomes=outcomes,
        qrels_digest=record.qrels_digest,
    )


def require_keepable(level: PrivacyLevel) -> None:
    """Nothing, where a privacy level lets a baseline be kept.

    Raises:
        InvalidBaseline: the level keeps no outcomes.
    """
    if not level.keeps_outcomes:
        raise InvalidBaseline("a baseline holds outcomes, and privacy level none keeps none")


def require_share(content: BaselineContent, max_failed_share: Fraction) -> None:
    """Nothing, where few enough questions failed for later results to be held against this one.

    A baseline whose retrieval was broken lets everything after it look good.

    Args:
        content: what would be pinned or written.
        max_failed_share: of the questions that were put, unjudged ones included; in [0, 1].

    Raises:
        TooManyFailed: a larger share failed.
    """
    attempted = len(content.outcomes)
    failed = sum(outcome.error_class is not None for outcome in content.outcomes)
    if Fraction(failed, attempted or 1) > max_failed_share:
        raise TooManyFailed(failed, attempted)


def pin(
    content: BaselineContent,
    *,
    id: str,  # noqa: A002 -- the field's name
    evaluation_id: str | None,
    set_at: datetime,
    actor: str,
    note: str,
) -> PinnedBaseline:
    """The row that a baseline becomes when it is pinned."""
    copied = {field.name: getattr(content, field.name) for field in fields(BaselineContent)}
    return PinnedBaseline(
        **copied, id=id, evaluation_id=evaluation_id, set_at=set_at, actor=actor, note=note
    )


def _unknown(evaluation_id: str) -> str:
    return (
        f"evaluation {evaluation_id} does not say what was run; nothing could be compared with "
        "it. Declare corpus, model, chunking and pipeline, run again and set that as the baseline"
    )


def _without_outcomes(evaluation_id: str) -> str:
    return f"evaluation {evaluation_id} was stored at privacy level none, without outcomes"
