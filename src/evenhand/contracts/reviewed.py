"""Which result do a run and the review of an answer make together? A decision from facts alone.

It says nothing of what is unknown: a review that decided nothing, criteria that may not say
whether an answer is grounded, and a run of which nobody knows what retrieved make no result.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from evenhand.contracts.emission import CaseResult, score_of
from evenhand.core.review.answer import AnsweredRun, JudgedAnswer
from evenhand.core.review.grounds import GroundingBasis
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import Origin
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome

_MILLISECOND: Final = timedelta(milliseconds=1)


def reviewed_result(
    judged: JudgedAnswer,
    run: AnsweredRun,
    record: EvaluationRecord,
    outcome: Outcome,
    *,
    grounding: GroundingBasis | None,
    release: str,
) -> CaseResult | None:
    """The result of one answer; None where there is none.

    Args:
        judged: what its review says under one practice.
        run: the candidate run that it belongs to.
        record: how that was scored.
        outcome: of the case.
        grounding: by what the criteria may say whether an answer is grounded; None: they may not.
        release: of what emits.

    Source: statements E-05, E-23, G-65, G-66; BR-24; DESIGN 9; settled 21; ADR-0038.
    """
    identity, revision_id = record.identity, judged.identities.practice_revision_id
    variant = None if identity is None else identity.fingerprints.variant
    if identity is None or variant is None or revision_id is None:
        return None
    if not _belongs(judged, run) or grounding is None or judged.assessment is None:
        return None
    began = min(record.started_at, judged.began_at)
    ends = [record.created_at, judged.ended_at]
    if judged.place.awaits_acceptance and judged.accepted_at is not None:
        ends.append(judged.accepted_at)
    return CaseResult(
        project_id=run.project_id,
        run_id=run.evaluation_id,
        case_id=judged.place.case,
        retrieval_ended_at=record.created_at,
        answer_ended_at=judged.ended_at,
        awaits_acceptance=judged.place.awaits_acceptance,
        retrieval_score=score_of(outcome),
        grounded=judged.assessment is Assessment.GOOD,
        accepted=judged.accepted,
        accepted_at=judged.accepted_at,
        duration_ms=(max(ends) - began) / _MILLISECOND,
        release=release,
        retrieval_version=variant,
        evaluator_version=evaluator_version(record.protocol, revision_id, grounding),
        prompt_version=judged.place.prompt_version,
        benchmark=identity.fingerprints.benchmark,
        review_stratum=judged.identities.stratum,
    )


def evaluator_version(protocol: str, revision_id: str, grounding: GroundingBasis) -> str:
    """Protocol and rubric revision; with a waiver it says so, and so does every group of it."""
    waived = f"+{grounding.value}" if grounding is GroundingBasis.WAIVED else ""
    return f"{protocol}+{revision_id}{waived}"


def _belongs(judged: JudgedAnswer, run: AnsweredRun) -> bool:
    """Whether a live review is of a case of this run, whose results are not final yet."""
    is_live = judged.origin is Origin.LIVE
    is_same_set = judged.place.suite_revision_id == run.suite_revision_id
    return is_live and is_same_set and not run.is_ineligible
