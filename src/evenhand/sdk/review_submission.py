"""How are the answers of a file submitted for review? One job each; the same again is the same job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evenhand.core.errors import InvalidValue
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.review_case import ReviewCase
from evenhand.sdk.answers import saying_what_is_wrong
from evenhand.sdk.reviews import ReviewClient
from evenhand.wire.agent_jobs import AgentJob, AnswerOf, Cohort, NewAgentJob


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOfAnswers:
    """The run that all answers of one submission belong to, so that each makes one event with it.

    Attributes:
        evaluation_id: of the run; None where its key names it.
        publication_key: under which it was published or will be; None where its id names it.
        positions: of the questions, by case id; None where cases of a suite revision are named.
        prompt_version: of the prompt that made the answers; None is unknown.
        awaits_acceptance: whether a result is final only once a person has spoken.
    """

    evaluation_id: str | None
    publication_key: str | None
    positions: Mapping[str, int] | None
    prompt_version: str | None
    awaits_acceptance: bool

    def place_of(self, case_id: str) -> AnswerOf:
        """Where the answer of a case belongs.

        Raises:
            InvalidValue: it is no question of the run's set.
        """
        if self.positions is not None and case_id not in self.positions:
            raise InvalidValue("case_id", "must be the id of a question of the set")
        return AnswerOf(
            evaluation_id=self.evaluation_id,
            publication_key=self.publication_key,
            position=None if self.positions is None else self.positions[case_id],
            prompt_version=self.prompt_version,
            awaits_acceptance=self.awaits_acceptance,
        )


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
        run: that the answers belong to; None: to none, and no event comes of them.
    """

    config: Mapping[str, Any]
    subject_id: str
    cohort: str | None
    suite_revision_id: str | None
    origin: Literal["live", "manual", "backfill"]
    repository_revision: str | None
    again: str | None
    run: RunOfAnswers | None = None

    def job_of(self, case: ReviewCase) -> NewAgentJob:
        """The review of one answer; its key covers the answer, its passages and all of this.

        Raises:
            InvalidValue: see `RunOfAnswers.place_of`; a member breaks a rule of the API.
        """
        with saying_what_is_wrong("cohort"):
            cohort = None if self.cohort is None else Cohort(kind="cases", name=self.cohort)
        with saying_what_is_wrong():
            job = NewAgentJob(
                idempotency_key="unset",
                artifact_kind="rag.answer",
                artifact_id=case.answer_id,
                subject_id=self.subject_id,
                suite_revision_id=self.suite_revision_id,
                cohort=cohort,
                case_id=case.case_id,
                answer_of=None if self.run is None else self.run.place_of(case.case_id),
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
        InvalidValue: a case is no question of the run, or a member breaks a rule; nothing is
            submitted.
        EvenhandError: the hub refused one; those before it stay submitted.
        HubUnavailable: it cannot be reached; to submit again gives the same jobs.
    """
    for job in [asked.job_of(case) for case in cases]:
        yield hub.submit(job)
