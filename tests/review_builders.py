"""Reviews for tests: configurations, evidence, jobs and candidates."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.evidence import (
    Admitted,
    Completeness,
    Evidence,
    Source,
    SourceState,
    StagedFile,
)
from evenhand.core.review.given_answer import KeptAnswer
from evenhand.core.review.job import AgentJob, Prepared, Submission
from evenhand.core.review.observation import Assessment
from evenhand.core.review.rates import ReviewedRow
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import ArtifactKind, AttemptOutcome, CohortKind, Origin
from evenhand.core.review.strata import Identities
from evenhand.core.review.usage import Pricing, Tokens
from evenhand.usecases.reviews.answers import AnswerOf
from tests.builders import START

PROMPT = "a" * 64
INPUTS = "b" * 64
REVISION = "01990000-0000-7000-a000-000000000001"
JOB = "01990000-0000-7000-b000-000000000001"
PASSAGES = "inputs/passages.txt"


def a_config(**stated: Any) -> dict[str, Any]:
    """A configuration snapshot as a client sends it."""
    return {
        "schemaVersion": 1,
        "apiProtocol": "openai-chat",
        "upstreamModelId": "judge-small",
        "timeoutSeconds": 600,
        "temperature": 0,
    } | stated


def an_evidence(*practices: Admitted, **stated: Any) -> Evidence:
    """An evidence snapshot with one staged file."""
    source = Source(
        kind="retrieved_passages",
        state=SourceState.AVAILABLE,
        completeness=Completeness.COMPLETE,
        is_empty=False,
        files=(StagedFile(path=PASSAGES, sha256="c" * 64),),
    )
    values: dict[str, Any] = {
        "catalogue_digest": "d" * 64,
        "artifact_kind": ArtifactKind.ANSWER,
        "captured_at": START,
        "repository_revision": None,
        "sources": (source,),
        "practices": practices or (Admitted(slug="grounded", revision_id=REVISION),),
    }
    return Evidence(**values | stated)


def a_submission(**stated: Any) -> Submission:
    values: dict[str, Any] = {
        "project_id": "01990000-0000-7000-e001-000000000001",
        "client_id": None,
        "idempotency_key": "k1",
        "body_digest": "0" * 64,
        "artifact_kind": ArtifactKind.ANSWER,
        "artifact_id": "answer-1",
        "subject_id": "pipeline",
        "cohort_kind": CohortKind.CASES,
        "cohort": "release-1",
        "case_id": "case-1",
        "repository_revision": None,
        "origin": Origin.LIVE,
        "snapshot": hold_snapshot(a_config()),
    }
    return Submission(**values | stated)


def a_job(**stated: Any) -> AgentJob:
    values: dict[str, Any] = {
        "id": JOB,
        "created_at": START,
        "available_at": START,
        "submission": a_submission(),
    }
    return AgentJob(**values | stated)


def a_preparation(**stated: Any) -> Prepared:
    evidence = an_evidence()
    values: dict[str, Any] = {
        "at": START + timedelta(seconds=2),
        "prompt_digest": PROMPT,
        "inputs_digest": INPUTS,
        "evidence": evidence.text,
        "readiness": evidence.readiness,
    }
    return Prepared(**values | stated)


def an_answer(**stated: Any) -> AnswerOf:
    """What a submission says of where its answer belongs: the first question of a run."""
    values: dict[str, Any] = {
        "evaluation_id": None,
        "publication_key": None,
        "position": 0,
        "prompt_version": "prompt-v7",
        "awaits_acceptance": False,
    }
    return AnswerOf(**values | stated)


def a_candidate(**stated: Any) -> dict[str, Any]:
    """A candidate as a reviewer gives it."""
    return {
        "practice": "grounded",
        "presence": "absent",
        "assessment": "bad",
        "severity": "major",
        "summary": "One claim has no source.",
        "evidence": [PASSAGES],
    } | stated


def a_kept_answer(**stated: Any) -> KeptAnswer:
    """An answer beside a run, as it is kept at full."""
    values: dict[str, Any] = {
        "position": 0,
        "answer_sha256": "a" * 64,
        "characters": 3,
        "text": "yes",
        "prompt": "p1",
        "model": None,
    }
    return KeptAnswer(**values | stated)


def identities(**stated: Any) -> Identities:
    values: dict[str, Any] = {
        "config_digest": "1" * 64,
        "prompt_digest": "2" * 64,
        "cohort_kind": CohortKind.CASES,
        "cohort": "release-1",
        "practice_revision_id": REVISION,
    }
    return Identities(**values | stated)


def a_row(number: int = 1, **stated: Any) -> ReviewedRow:
    """A reviewed row of case *n*."""
    values: dict[str, Any] = {
        "job_id": f"01990000-0000-7000-b000-{number:012d}",
        "attempt": 1,
        "identities": identities(),
        "origin": Origin.LIVE,
        "case_id": f"case-{number}",
        "ended_at": START + timedelta(minutes=number),
        "outcome": AttemptOutcome.REVIEWED,
        "candidates": CandidateCounts(seen=1, persisted=1),
        "tokens": Tokens(input=100, output=10),
        "pricing": Pricing.PRICED,
        "cost": Decimal("0.000120"),
        "assessment": Assessment.GOOD,
    }
    return ReviewedRow(**values | stated)
