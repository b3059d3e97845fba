"""Which words does the record of a review use? Closed sets, owned here."""

from __future__ import annotations

from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands; the last four are the end of it."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether nothing follows."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    REVIEWED = "reviewed"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    REQUEUED = "requeued"

    @property
    def is_failure(self) -> bool:
        """Whether the attempt gave no result by a fault: it failed, ran out of time, or was given back."""
        return self in (AttemptOutcome.FAILED, AttemptOutcome.TIMED_OUT, AttemptOutcome.REQUEUED)


class CancelReason(StrEnum):
    """Why a job was cancelled (BR-16)."""

    DRAIN_GRACEFUL = "drain_graceful"
    DRAIN_IMMEDIATE = "drain_immediate"
    BUDGET_EXHAUSTED = "budget_exhausted"
    MODEL_UNAVAILABLE = "model_unavailable"


class ArtifactKind(StrEnum):
    """What a review is about (G-19)."""

    ANSWER = "rag.answer"
    RETRIEVAL_RUN = "rag.retrieval_run"


class CohortKind(StrEnum):
    """By what the cases of a stratum are the same: the files of each, or a named set of cases."""

    INPUTS = "inputs"
    CASES = "cases"


class Origin(StrEnum):
    """Why a review was carried out; only live ones make rates (BR-24)."""

    LIVE = "live"
    MANUAL = "manual"
    BACKFILL = "backfill"
