"""A project with a practice, and reviews that are taken as far as a test needs them."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.access.roles import Actor, ActorKind, Capability, Principal, Role
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.review.evidence import Admitted, Evidence
from evenhand.core.review.feedback import Channel, FeedbackState, Link, LinkRole
from evenhand.core.review.job import AgentJob
from evenhand.core.review.practice import Criteria, PracticeRevision
from evenhand.core.review.reaction import Acceptance
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import ArtifactKind, AttemptOutcome
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import practices, projects
from evenhand.usecases.reviews import attempts, feedback, jobs, observations, responses
from evenhand.usecases.reviews.answers import AnswerOf
from evenhand.usecases.reviews.attempts import Holder, Spent
from evenhand.usecases.reviews.feedback import Composed
from evenhand.usecases.reviews.jobs import Claimed
from tests.event_builders import an_emitter
from tests.review_builders import INPUTS, PROMPT, a_candidate, a_config, a_submission, an_evidence
from tests.usecases.access_parts import CountingSecrets
from tests.usecases.conftest import CountingIds, SettableClock

SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)
OPERATOR = Principal(credential_id="01990000-0000-7000-c000-000000000009", role=Role.OPERATOR)
FULL = LevelPolicy(level=PrivacyLevel.FULL)


def stranger(project_id: str) -> Principal:
    """A service client of a project, with the capability."""
    return Principal(
        credential_id="01990000-0000-7000-c000-000000000008",
        role=Role.SERVICE_CLIENT,
        client_id="01990000-0000-7000-c000-000000000007",
        project_id=project_id,
        capabilities=frozenset({Capability.REVIEW}),
    )


@dataclass
class World:
    """What a test of reviews talks to."""

    database: Database
    clock: SettableClock
    ids: CountingIds
    project_id: str
    revision: PracticeRevision
    count: int = 0

    def run(self, work: Any) -> Any:
        return self.database.run(work)

    def later(self, **by: float) -> None:
        """On SQLite the process's clock is the time; on a server time passes by itself."""
        self.clock.at += timedelta(**by)

    def evidence(self, *practices: Admitted, **stated: Any) -> Evidence:
        given = practices or (Admitted(slug="grounded", revision_id=self.revision.id),)
        return an_evidence(*given, **stated)

    def submit(
        self,
        principal: Principal = OPERATOR,
        *,
        answer_of: AnswerOf | None = None,
        suite_revision_id: str | None = None,
        **stated: Any,
    ) -> AgentJob:
        self.count += 1
        values = {"idempotency_key": f"key-{self.count}", "case_id": f"case-{self.count}"}
        asked = a_submission(**values | {"project_id": self.project_id} | stated)
        done: AgentJob = self.run(
            lambda uow: jobs.submit(
                uow,
                asked,
                project=self.project_id,
                suite_revision_id=suite_revision_id,
                principal=principal,
                ids=self.ids,
                answer_of=answer_of,
            )
        ).job
        return done

    def claim(self, job: AgentJob | None = None, **stated: Any) -> Claimed:
        given: dict[str, Any] = {
            "project": self.project_id,
            "job_id": None if job is None else job.id,
            "worker": "w1",
            "resolved": {},
            "principal": OPERATOR,
            "secrets": CountingSecrets(),
        }
        claimed: Claimed = self.run(lambda uow: jobs.claim(uow, ids=self.ids, **given | stated))
        return claimed

    def holder(self, claimed: Claimed) -> Holder:
        return Holder(worker="w1", attempt=claimed.job.attempt, token=claimed.token)

    def prepare(self, claimed: Claimed, **stated: Any) -> AgentJob:
        given: dict[str, Any] = {
            "holder": self.holder(claimed),
            "evidence": self.evidence(),
            "prompt_digest": PROMPT,
            "inputs_digest": INPUTS,
            "principal": OPERATOR,
        }
        done: AgentJob = self.run(
            lambda uow: attempts.prepare(uow, claimed.job.id, **given | stated)
        )
        return done

    def start(self, claimed: Claimed) -> AgentJob:
        holder = self.holder(claimed)
        done: AgentJob = self.run(
            lambda uow: attempts.start(uow, claimed.job.id, holder=holder, principal=OPERATOR)
        )
        return done

    def admit(self, claimed: Claimed, candidates: Any = None, **stated: Any) -> Any:
        found = [a_candidate()] if candidates is None else candidates
        given: dict[str, Any] = {
            "holder": self.holder(claimed),
            "candidates": found,
            "payload_digest": json_ascii_v1_digest(found),
            "principal": OPERATOR,
            "policy": FULL,
        }
        return self.run(
            lambda uow: observations.admit(uow, claimed.job.id, ids=self.ids, **given | stated)
        )

    def complete(self, claimed: Claimed, **stated: Any) -> AgentJob:
        done: AgentJob = self.run(lambda uow: self.completed(uow, claimed, **stated))
        return done

    def completed(self, uow: UnitOfWork, claimed: Claimed, **stated: Any) -> AgentJob:
        given: dict[str, Any] = {
            "holder": self.holder(claimed),
            "outcome": AttemptOutcome.REVIEWED,
            "error_class": None,
            "spent": None,
            "principal": OPERATOR,
            "emitter": an_emitter(self.ids),
        }
        return attempts.complete(uow, claimed.job.id, ids=self.ids, **given | stated)

    def accept(self, accepted: bool, answer_id: str = "answer-1") -> Acceptance:
        done: Acceptance = self.run(
            lambda uow: responses.accept(
                uow,
                answer_id,
                project=self.project_id,
                accepted=accepted,
                principal=OPERATOR,
                ids=self.ids,
                emitter=an_emitter(self.ids),
            )
        )
        return done

    def requeue(self, claimed: Claimed, spent: Spent | None = None) -> AgentJob:
        done: AgentJob = self.run(
            lambda uow: attempts.requeue(
                uow,
                claimed.job.id,
                holder=self.holder(claimed),
                error_class="UPSTREAM_BUSY",
                spent=spent,
                principal=OPERATOR,
                ids=self.ids,
            )
        )
        return done

    def review(
        self,
        *,
        candidates: Any = None,
        spent: Spent | None = None,
        prompt: str = PROMPT,
        revision: PracticeRevision | None = None,
        config: dict[str, Any] | None = None,
        **stated: Any,
    ) -> AgentJob:
        """A review from its submission to its end."""
        snapshot = hold_snapshot(a_config(**config or {}))
        claimed = self.claim(self.submit(snapshot=snapshot, **stated))
        chosen = revision or self.revision
        admitted = Admitted(slug="grounded", revision_id=chosen.id)
        self.prepare(claimed, prompt_digest=prompt, evidence=self.evidence(admitted))
        self.start(claimed)
        self.admit(claimed, candidates)
        return self.complete(claimed, spent=spent)

    def composed(self, job: AgentJob, **stated: Any) -> Composed:
        """Feedback from all observations of a review."""
        found = self.database.read(lambda uow: uow.observations.list_of(job.id))
        admission = self.database.read(lambda uow: uow.observations.find_admission(job.id))
        links = tuple(
            Link(observation_id=one.id, role=LinkRole.PRIMARY, ordinal=number)
            for number, one in enumerate(found)
        )
        values: dict[str, Any] = {
            "job_id": job.id,
            "admission_digest": admission.payload_digest if admission else "",
            "recipient": "r1",
            "channel": Channel.IN_APP,
            "position": 0,
            "state": FeedbackState.PREPARED,
            "suppression_reason": None,
            "body": "One claim has no source.",
            "replaces_id": None,
            "kind": "grounding",
            "locus": "answer-1",
            "links": links,
        }
        return Composed(**values | stated)

    def compose(self, job: AgentJob, **stated: Any) -> Any:
        composed = self.composed(job, **stated)
        return self.run(
            lambda uow: feedback.compose(
                uow, composed, principal=OPERATOR, ids=self.ids, policy=FULL
            )
        ).feedback

    def move(self, one: Any, to: FeedbackState, **stated: Any) -> Any:
        given: dict[str, Any] = {
            "expected_state": one.state,
            "to": to,
            "reason": None,
            "principal": OPERATOR,
        }
        return self.run(lambda uow: feedback.move(uow, one.id, **given | stated))

    def another_revision(self, text: str = "Other criteria.") -> PracticeRevision:
        criteria = replace(self.revision.criteria, text=text)
        practice_id = self.revision.practice_id
        made: PracticeRevision = self.run(
            lambda uow: practices.write(uow, practice_id, criteria, actor=SOMEBODY, ids=self.ids)
        ).revision
        return made


def made_world(database: Database, clock: SettableClock) -> World:
    ids = CountingIds()
    by: dict[str, Any] = {"actor": SOMEBODY, "ids": ids}
    project = database.run(lambda uow: projects.create(uow, name="shop", **by))
    practice = database.run(
        lambda uow: practices.create(uow, project_id=project.id, name="grounded", **by)
    )
    criteria = Criteria(
        artifact_kind=ArtifactKind.ANSWER,
        title="Grounded",
        group="answers",
        text="Every claim of the answer is in a passage.",
    )
    written = database.run(lambda uow: practices.write(uow, practice.id, criteria, **by))
    return World(
        database=database,
        clock=clock,
        ids=ids,
        project_id=project.id,
        revision=written.revision,
    )


@pytest.fixture
def world(database: Database, clock: SettableClock) -> World:
    return made_world(database, clock)
