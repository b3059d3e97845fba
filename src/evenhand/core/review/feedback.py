"""What was composed, what became of it, and what proves that it got anywhere?

A state is what the delivery policy decided. Placement is told from a placement's channel
reference or a dispatch's acknowledgement, and from nothing else; there is no word here for whether
anybody looked at it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import FeedbackConflict
from evenhand.core.identity.canonical import sha256_hex, to_bytes

_SEPARATOR: Final = "\x1f"


class FeedbackState(StrEnum):
    """What the delivery policy decided (R-28)."""

    AWAITING_APPROVAL = "awaiting_approval"
    PREPARED = "prepared"
    DELIVERED = "delivered"
    SUPERSEDED = "superseded"
    SUPPRESSED = "suppressed"
    FAILED = "failed"
    DISCARDED = "discarded"


class SuppressionReason(StrEnum):
    """Why composed feedback was withheld (BR-28, without the one that is read only)."""

    VOLUME_CAPPED = "volume_capped"
    COMPOSER_DEDUPED = "composer_deduped"
    REACTED_DISPUTED = "reacted_disputed"
    REACTED_NOT_APPLICABLE = "reacted_not_applicable"
    CONVERSATION_EXPIRED = "conversation_expired"
    ARTIFACT_GONE = "artifact_gone"
    ARTIFACT_CLOSED = "artifact_closed"
    ARTIFACT_MERGED = "artifact_merged"
    RECIPIENT_OPTED_OUT = "recipient_opted_out"
    EMPTY_AFTER_SANITIZE = "empty_after_sanitize"
    INSTANCE_SILENCED = "instance_silenced"
    WORKSPACE_DISABLED = "workspace_disabled"
    APPROVAL_STALE = "approval_stale"
    APPROVAL_NO_LONGER_ELIGIBLE = "approval_no_longer_eligible"
    PRACTICE_REQUIRES_APPROVAL = "practice_requires_approval"
    BACKFILL_QUIET = "backfill_quiet"


class Channel(StrEnum):
    """Where feedback is meant to go."""

    IN_CONTEXT = "in_context"
    IN_CHAT = "in_chat"
    IN_APP = "in_app"


class LinkRole(StrEnum):
    """What an observation is to the feedback that was composed from it."""

    PRIMARY = "primary"
    SUPPORTING = "supporting"


class PlacementType(StrEnum):
    """In which form feedback was placed."""

    SUMMARY = "summary"
    INLINE = "inline"
    CONVERSATION_TURN = "conversation_turn"


class PlacementEvidence(StrEnum):
    """Whether a placement is proved."""

    PROVEN = "proven"
    NONE = "none"


#: State → the states that may follow (G-30). A failed one is delivered by a further try.
MOVES: Final = {
    FeedbackState.AWAITING_APPROVAL: frozenset({FeedbackState.PREPARED, FeedbackState.DISCARDED}),
    FeedbackState.PREPARED: frozenset(
        {
            FeedbackState.DELIVERED,
            FeedbackState.FAILED,
            FeedbackState.SUPPRESSED,
            FeedbackState.SUPERSEDED,
        }
    ),
    FeedbackState.DELIVERED: frozenset({FeedbackState.SUPERSEDED}),
    FeedbackState.FAILED: frozenset({FeedbackState.DELIVERED}),
    FeedbackState.SUPERSEDED: frozenset(),
    FeedbackState.SUPPRESSED: frozenset(),
    FeedbackState.DISCARDED: frozenset(),
}
#: In which state feedback may be recorded first; what is withheld is recorded as well (R-27).
FIRST: Final = frozenset(
    {FeedbackState.AWAITING_APPROVAL, FeedbackState.PREPARED, FeedbackState.SUPPRESSED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """That feedback was composed from an observation.

    Attributes:
        observation_id: which.
        role: primary or supporting.
        ordinal: its place, from 0.
    """

    observation_id: str
    role: LinkRole
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One composed unit that got as far as delivery.

    Attributes:
        id: UUIDv7 text.
        project_id, job_id: whose, and of which review.
        recipient: whom it is meant for, an opaque label.
        channel: where it is meant to go.
        position: its place among the feedback of its job, from 0.
        state: what the delivery policy decided.
        suppression_reason: exactly of what is suppressed.
        body: what privacy keeps of it, None for nothing.
        replaces_id: the one that it takes the place of.
        thread_key: of what belongs together, 64 hex digits.
        created_at, delivered_at: aware UTC; the second None where it was not delivered.
        links: the observations that it was composed from; none for what is bound to none.

    Raises:
        InvalidValue: a reason without suppression or the other way round, or a time of delivery
            of what was not delivered.
    """

    id: str
    project_id: str
    job_id: str
    recipient: str
    channel: Channel
    position: int
    state: FeedbackState
    suppression_reason: SuppressionReason | None
    body: str | None
    replaces_id: str | None
    thread_key: str
    created_at: datetime
    delivered_at: datetime | None = None
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        if (self.state is FeedbackState.SUPPRESSED) is (self.suppression_reason is None):
            raise InvalidValue("suppression_reason", "belongs to suppressed feedback only")

    def moved(
        self, to: FeedbackState, *, reason: SuppressionReason | None, now: datetime
    ) -> Feedback:
        """The same in its next state.

        Raises:
            FeedbackConflict: the state may not follow (``feedback_state``).
            InvalidValue: a reason that does not go with it.
        """
        if to not in MOVES[self.state]:
            rule = f"feedback that is {self.state.value} does not become {to.value}"
            raise FeedbackConflict(rule)
        at = now if to is FeedbackState.DELIVERED else self.delivered_at
        return replace(self, state=to, suppression_reason=reason, delivered_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where feedback was put.

    Attributes:
        id: UUIDv7 text.
        feedback_id: which.
        type: in which form.
        path, line: of an inline one, else None.
        channel_reference: what the channel calls it; None or blank proves nothing (R-40).
        created_at: aware UTC.

    Raises:
        InvalidValue: an anchor of what is not inline.
    """

    id: str
    feedback_id: str
    type: PlacementType
    path: str | None
    line: int | None
    channel_reference: str | None
    created_at: datetime

    def __post_init__(self) -> None:
        is_inline = self.type is PlacementType.INLINE
        if is_inline is (self.path is None) or (self.line is not None and not is_inline):
            raise InvalidValue("path", "belongs to an inline placement, and to no other")

    @property
    def is_proof(self) -> bool:
        """Whether the channel gave it a name."""
        return self.channel_reference is not None and bool(self.channel_reference.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """That feedback was handed to a channel.

    Attributes:
        id: UUIDv7 text.
        feedback_id: which.
        attempt: number of the try, from 1; no two of the same feedback.
        acknowledgement: what the channel said it took; None or blank proves nothing.
        error_class: of a try that failed.
        created_at: aware UTC.
    """

    id: str
    feedback_id: str
    attempt: int
    acknowledgement: str | None
    error_class: str | None
    created_at: datetime

    @property
    def is_proof(self) -> bool:
        """Whether the channel acknowledged it."""
        return self.acknowledgement is not None and bool(self.acknowledgement.strip())


def placement_evidence(
    placements: Iterable[Placement], dispatches: Iterable[Dispatch]
) -> PlacementEvidence:
    """Whether feedback was placed, by what its channel said; no state is asked (G-31)."""
    is_proven = any(one.is_proof for one in placements) or any(one.is_proof for one in dispatches)
    return PlacementEvidence.PROVEN if is_proven else PlacementEvidence.NONE


def thread_key(*, kind: str, locus: str, recipient: str, channel: Channel) -> str:
    """Key of feedback that belongs together, 64 lowercase hex digits.

    Raises:
        InvalidValue: a field holds the separator U+001F.

    Source: statement BR-32.
    """
    fields = (kind, locus, recipient, channel.value)
    if any(_SEPARATOR in value for value in fields):
        raise InvalidValue("thread", "must not hold U+001F")
    return sha256_hex(to_bytes(_SEPARATOR.join(fields), field="thread"))
