"""Keep an evaluation, find it again, and let it go when its time is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.core.comparison.previous import (
    PreviousComparison,
    Tolerance,
    compare_with_previous,
)
from evenhand.core.errors import Invalid
from evenhand.core.errors.evaluation import EvaluationExists, EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy, kept_since, stricter
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.details import (
    build_details,
    build_rankings,
    filter_details,
    filter_rankings,
)
from evenhand.core.scoring.evaluation import Basis, Evaluation, EvaluationRecord, build_record
from evenhand.core.scoring.graded import StoredScore, fresh_scores, stored_score
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.outcome import Outcome
from evenhand.usecases.ports import UnitOfWork

#: Days that evaluations are kept where nobody says otherwise (BP-30).
DEFAULT_RETENTION_DAYS = 30
#: The retention category of evaluations and everything that hangs on them.
RETENTION_CATEGORY = "evaluation"

_PREFIX_LENGTH = 4
_LATEST = "latest"
_PREVIOUS = "previous"
#: How far back a series is looked through.
_REACH = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A stored evaluation and what it says against the previous one.

    Attributes:
        record: the row that was written.
        comparison: against the immediately preceding evaluation of the series.
        scores: graded values that were stored with it, in the order of the measures.
    """

    record: EvaluationRecord
    comparison: PreviousComparison
    scores: tuple[StoredScore, ...] = ()


def record(  # noqa: PLR0913 -- what one row is made of, by keyword
    uow: UnitOfWork,
    evaluation: Evaluation,
    *,
    id: str,  # noqa: A002 -- the row's name for it
    policy: PrivacyPolicy,
    release: str,
    tolerance: Tolerance | None = None,
    measures: Sequence[Measure] = (),
) -> Recorded:
    """Read the previous evaluation of the series, store this one, compare the two.

    Privacy is applied here, before anything becomes a row.

    Args:
        uow: the open transaction.
        evaluation: what to store.
        id: the new row's UUIDv7.
        policy: what may be kept.
        release: version of the program that stores.
        tolerance: thresholds of the regression flag.
        measures: graded measures whose values are stored too.

    Raises:
        InvalidQrels: a grade beyond the scale of a measure.
        Exception: whatever a custom policy raises; then nothing is stored.
    """
    level = PrivacyLevel(policy.level)
    details = build_details(evaluation, policy)
    rankings = build_rankings(evaluation, policy)
    fresh = build_record(evaluation, id=id, created_at=uow.now(), privacy=level, release=release)
    previous = uow.evaluations.find_previous(fresh.set_identifier, fresh.retriever, fresh.grader)
    before = None if previous is None else uow.evaluations.get_outcomes(previous.id)
    uow.evaluations.add(
        fresh,
        outcomes=evaluation.outcomes if level.keeps_outcomes else None,
        rankings=rankings,
        details=details,
    )
    comparison = compare_with_previous(
        fresh, evaluation.outcomes, previous, before, tolerance or Tolerance()
    )
    scores = tuple(
        stored_score(score, evaluation_id=fresh.id, scored_at=fresh.created_at)
        for score in fresh_scores(evaluation, measures)
    )
    for score in scores:
        uow.scores.add(score)
    return Recorded(record=fresh, comparison=comparison, scores=scores)


def find(uow: UnitOfWork, reference: str) -> EvaluationRecord:
    """The stored evaluation that a reference names.

    Args:
        uow: the open transaction.
        reference: an id, a unique prefix of one (at least four characters), ``latest``, or
            ``previous``: the result before the latest, of its set and retriever.

    Raises:
        EvaluationNotFound: nothing or more than one thing answers to it.
    """
    newest = uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=1)
    if not newest:
        raise EvaluationNotFound(reference, "nothing is stored yet")
    if reference == _LATEST:
        return newest[0]
    if reference == _PREVIOUS:
        return _before(uow, newest[0])
    if len(reference) < _PREFIX_LENGTH:
        raise EvaluationNotFound(reference, "give at least four characters of the id")
    found = uow.evaluations.find_by_prefix(reference, 2)
    if not found:
        raise EvaluationNotFound(reference)
    if len(found) > 1:
        raise EvaluationNotFound(reference, "several ids start so; give more of it")
    return found[0]


def _before(uow: UnitOfWork, latest: EvaluationRecord) -> EvaluationRecord:
    earlier = uow.evaluations.list_latest(
        set_identifier=latest.set_identifier,
        retriever=latest.retriever,
        limit=_REACH,
        after=(latest.created_at, latest.id),
    )
    found = next((one for one in earlier if one.grader == latest.grader), None)
    if found is None:
        raise EvaluationNotFound(
            _PREVIOUS, "no earlier result of the latest one's set and retriever is stored"
        )
    return found


def find_with_outcomes(
    uow: UnitOfWork, reference: str
) -> tuple[EvaluationRecord, tuple[Outcome, ...] | None]:
    """The stored evaluation that a reference names, and its outcomes where they were kept.

    Raises:
        EvaluationNotFound: as `find`.
    """
    found = find(uow, reference)
    return found, uow.evaluations.get_outcomes(found.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Everything that the store holds of one evaluation.

    Attributes:
        record: aggregates and identities.
        outcomes: by position, None where the privacy level kept none.
        rankings: by position, None below ``full``.
        details: the payload at ``full``, None at every other level.
    """

    record: EvaluationRecord
    outcomes: tuple[Outcome, ...] | None
    rankings: tuple[StoredRanking, ...] | None
    details: str | None


def find_everything(uow: UnitOfWork, reference: str) -> Kept:
    """What an export may hold; details have no other way out (P-56).

    Of a holdout part it is what privacy level ``none`` keeps: no question of it is shown (ADR-0008).

    Raises:
        EvaluationNotFound: as `find`.
    """
    found, outcomes = find_with_outcomes(uow, reference)
    if found.is_holdout:
        bare = replace(found, privacy=PrivacyLevel.NONE)
        return Kept(record=bare, outcomes=None, rankings=None, details=None)
    is_full = found.privacy is PrivacyLevel.FULL
    return Kept(
        record=found,
        outcomes=outcomes,
        rankings=uow.evaluations.get_rankings(found.id) if is_full else None,
        details=uow.evaluations.get_details(found.id) if is_full else None,
    )


def import_kept(uow: UnitOfWork, kept: Kept, *, policy: PrivacyPolicy) -> EvaluationRecord:
    """Store an evaluation that was exported elsewhere, under its own id and time.

    Its basis becomes ``imported``: here, nobody saw the rankings come into being. What the policy
    does not permit is left out, whatever the file holds; details are kept at ``full`` only.

    Args:
        uow: the open transaction.
        kept: what the export held.
        policy: what may be kept.

    Raises:
        EvaluationExists: an evaluation with this id is stored.
        Invalid: it says that it was stored in the future, where it would stay the latest.
        Exception: whatever a custom policy raises; then nothing is stored.
    """
    stated = kept.record
    if any(found.id == stated.id for found in uow.evaluations.find_by_prefix(stated.id, 1)):
        raise EvaluationExists(stated.id)
    if stated.created_at > uow.now():
        raise Invalid("created_at: lies in the future")
    level = stricter(stated.privacy, PrivacyLevel(policy.level))
    if stated.is_holdout:
        level = stricter(level, PrivacyLevel.METADATA)
    record = replace(stated, basis=Basis.IMPORTED, privacy=level)
    rankings = kept.rankings if level.keeps_run else None
    details = kept.details if level is PrivacyLevel.FULL else None
    uow.evaluations.add(
        record,
        outcomes=kept.outcomes if level.keeps_outcomes else None,
        rankings=None if rankings is None else filter_rankings(rankings, policy),
        details=None if details is None else filter_details(details, policy),
    )
    return record


def purge(uow: UnitOfWork, *, days: int, actor: str) -> int:
    """Delete the evaluations that are older than a number of days.

    Args:
        uow: the open transaction.
        days: at least 1; what was stored strictly more than this long ago goes.
        actor: who asked, for the trace that stays.

    Returns:
        How many evaluations were deleted.

    Raises:
        InvalidSetting: days below 1; that never means "delete now".
    """
    before = kept_since(uow.now(), days=days)
    return uow.evaluations.purge(before=before, category=RETENTION_CATEGORY, actor=actor)
