"""Where are reviews kept: practices, jobs, what they found, feedback, and the rows of rates?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from evenhand.core.registry.practice import Practice
from evenhand.core.review.admission import Admission
from evenhand.core.review.answer import AnsweredRun, AnswerPlace, JudgedAnswer
from evenhand.core.review.attempt import Attempt, Transition
from evenhand.core.review.candidates import Rejection
from evenhand.core.review.evidence import Admitted
from evenhand.core.review.feedback import Dispatch, Feedback, Placement
from evenhand.core.review.grounds import RecordedAgreement, Waiver
from evenhand.core.review.job import AgentJob
from evenhand.core.review.labels import HumanLabel, LabelledCohort
from evenhand.core.review.observation import Observation
from evenhand.core.review.practice import PracticeRevision
from evenhand.core.review.rates import ReviewedRow
from evenhand.core.review.reaction import Acceptance, Reaction
from evenhand.core.review.states import JobState
from evenhand.core.review.strata import Identities
from evenhand.core.review.usage import Usage
from evenhand.usecases.ports.registry import RegisteredRepository


class PracticeRepository(RegisteredRepository[Practice], Protocol):
    """Practices, and their revisions, which are added and never changed."""

    def get_locked(self, practice_id: str) -> Practice:
        """The one with this id, held until the transaction ends; raises RegisteredNotFound."""

    def add_revision(self, added: PracticeRevision) -> None:
        """Insert a revision."""

    def count_revisions(self, practice_id: str) -> int:
        """How many revisions a practice has."""

    def find_revision(self, revision_id: str) -> PracticeRevision | None:
        """The revision with this id."""

    def find_by_content(self, practice_id: str, content_digest: str) -> PracticeRevision | None:
        """The revision of a practice that says this very thing."""

    def list_revisions(
        self, practice_id: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> tuple[PracticeRevision, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""

    def list_admitted(self, job_id: str, attempt: int) -> tuple[PracticeRevision, ...]:
        """The revisions that an attempt of a job was prepared for, by id."""


class ReviewJobRepository(Protocol):
    """Review jobs, and what stays of them."""

    def add(self, job: AgentJob) -> None:
        """Insert a job; raises IdempotencyRace where its key was taken at this very moment."""

    def save(self, before: AgentJob, after: AgentJob) -> None:
        """Write a step; raises JobFenced where somebody else took one since."""

    def find(self, job_id: str) -> AgentJob | None:
        """The job with this id."""

    def get_locked(self, job_id: str) -> AgentJob:
        """The job with this id, held until the transaction ends; raises ReviewNotFound."""

    def find_by_key(self, project_id: str, key: str) -> AgentJob | None:
        """The job of a project that was submitted under this key."""

    def find_next(self, project_id: str, now: datetime) -> AgentJob | None:
        """The job of a project that waits longest and may be begun, held."""

    def list_overdue(self, now: datetime, *, limit: int) -> tuple[AgentJob, ...]:
        """Running jobs whose time is over, held; the longest overdue first."""

    def list_running(self) -> tuple[AgentJob, ...]:
        """Every job that somebody holds, by id."""

    def list_latest(
        self,
        *,
        project_id: str | None = None,
        client_id: str | None = None,
        state: JobState | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[AgentJob, ...]:
        """Newest first, at most ``limit``; behind a time and id, or the last before them."""

    def add_practices(self, job: AgentJob, practices: tuple[Admitted, ...]) -> None:
        """Note for which revisions an attempt was prepared."""

    def add_transition(self, one: Transition) -> None:
        """Note that a job went from one state to another."""

    def add_attempt(self, one: Attempt) -> None:
        """Note an attempt that ended."""

    def add_usage(self, one: Usage) -> None:
        """Note what an attempt used, and on the job that of its last attempt."""

    def list_transitions(self, job_id: str) -> tuple[Transition, ...]:
        """Those of a job, oldest first."""

    def list_attempts(self, job_id: str) -> tuple[Attempt, ...]:
        """Those of a job that ended, by number."""

    def list_usage(self, job_id: str) -> tuple[Usage, ...]:
        """What the attempts of a job used, by number."""


class ObservationRepository(Protocol):
    """What reviews found, and what of their output was refused."""

    def add(
        self,
        admission: Admission,
        observations: Sequence[Observation],
        rejections: Sequence[Rejection],
    ) -> None:
        """Insert what a job handed in."""

    def find_admission(self, job_id: str) -> Admission | None:
        """What a job handed in; None where nothing yet."""

    def find(self, observation_id: str) -> Observation | None:
        """The observation with this id."""

    def list_of(self, job_id: str) -> tuple[Observation, ...]:
        """Those of a job, by position."""

    def list_rejections(self, job_id: str) -> tuple[Rejection, ...]:
        """What of a job's output was refused, by position."""


class FeedbackRepository(Protocol):
    """Feedback, where it was put, what was said of it; and which answers people accepted."""

    def add(self, added: Feedback) -> None:
        """Insert one with its links; raises FeedbackConflict where its place is taken."""

    def save(self, before: Feedback, after: Feedback) -> None:
        """Write the next state of one; raises FeedbackConflict where it moved since."""

    def get(self, feedback_id: str) -> Feedback:
        """The one with this id; raises ReviewNotFound."""

    def find_at(self, job_id: str, position: int) -> Feedback | None:
        """The one at a place of a review."""

    def list_of(self, job_id: str) -> tuple[Feedback, ...]:
        """Those of a review, by position."""

    def add_placement(self, one: Placement) -> None:
        """Note where feedback was put."""

    def add_dispatch(self, one: Dispatch) -> None:
        """Note that feedback was handed to a channel; raises FeedbackConflict for a known try."""

    def add_reaction(self, one: Reaction) -> None:
        """Note what was said of feedback."""

    def add_acceptance(self, one: Acceptance) -> None:
        """Note what a person said of an answer."""

    def list_placements(self, feedback_id: str) -> tuple[Placement, ...]:
        """Where one was put, oldest first."""

    def list_dispatches(self, feedback_id: str) -> tuple[Dispatch, ...]:
        """How often one was handed to a channel, oldest first."""

    def list_reactions(self, feedback_id: str) -> tuple[Reaction, ...]:
        """What was said of one, oldest first."""

    def list_acceptances(self, project_id: str, answer_id: str) -> tuple[Acceptance, ...]:
        """What was said of an answer, oldest first."""


class ReviewedAnswerRepository(Protocol):
    """To which case of which run reviewed answers belong, and what was found of them."""

    def hold(self, project_id: str) -> None:
        """Let nobody else make a result of a project final until the transaction ends."""

    def add(self, job: AgentJob, place: AnswerPlace) -> None:
        """Note where the answer of a review belongs."""

    def find(self, job_id: str) -> AnswerPlace | None:
        """Where the answer of a review belongs; None where nobody said."""

    def find_run(self, evaluation_id: str) -> AnsweredRun | None:
        """The run that is stored under this id, published or of a comparison."""

    def list_of_job(self, job_id: str) -> tuple[JudgedAnswer, ...]:
        """What a review that has ended says of its answer, by practice revision."""

    def list_of_run(self, project_id: str, publication_key: str) -> tuple[JudgedAnswer, ...]:
        """What ended reviews say of answers of a run that is named by its key."""

    def list_of_answer(self, project_id: str, answer_id: str) -> tuple[JudgedAnswer, ...]:
        """What ended reviews say of one answer, the oldest end first."""


class ReviewRateRepository(Protocol):
    """The rows that rates count."""

    def iterate_rows(
        self, project_id: str, *, of_stratum: Identities | None = None
    ) -> Iterator[ReviewedRow]:
        """Ended attempts of a project by practice, the oldest first, a few at a time.

        One without a practice has one row. With identities only the live ones that have them.
        """


class GroundingRepository(Protocol):
    """By what findings may be told as grounded: labels, agreements and waivers, all for good."""

    def add_labels(self, labels: Sequence[HumanLabel]) -> None:
        """Insert labels of people."""

    def list_labels(self, of: LabelledCohort) -> tuple[HumanLabel, ...]:
        """Those of a cohort under a revision, by case, labeller and time."""

    def add_agreement(self, added: RecordedAgreement) -> None:
        """Insert an agreement."""

    def find_counted(self, like: RecordedAgreement) -> RecordedAgreement | None:
        """The agreement that was counted from the same labels and findings of the same stratum."""

    def list_agreements(
        self,
        practice_revision_id: str,
        *,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[RecordedAgreement, ...]:
        """Those of a revision, newest first; all without a limit."""

    def add_waiver(self, added: Waiver) -> None:
        """Insert a waiver."""

    def list_waivers(
        self,
        practice_revision_id: str,
        *,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Waiver, ...]:
        """Those of a revision, newest first; all without a limit."""


class ReviewRetention(Protocol):
    """Takes reviews away, and leaves a trace of how many."""

    def delete_older(self, before: datetime, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete what ended before an instant and nothing holds; give how many reviews."""

    def delete_project(self, project_id: str, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete every review of a project, and what people said of them; give how many reviews."""
