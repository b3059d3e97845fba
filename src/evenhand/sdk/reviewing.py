"""How is a review carried out? Claim, stage, digest, prepare, start, judge, hand in, complete.

What is judged comes from the caller: a hub keeps no text. Everything that is handed to whoever
judges is staged in a folder first and digested as it lies there. A case that cannot be looked at
ends its review as too little evidence, before anything is spent.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from evenhand.core.errors import EvenhandError, Fenced
from evenhand.core.identity.file_digests import inputs_digest, root_digest
from evenhand.core.review.review_case import ReviewCase
from evenhand.core.review.reviewer import REVIEWER_MEMBER, Found, NoOutput, Reviewer, Used
from evenhand.core.review.usage import Tokens
from evenhand.sdk.review_staging import Criteria, evidence_of, stage, usage_to_wire
from evenhand.sdk.reviews import ReviewAttempt, ReviewClient
from evenhand.wire.agent_jobs import AgentJob
from evenhand.wire.review_attempts import Admission

#: Error classes of attempts that gave no review.
INVALID_OUTPUT: Final = "INVALID_OUTPUT"
NOT_AT_HAND: Final = "CONFIGURATION_NOT_AT_HAND"
STOPPED: Final = "WORKER_STOPPED"
_ANSWERS: Final = "rag.answer"
_TOO_LARGE: Final = "body_too_large"
#: Of an attempt that was not begun, or of one that nobody knows about.
_UNTOLD: Final = Used(calls=0, tokens=Tokens(), rates=None)


class End(StrEnum):
    """How an attempt ended."""

    REVIEWED = "reviewed"
    INSUFFICIENT = "insufficient_evidence"
    INVALID = "invalid_output"
    GIVEN_BACK = "given_back"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What came of one attempt.

    Attributes:
        job_id, case_id: which.
        end: how.
        error_class: where it gave no review.
        used: None where nothing was begun.
        is_refusal: whether the next review would meet the same.
    """

    job_id: str
    case_id: str | None
    end: End
    error_class: str | None = None
    used: Used | None = None
    is_refusal: bool = False


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Aware UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a worker works with.

    Attributes:
        worker: its name.
        release: what it runs, for the configuration as the claim resolves it.
        reviewers: each judges by the configurations that it knows.
        cases: what is judged, by id.
        criteria: by which is judged.
        clock: for the evidence snapshot.
        seconds: a clock for durations.
    """

    worker: str
    release: str
    reviewers: Sequence[Reviewer]
    cases: Mapping[str, ReviewCase]
    criteria: Criteria
    clock: Clock
    seconds: Callable[[], float] = time.monotonic


def carry_out_reviews(
    hub: ReviewClient, bench: Bench, *, is_told_to_stop: Callable[[], bool]
) -> Iterator[Carried]:
    """Each review that waits, longest first, until none does or somebody says so.

    Args:
        hub: where they wait.
        bench: what it is done with.
        is_told_to_stop: asked before each claim; what is begun is ended.

    Yields:
        What came of each; the last one where the next would meet the same refusal.

    Raises:
        EvenhandError: the hub refused a claim.
        HubUnavailable: it cannot be reached; what was held runs into its deadline.
    """
    while not is_told_to_stop():
        attempt = hub.claim(worker=bench.worker, resolved={REVIEWER_MEMBER: bench.release})
        if attempt is None:
            return
        carried = carry_out(attempt, bench)
        yield carried
        if carried.is_refusal:
            return


def carry_out(attempt: ReviewAttempt, bench: Bench) -> Carried:
    """One attempt from its claim to its end; a worker that cannot go on gives it back.

    Raises:
        InvalidEvidence: the criteria are not those of the revision.
        EvenhandError, HubUnavailable: as :func:`carry_out_reviews`.
    """
    try:
        return _carried(attempt, bench)
    except Fenced:
        # Cancelled, or too late: whoever holds it now, it is not this worker.
        return _told(attempt, End.LOST)
    except BaseException:
        # Where the hub takes nothing any more, the deadline ends it.
        with suppress(EvenhandError):
            _given_back(attempt, NoOutput(error_class=STOPPED, used=_UNTOLD))
        raise


def _carried(attempt: ReviewAttempt, bench: Bench) -> Carried:
    began = bench.seconds()
    config = attempt.job.config_snapshot
    reviewer = next((one for one in bench.reviewers if one.carries_out(config)), None)
    if reviewer is None or attempt.job.artifact_kind != _ANSWERS:
        return _given_back(attempt, NoOutput(error_class=NOT_AT_HAND, used=_UNTOLD))
    case = bench.cases.get(attempt.job.case_id or "")
    with tempfile.TemporaryDirectory(prefix="evenhand-review-") as folder:
        staged = stage(Path(folder), case, job_id=attempt.job.id)
        not_ready = ("inputs_not_collected",) if case is None else case.not_ready
        attempt.prepare(
            evidence_of(attempt.job, bench.criteria, staged, not_ready, now=bench.clock.now()),
            prompt_digest=None if not_ready else root_digest(reviewer.scaffolding),
            inputs_digest=inputs_digest(staged.items(), job_id=attempt.job.id),
        )
        if not_ready:
            attempt.complete("insufficient_evidence")
            return _told(attempt, End.INSUFFICIENT)
        attempt.start()
        left = _allowed(attempt.job) - (bench.seconds() - began)
        given = reviewer.review(staged, config, seconds=max(left, 0.001))
    if isinstance(given, NoOutput):
        return _given_back(attempt, given)
    return _handed_in(attempt, given)


def _handed_in(attempt: ReviewAttempt, given: Found) -> Carried:
    admitted = _observed(attempt, given)
    usage = usage_to_wire(given.used)
    if admitted.observations:
        attempt.complete("reviewed", usage=usage)
        return _told(attempt, End.REVIEWED, used=given.used)
    attempt.complete("failed", error_class=INVALID_OUTPUT, usage=usage)
    return _told(attempt, End.INVALID, error_class=INVALID_OUTPUT, used=given.used)


def _observed(attempt: ReviewAttempt, given: Found) -> Admission:
    """Handed in; what is larger than the hub reads is output that could not be read."""
    try:
        return attempt.observe(given.candidates)
    except EvenhandError as error:
        if error.code != _TOO_LARGE:
            raise
    return attempt.observe(None)


def _given_back(attempt: ReviewAttempt, given: NoOutput) -> Carried:
    """Given back, or failed for good where no attempt is left."""
    usage = usage_to_wire(given.used) if given.used.calls else None
    end = End.GIVEN_BACK
    try:
        attempt.requeue(given.error_class, usage=usage)
    except Fenced as error:
        if error.code != "retries_exhausted":
            raise
        attempt.complete("failed", error_class=given.error_class, usage=usage)
        end = End.FAILED
    return _told(
        attempt,
        end,
        error_class=given.error_class,
        used=given.used,
        is_refusal=given.is_refusal,
    )


def _allowed(job: AgentJob) -> float:
    """Seconds of the attempt, by the hub's clock alone."""
    if job.deadline_at is None or job.claimed_at is None:
        return float(job.config_snapshot["timeoutSeconds"])
    return (job.deadline_at - job.claimed_at).total_seconds()


def _told(
    attempt: ReviewAttempt,
    end: End,
    *,
    error_class: str | None = None,
    used: Used | None = None,
    is_refusal: bool = False,
) -> Carried:
    return Carried(
        job_id=attempt.job.id,
        case_id=attempt.job.case_id,
        end=end,
        error_class=error_class,
        used=used,
        is_refusal=is_refusal,
    )
