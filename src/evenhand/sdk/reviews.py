"""How does a program record reviews at a hub? Submit, claim, and take an attempt to its end.

with ReviewClient("https://hub.example", token) as hub:
    attempt = hub.claim(worker="judge-1")
    if attempt is not None:
        attempt.prepare(evidence, prompt_digest=..., inputs_digest=...)
        attempt.start()
        attempt.observe(candidates)
        attempt.complete("reviewed", usage=usage)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel

from evenhand.sdk.answers import encoded, path_part, post, read_answer, saying_what_is_wrong
from evenhand.sdk.transport import Connected, Transport
from evenhand.wire.agent_jobs import AgentJob, ClaimedJob, JobClaim, NewAgentJob
from evenhand.wire.review_attempts import (
    Admission,
    Completion,
    NewEvidence,
    NewObservations,
    NewUsage,
    Preparation,
    Requeue,
    Start,
)
from evenhand.wire.review_feedback import (
    AcceptanceAnswer,
    DispatchAnswer,
    FeedbackAnswer,
    FeedbackDetail,
    FeedbackMove,
    NewAcceptance,
    NewDispatch,
    NewFeedback,
    NewPlacement,
    NewReaction,
    PlacementAnswer,
    ReactionAnswer,
)

_API: Final = "/api/v1"
_JOBS: Final = f"{_API}/agent-jobs"
_FEEDBACK: Final = f"{_API}/feedback"


class ReviewClient(Connected):
    """A hub, for one service client with ``rag.review@1``; made as `Connected` is.

    Every method raises `EvenhandError` as the hub refuses it, told apart by its code, and
    `HubUnavailable` where no hub answers.
    """

    def submit(self, job: NewAgentJob) -> AgentJob:
        """Store a review that waits for a worker; the same call again gives the same one."""
        return post(self._transport, _JOBS, job, AgentJob)

    def get(self, job_id: str) -> AgentJob:
        """One review that this client submitted."""
        return read_answer(self._transport.ask("GET", f"{_JOBS}/{path_part(job_id)}"), AgentJob)

    def claim(
        self,
        *,
        worker: str,
        job_id: str | None = None,
        resolved: Mapping[str, Any] | None = None,
    ) -> ReviewAttempt | None:
        """The review that waits longest, or a named one; None where none waits.

        Args:
            worker: the caller's name.
            job_id: of the one that is wanted.
            resolved: what is known only now, such as the worker's image.
        """
        with saying_what_is_wrong():
            body = JobClaim(worker=worker, job_id=job_id, resolved=dict(resolved or {}))
        found = post(self._transport, f"{_JOBS}/claim", body, ClaimedJob)
        if found.job is None or found.token is None:
            return None
        return ReviewAttempt(self._transport, found.job, worker=worker, token=found.token)

    def record_feedback(self, feedback: NewFeedback) -> FeedbackAnswer:
        """Feedback that got as far as delivery, withheld feedback as well."""
        return post(self._transport, _FEEDBACK, feedback, FeedbackAnswer)

    def get_feedback(self, feedback_id: str) -> FeedbackDetail:
        """One feedback, and what is known of where it was put and what was said of it."""
        answer = self._transport.ask("GET", f"{_FEEDBACK}/{path_part(feedback_id)}")
        return read_answer(answer, FeedbackDetail)

    def move_feedback(self, feedback_id: str, move: FeedbackMove) -> FeedbackAnswer:
        """What the delivery policy decided next; it proves no placement."""
        path = f"{_FEEDBACK}/{path_part(feedback_id)}"
        answer = self._transport.ask("PATCH", path, encoded(move))
        return read_answer(answer, FeedbackAnswer)

    def place(self, feedback_id: str, placement: NewPlacement) -> PlacementAnswer:
        """Where feedback was put."""
        path = f"{_FEEDBACK}/{path_part(feedback_id)}/placements"
        return post(self._transport, path, placement, PlacementAnswer)

    def dispatch(self, feedback_id: str, dispatch: NewDispatch) -> DispatchAnswer:
        """That feedback was handed to a channel."""
        path = f"{_FEEDBACK}/{path_part(feedback_id)}/dispatches"
        return post(self._transport, path, dispatch, DispatchAnswer)

    def react(self, reaction: NewReaction) -> ReactionAnswer:
        """What the recipient said of delivered feedback."""
        return post(self._transport, f"{_API}/reactions", reaction, ReactionAnswer)

    def accept(self, answer_id: str, *, accepted: bool) -> AcceptanceAnswer:
        """That a person accepted an answer, or did not."""
        path = f"{_API}/answers/{path_part(answer_id)}/acceptance"
        return post(self._transport, path, NewAcceptance(accepted=accepted), AcceptanceAnswer)


class ReviewAttempt:
    """One attempt of a review in this program's hands, until its deadline.

    Attributes:
        job: as the hub told it last.

    Args:
        transport: to the hub.
        job: as the claim gave it.
        worker: the caller's name.
        token: of the claim; it goes into no message.
    """

    def __init__(self, transport: Transport, job: AgentJob, *, worker: str, token: str) -> None:
        self._transport = transport
        self._path = f"{_JOBS}/{path_part(job.id)}"
        self._held: dict[str, Any] = {"worker": worker, "attempt": job.attempt, "token": token}
        self.job = job

    def prepare(
        self, evidence: NewEvidence, *, prompt_digest: str | None, inputs_digest: str
    ) -> AgentJob:
        """Write down what the attempt is about to run with, once.

        Args:
            evidence: what can be looked at, and which revisions are admitted.
            prompt_digest: `core.identity.file_digests.root_digest` of the scaffolding; None
                exactly where no practice is ready.
            inputs_digest: `core.identity.file_digests.inputs_digest` of the injected files.
        """
        body = Preparation(
            **self._held,
            evidence=evidence,
            prompt_digest=prompt_digest,
            inputs_digest=inputs_digest,
        )
        return self._step("prepare", body)

    def start(self) -> AgentJob:
        """Say that execution is about to begin; from here on something may be spent."""
        return self._step("start", Start(**self._held))

    def observe(self, candidates: Sequence[object] | None) -> Admission:
        """Hand in what was found, once; the same again gives the same answer.

        Args:
            candidates: each is kept or refused by itself; None for output that was unreadable.
        """
        found = None if candidates is None else list(candidates)
        body = NewObservations(**self._held, candidates=found)
        return post(self._transport, f"{self._path}/observations", body, Admission)

    def complete(
        self,
        outcome: Literal["reviewed", "insufficient_evidence", "failed"],
        *,
        error_class: str | None = None,
        usage: NewUsage | None = None,
    ) -> AgentJob:
        """End the review; the same end told again changes nothing.

        Args:
            outcome: how it ended.
            error_class: of a failure, in capitals.
            usage: None where nothing was used, or nobody knows.
        """
        body = Completion(**self._held, outcome=outcome, error_class=error_class, usage=usage)
        return self._step("complete", body)

    def requeue(self, error_class: str, *, usage: NewUsage | None = None) -> AgentJob:
        """Give the review back, to be begun again after a while."""
        return self._step("requeue", Requeue(**self._held, error_class=error_class, usage=usage))

    def _step(self, step: str, body: BaseModel) -> AgentJob:
        self.job = post(self._transport, f"{self._path}/{step}", body, AgentJob)
        return self.job
