"""Score a stored evaluation by further measures, from what was kept of it.

Nothing is run again and no text is needed: the outcomes are the sufficient statistic of every
measure. Values that are there already stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.comparison.set_use import SetUse, SetUseCounts, SetUseKind
from evenhand.core.errors.retrieval import GradesUnknown
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore, build_score, graded_values, has_grades
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.regrade import regrade
from evenhand.usecases.ports import UnitOfWork

_WITHOUT_OUTCOMES = "it was stored at privacy level none, without outcomes"
_WITHOUT_SET = (
    "the grades of its judgements were not kept; name the golden set that it ran on with --set"
)
_UNKNOWN_LABELS = "neither the grades of its judgements were kept nor by which labels it was scored; run it again"
_UNCOUNTED = (
    "it is of a part that is held out, and by which labels it was scored is not known: so the "
    "reading could not be counted"
)
_OTHER_LABELS = "the golden set at hand has other labels than those that it was scored with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """An evaluation with the values that were asked for.

    Attributes:
        record: the evaluation.
        scores: in the order of the measures; those that speak of one of its questions.
        added: how many of them are new.
        uses: of a holdout part, how often it was read, this reading included; else None.
    """

    record: EvaluationRecord
    scores: tuple[StoredScore, ...]
    added: int
    uses: SetUseCounts | None = None


def rescore(
    uow: UnitOfWork,
    record: EvaluationRecord,
    measures: Sequence[Measure],
    *,
    id: str,  # noqa: A002 -- the row's name for it
    golden_set: GoldenSet | None = None,
) -> Rescored:
    """Compute measures of a stored evaluation, and keep those that it has no value of yet.

    New values of a holdout part are a reading of it, and noted as one.

    Args:
        uow: the open transaction.
        record: the evaluation.
        measures: what to compute, at least one.
        id: UUIDv7 text of the note in the ledger, where one is made.
        golden_set: the set at hand, None where there is none; needed only where the grades were
            not kept with the evaluation.

    Raises:
        GradesUnknown: its outcomes or the grades behind them are not known.
        InvalidQrels: a grade beyond the scale of a measure.
    """
    outcomes, digest = _graded(uow, record, golden_set)
    now = uow.now()
    kept = {
        one.value.measure: one
        for one in uow.scores.list_of(record.id)
        if one.qrels_digest == digest
    }
    scores, added = [], 0
    for value in graded_values(measures, outcomes):
        score = kept.get(value.measure)
        if score is None:
            score = build_score(record, value, qrels_digest=digest, scored_at=now)
            uow.scores.add(score)
            kept[value.measure] = score
            added += 1
        scores.append(score)
    uses = _note_reading(uow, record, id) if record.is_holdout and added else None
    return Rescored(record=record, scores=tuple(scores), added=added, uses=uses)


def _note_reading(uow: UnitOfWork, record: EvaluationRecord, row_id: str) -> SetUseCounts:
    if record.identity is None:
        raise GradesUnknown(_UNCOUNTED)
    labels = record.identity.fingerprints.labels
    uow.set_uses.add(
        SetUse(
            id=row_id,
            at=uow.now(),
            labels_fingerprint=labels,
            set_identifier=record.set_identifier,
            kind=SetUseKind.HOLDOUT,
            evaluation_ids=(record.id,),
            conclusion="rescored",
        )
    )
    return uow.set_uses.count(labels)


def _graded(
    uow: UnitOfWork, record: EvaluationRecord, golden_set: GoldenSet | None
) -> tuple[tuple[Outcome, ...], str]:
    """Outcomes with grades, and the digest of the judgements behind them."""
    outcomes = uow.evaluations.get_outcomes(record.id)
    if outcomes is None:
        raise GradesUnknown(_WITHOUT_OUTCOMES)
    if record.qrels_digest is not None and has_grades(outcomes):
        return outcomes, record.qrels_digest
    if record.identity is None:
        raise GradesUnknown(_UNKNOWN_LABELS)
    if golden_set is None:
        raise GradesUnknown(_WITHOUT_SET)
    if golden_set.labels_fingerprint != record.identity.fingerprints.labels:
        raise GradesUnknown(_OTHER_LABELS)
    rankings = uow.evaluations.get_rankings(record.id)
    return regrade(outcomes, golden_set, rankings), golden_set.qrels_digest
