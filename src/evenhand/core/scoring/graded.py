"""What is the value of a graded measure for an evaluation that Evenhand made or keeps?

Outcomes are all that is needed: rank and grade of each judged document that came back, and the
grades of all judgements. Questions without a relevant document have no value (DESIGN 6), which is
why every mean stands beside its number of questions. A failed question counts 0 in the mean; in a
difference both extremes are told. What files of judgements and runs say, in the order of trec_eval,
is the business of the readers; the values are the same (`core.scoring.measures`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from evenhand.core.errors.retrieval import GradesUnknown
from evenhand.core.identity.graded import GradedScale
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.core.scoring.measures import GRADED_VERSION, Measure
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.projection import outcome_hits


class QuestionValue(NamedTuple):
    """The value of one question, which is None where its retrieval failed."""

    position: int
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedValue:
    """A measure over an evaluation.

    Attributes:
        measure: canonical name.
        mean: over the questions, a failed one as 0; of counts the total.
        questions: with a value, failed ones included.
        failed: of them.
    """

    measure: str
    mean: float
    questions: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A graded value with what it was measured with.

    Attributes:
        qrels_digest: of the judgements.
        depth: how many documents of a ranking were asked for.
        benchmark: fingerprint that decides with what it compares; None when unknown.
        value: the measure and its mean.
        protocol: version of the graded protocol.
    """

    qrels_digest: str
    depth: int
    benchmark: str | None
    value: GradedValue
    protocol: str = GRADED_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScore(Score):
    """A graded value as the store keeps it: added, never changed.

    Attributes:
        evaluation_id: what was scored.
        scored_at: aware UTC.
    """

    evaluation_id: str
    scored_at: datetime


def fresh_scores(evaluation: Evaluation, measures: Iterable[Measure]) -> tuple[Score, ...]:
    """The values of a fresh evaluation, in the order of the measures.

    Raises:
        InvalidQrels: as `question_values`.
    """
    digest = evaluation.golden_set.qrels_digest
    return tuple(
        _score(value, digest, evaluation.depth, evaluation.identity)
        for value in graded_values(measures, evaluation.outcomes)
    )


def build_score(
    record: EvaluationRecord, value: GradedValue, *, qrels_digest: str, scored_at: datetime
) -> StoredScore:
    """The row that a value of an evaluation becomes when it is stored.

    Args:
        record: the evaluation.
        value: what was computed from its outcomes.
        qrels_digest: of the judgements behind them.
        scored_at: aware UTC.
    """
    return stored_score(
        _score(value, qrels_digest, record.depth, record.identity),
        evaluation_id=record.id,
        scored_at=scored_at,
    )


def stored_score(score: Score, *, evaluation_id: str, scored_at: datetime) -> StoredScore:
    """A value as the store keeps it of one evaluation."""
    return StoredScore(
        evaluation_id=evaluation_id,
        scored_at=scored_at,
        qrels_digest=score.qrels_digest,
        depth=score.depth,
        benchmark=score.benchmark,
        value=score.value,
        protocol=score.protocol,
    )


def _score(
    value: GradedValue, qrels_digest: str, depth: int, identity: StoredIdentity | None
) -> Score:
    scale = GradedScale(
        protocol=GRADED_VERSION, qrels_digest=qrels_digest, measure=value.measure, depth=depth
    )
    return Score(
        qrels_digest=qrels_digest,
        depth=depth,
        benchmark=scale.benchmark(identity),
        value=value,
    )


def has_grades(outcomes: Sequence[Outcome]) -> bool:
    """Whether the grades behind every judged question were kept."""
    return all(one.judged_grades is not None for one in outcomes if one.targets is not None)


def question_values(measure: Measure, outcomes: Sequence[Outcome]) -> tuple[QuestionValue, ...]:
    """The values of the questions that the measure speaks of, in order of position.

    Which questions those are depends on the judgements alone, never on what came back.

    Args:
        measure: which one.
        outcomes: by position.

    Raises:
        GradesUnknown: the grades behind a judged question were not kept.
        InvalidQrels: a grade beyond the scale of ERR or of an exponential gain.
    """
    found = []
    for outcome in outcomes:
        if outcome.targets is None:
            continue
        if outcome.judged_grades is None:
            raise GradesUnknown
        value = measure.native_value(outcome_hits(outcome, outcome.judged_grades))
        if value is not None:
            found.append(QuestionValue(outcome.position, None if outcome.error_class else value))
    return tuple(found)


def graded_value(measure: Measure, outcomes: Sequence[Outcome]) -> GradedValue | None:
    """A measure over an evaluation; None where it speaks of no question.

    Raises:
        GradesUnknown, InvalidQrels: as `question_values`.
    """
    values = question_values(measure, outcomes)
    # Positions are in byte order of the question ids, in which trec_eval adds.
    mean = measure.summary(0.0 if one.value is None else one.value for one in values)
    if not values or mean is None:
        return None
    return GradedValue(
        measure=str(measure),
        mean=mean,
        questions=len(values),
        failed=sum(one.value is None for one in values),
    )


def graded_values(
    measures: Iterable[Measure], outcomes: Sequence[Outcome]
) -> tuple[GradedValue, ...]:
    """Several measures over an evaluation, in the order given; those that speak of a question.

    Raises:
        GradesUnknown, InvalidQrels: as `question_values`.
    """
    found = (graded_value(measure, outcomes) for measure in measures)
    return tuple(one for one in found if one is not None)
