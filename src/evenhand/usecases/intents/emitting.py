"""What is emitted when a candidate becomes ineligible? One event for each of its cases (E-06).

The events and their way to sinks are written in the transaction that concludes the comparison, so
that there is none without the other.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from evenhand.contracts.emission import CaseResult, score_of
from evenhand.core.comparison.intent import Intent
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.usecases.ports import ResultEmitter, UnitOfWork

_MILLISECOND = timedelta(milliseconds=1)


def emit_ineligible(  # noqa: PLR0913 -- what an event is made of, by keyword
    uow: UnitOfWork,
    intent: Intent,
    candidate: Evaluation,
    *,
    evaluation_id: str,
    suite: FrozenSuite,
    at: datetime,
    emitter: ResultEmitter,
    release: str,
) -> int:
    """Emit the cases of a candidate that became ineligible; give how many events are new.

    Args:
        uow: the open transaction.
        intent: the comparison, as it was claimed.
        candidate: how the candidate's side was scored.
        evaluation_id: under which id it is stored: the candidate run.
        suite: the cases.
        at: when the comparison was concluded.
        emitter: emits them.
        release: version of the program that emits.
    """
    identity = candidate.identity
    variant = None if identity is None else identity.fingerprints.variant
    if identity is None or variant is None:
        # Nothing says which retrieval it was.
        return 0
    project_id = intent.pins.project_id
    began = intent.claimed_at or at
    results = (
        CaseResult(
            project_id=project_id,
            run_id=evaluation_id,
            case_id=case.case_id,
            retrieval_ended_at=at,
            answer_ended_at=None,
            ineligible_at=at,
            retrieval_score=score_of(candidate.outcomes[case.position]),
            grounded=None,
            duration_ms=(at - began) / _MILLISECOND,
            release=release,
            retrieval_version=variant,
            evaluator_version=SCORING_VERSION,
            benchmark=identity.fingerprints.benchmark,
        )
        for case in suite.cases
    )
    return emitter.emit(uow, project_id, results)
