"""What does the API tell of feedback, and how is it recorded? A state is no proof of a placement."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from evenhand.core.review import feedback as core
from evenhand.core.review.reaction import MAX_EXPLANATION, Acceptance, Reaction
from evenhand.core.review.trail import FeedbackTrail
from evenhand.wire.agent_jobs import Opaque
from evenhand.wire.review_attempts import ErrorClass
from evenhand.wire.shapes import Answer, Digest, Id, Strict

ChannelName = Literal["in_context", "in_chat", "in_app"]
StateName = Literal[
    "awaiting_approval",
    "prepared",
    "delivered",
    "superseded",
    "suppressed",
    "failed",
    "discarded",
]
ReasonName = Literal[
    "volume_capped",
    "composer_deduped",
    "reacted_disputed",
    "reacted_not_applicable",
    "conversation_expired",
    "artifact_gone",
    "artifact_closed",
    "artifact_merged",
    "recipient_opted_out",
    "empty_after_sanitize",
    "instance_silenced",
    "workspace_disabled",
    "approval_stale",
    "approval_no_longer_eligible",
    "practice_requires_approval",
    "backfill_quiet",
]
RoleName = Literal["primary", "supporting"]
UsefulnessName = Literal["useful", "not_useful"]
ResolutionName = Literal["addressed", "disputed", "not_applicable"]
PlacementTypeName = Literal["summary", "inline", "conversation_turn"]
Place = Annotated[int, Field(ge=0, le=2**31 - 1)]
Reference = Annotated[str, Field(max_length=1024)]


class Link(Strict):
    """That feedback was composed from an observation."""

    observation_id: Id
    role: RoleName = "primary"


class NewFeedback(Strict):
    """Feedback that got as far as delivery, withheld feedback as well."""

    agent_job_id: Id
    admission_digest: Digest = Field(description="Of the payload that it was composed from.")
    recipient: Opaque
    channel: ChannelName
    position: Place
    state: StateName
    suppression_reason: ReasonName | None = None
    body: Annotated[str, Field(max_length=65_536)] | None = None
    replaces_id: Id | None = None
    thread_kind: Opaque
    thread_locus: Opaque
    observations: list[Link] = Field(max_length=1000)


class FeedbackMove(Strict):
    """What the delivery policy decided next."""

    expected_state: StateName = Field(description="In which the caller saw it.")
    state: StateName
    suppression_reason: ReasonName | None = None


class NewPlacement(Strict):
    """Where feedback was put."""

    type: PlacementTypeName
    path: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    line: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    channel_reference: Reference | None = Field(
        default=None, description="What the channel calls it; null or blank proves nothing."
    )


class NewDispatch(Strict):
    """That feedback was handed to a channel."""

    attempt: Annotated[int, Field(ge=1, le=2**31 - 1)]
    acknowledgement: Reference | None = Field(
        default=None, description="What the channel said it took; null or blank proves nothing."
    )
    error_class: ErrorClass | None = None


class NewReaction(Strict):
    """What a recipient said; both null withdraws what was said before."""

    feedback_id: Id
    reactor: Opaque
    usefulness: UsefulnessName | None = Field(default=None, description="Null is unknown.")
    resolution: ResolutionName | None = Field(default=None, description="Null is unknown.")
    explanation: Annotated[str, Field(max_length=MAX_EXPLANATION)] | None = None


class NewAcceptance(Strict):
    """Whether a person accepts an answer."""

    project_id: str | None = Field(default=None, description="Null: the service client's own.")
    accepted: bool


class PlacementAnswer(Answer):
    """Where feedback was put."""

    id: str
    feedback_id: str
    type: PlacementTypeName
    path: str | None
    line: int | None
    channel_reference: str | None
    created_at: datetime


class DispatchAnswer(Answer):
    """That feedback was handed to a channel."""

    id: str
    feedback_id: str
    attempt: int
    acknowledgement: str | None
    error_class: str | None
    created_at: datetime


class ReactionAnswer(Answer):
    """What a recipient said."""

    id: str
    feedback_id: str
    reactor: str
    usefulness: UsefulnessName | None
    resolution: ResolutionName | None
    is_explained: bool
    explanation: str | None = Field(description="Null where the privacy level keeps no text.")
    created_at: datetime


class LinkAnswer(Answer):
    """That feedback was composed from an observation."""

    observation_id: str
    role: RoleName
    ordinal: int


class FeedbackAnswer(Answer):
    """One composed unit."""

    id: str
    project_id: str
    agent_job_id: str
    recipient: str
    channel: ChannelName
    position: int
    state: StateName = Field(description="What the delivery policy decided; no proof.")
    suppression_reason: ReasonName | None
    body: str | None = Field(description="Null where the privacy level keeps no text.")
    replaces_id: str | None
    thread_key: str
    created_at: datetime
    delivered_at: datetime | None
    observations: list[LinkAnswer]


class FeedbackDetail(FeedbackAnswer):
    """The same with what is known of where it was put and what was said of it."""

    placement_evidence: Literal["proven", "none"] = Field(
        description="From a channel's reference or acknowledgement, never from the state."
    )
    placements: list[PlacementAnswer]
    dispatches: list[DispatchAnswer]
    reactions: list[ReactionAnswer] = Field(description="Oldest first; the newest counts.")


class AcceptanceAnswer(Answer):
    """What a person said of an answer."""

    id: str
    project_id: str
    answer_id: str
    accepted: bool
    created_at: datetime


class Acceptances(Answer):
    """Whether an answer is accepted."""

    accepted: bool | None = Field(description="The newest word; null: nobody said anything.")
    history: list[AcceptanceAnswer] = Field(description="Oldest first.")


def feedback_to_wire(one: core.Feedback) -> FeedbackAnswer:
    """All of it."""
    return FeedbackAnswer(**_members(one))


def detail_to_wire(trail: FeedbackTrail) -> FeedbackDetail:
    """All of it, with what is known of it."""
    evidence = core.placement_evidence(trail.placements, trail.dispatches)
    return FeedbackDetail(
        **_members(trail.feedback),
        placement_evidence=evidence.value,
        placements=list(map(placement_to_wire, trail.placements)),
        dispatches=list(map(dispatch_to_wire, trail.dispatches)),
        reactions=list(map(reaction_to_wire, trail.reactions)),
    )


def placement_to_wire(one: core.Placement) -> PlacementAnswer:
    """All of it."""
    return PlacementAnswer(
        id=one.id,
        feedback_id=one.feedback_id,
        type=one.type.value,
        path=one.path,
        line=one.line,
        channel_reference=one.channel_reference,
        created_at=one.created_at,
    )


def dispatch_to_wire(one: core.Dispatch) -> DispatchAnswer:
    """All of it."""
    return DispatchAnswer(
        id=one.id,
        feedback_id=one.feedback_id,
        attempt=one.attempt,
        acknowledgement=one.acknowledgement,
        error_class=one.error_class,
        created_at=one.created_at,
    )


def reaction_to_wire(one: Reaction) -> ReactionAnswer:
    """All of it."""
    return ReactionAnswer(
        id=one.id,
        feedback_id=one.feedback_id,
        reactor=one.reactor,
        usefulness=None if one.usefulness is None else one.usefulness.value,
        resolution=None if one.resolution is None else one.resolution.value,
        is_explained=one.is_explained,
        explanation=one.explanation,
        created_at=one.created_at,
    )


def acceptance_to_wire(one: Acceptance) -> AcceptanceAnswer:
    """All of it but who said so, which the audit of the database keeps."""
    return AcceptanceAnswer(
        id=one.id,
        project_id=one.project_id,
        answer_id=one.answer_id,
        accepted=one.accepted,
        created_at=one.created_at,
    )


def _members(one: core.Feedback) -> dict[str, Any]:
    reason = one.suppression_reason
    return {
        "id": one.id,
        "project_id": one.project_id,
        "agent_job_id": one.job_id,
        "recipient": one.recipient,
        "channel": one.channel.value,
        "position": one.position,
        "state": one.state.value,
        "suppression_reason": None if reason is None else reason.value,
        "body": one.body,
        "replaces_id": one.replaces_id,
        "thread_key": one.thread_key,
        "created_at": one.created_at,
        "delivered_at": one.delivered_at,
        "observations": [
            LinkAnswer(
                observation_id=link.observation_id, role=link.role.value, ordinal=link.ordinal
            )
            for link in one.links
        ],
    }
