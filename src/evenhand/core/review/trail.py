"""What is known of one review from its configuration to what came back? The rows side by side."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.review.attempt import Attempt, Transition
from evenhand.core.review.candidates import Rejection
from evenhand.core.review.feedback import Dispatch, Feedback, Placement
from evenhand.core.review.job import AgentJob
from evenhand.core.review.observation import Observation
from evenhand.core.review.practice import PracticeRevision
from evenhand.core.review.reaction import Acceptance, Reaction
from evenhand.core.review.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackTrail:
    """Feedback with what is known of where it was put, and what was said of it; oldest first."""

    feedback: Feedback
    placements: tuple[Placement, ...]
    dispatches: tuple[Dispatch, ...]
    reactions: tuple[Reaction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """Everything that is stored of one review.

    Attributes:
        job: where it stands.
        transitions: oldest first.
        attempts: that ended, by number.
        usage: by attempt; an attempt that is missing told of none.
        revisions: of the practices that its last attempt was prepared for.
        observations: by position.
        rejections: by position.
        feedback: by position.
        acceptances: of the answer, oldest first; empty where nobody said anything.
    """

    job: AgentJob
    transitions: tuple[Transition, ...]
    attempts: tuple[Attempt, ...]
    usage: tuple[Usage, ...]
    revisions: tuple[PracticeRevision, ...]
    observations: tuple[Observation, ...]
    rejections: tuple[Rejection, ...]
    feedback: tuple[FeedbackTrail, ...]
    acceptances: tuple[Acceptance, ...]
