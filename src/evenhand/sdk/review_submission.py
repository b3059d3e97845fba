"""How are the answers of a file submitted for review? One job each; the same again is the same job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.review_case import ReviewCase
from evenhand.sdk.reviews import ReviewClient
from evenhand.wire.agent_jobs import AgentJob, Cohort, NewAgentJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What all reviews of one submission have in common.

    Attributes:
        config: the whole behaviour configuration.
        subject_id: whom or what they are about.
        cohort: name of the cases; None where the suite revision or the inputs tell.
        suite_revision_id: whose cases they are; None for none.
        origin: why; only live reviews make rates.
        repository_revision: of a checkout, None where there is none.
        again: another one gives new jobs for the same answers.
    """

    config: Mapping[str, Any]
    subject_id: str
    cohort: str | None
    suite_revision_id: str | None
    origin: Literal["live", "manual", "backfill"]
    repository_revision: str | None
    again: str | None

    def job_of(self, case: ReviewCase) -> NewAgentJob:
        """The review of one answer; its key covers the answer, its passages and all of this."""
        cohort = None if self.cohort is None else Cohort(kind="cases", name=self.cohort)
        job = NewAgentJob(
            idempotency_key="unset",
            artifact_kind="rag.answer",
            artifact_id=case.answer_id,
            subject_id=self.subject_id,
            suite_revision_id=self.suite_revision_id,
            cohort=cohort,
            case_id=case.case_id,
            repository_revision=self.repository_revision,
            origin=self.origin,
            config_snapshot=dict(self.config),
        )
        key = json_ascii_v1_digest([case.digest, job.digest, self.again])
        return job.model_copy(update={"idempotency_key": f"review-{key}"})


def submit_reviews(
    hub: ReviewClient, cases: Iterable[ReviewCase], asked: Asked
) -> Iterator[AgentJob]:
    """The job of each case, in order, submitted as it is asked for.

    Raises:
        EvenhandError: the hub refused one; those before it stay submitted.
        HubUnavailable: it cannot be reached; to submit again gives the same jobs.
    """
    for case in cases:
        yield hub.submit(asked.job_of(case))
