"""Record what was composed from findings, what became of it, and where it was put."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from evenhand.core.access.roles import Principal
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import (
    FeedbackConflict,
    ObservationsConflict,
    ReviewNotFound,
)
from evenhand.core.privacy import PrivacyPolicy, kept_text
from evenhand.core.review.feedback import (
    FIRST,
    Channel,
    Dispatch,
    Feedback,
    FeedbackState,
    Link,
    Placement,
    PlacementType,
    SuppressionReason,
    thread_key,
)
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.reviews.telling import get_own


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """Feedback as a client reports it.

    Attributes:
        job_id: from which review it was composed.
        admission_digest: of the payload that it was composed from (BR-21).
        recipient, channel, position: whom it is for, where it goes, its place from 0.
        state: in which it gets to delivery.
        suppression_reason: exactly of what is withheld.
        body: its text, before privacy.
        replaces_id: whose place it takes.
        kind, locus: of the thread that it belongs to.
        links: the observations that it was composed from.
    """

    job_id: str
    admission_digest: str
    recipient: str
    channel: Channel
    position: int
    state: FeedbackState
    suppression_reason: SuppressionReason | None
    body: str | None
    replaces_id: str | None
    kind: str
    locus: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What came of a record of feedback.

    Attributes:
        feedback: what is in the store.
        is_new: whether this call stored it.
    """

    feedback: Feedback
    is_new: bool


def compose(
    uow: UnitOfWork, composed: Composed, *, principal: Principal, ids: Ids, policy: PrivacyPolicy
) -> Recorded:
    """Record feedback that got as far as delivery, withheld feedback as well.

    Raises:
        ReviewNotFound: there is no such review or replaced feedback.
        ObservationsConflict: the quoted payload is not what the review handed in.
        FeedbackConflict: its place is taken by other feedback, or the state is no first one.
        ReferenceRefused: a linked observation is not one of this review.
        InvalidValue: a reason beside another state; no observation of what is not withheld.
    """
    job = get_own(uow, composed.job_id, principal)
    admission = uow.observations.find_admission(job.id)
    if admission is None or admission.payload_digest != composed.admission_digest:
        raise ObservationsConflict
    if composed.state not in FIRST:
        raise FeedbackConflict("feedback begins as awaiting approval, prepared or suppressed")
    _require_links(uow, composed)
    if composed.replaces_id is not None:
        of_project(uow, composed.replaces_id, principal)
    made = Feedback(
        id=ids.new(),
        project_id=job.submission.project_id,
        job_id=job.id,
        recipient=composed.recipient,
        channel=composed.channel,
        position=composed.position,
        state=composed.state,
        suppression_reason=composed.suppression_reason,
        body=kept_text(policy, composed.body),
        replaces_id=composed.replaces_id,
        thread_key=thread_key(
            kind=composed.kind,
            locus=composed.locus,
            recipient=composed.recipient,
            channel=composed.channel,
        ),
        created_at=uow.now(),
        links=composed.links,
    )
    before = uow.feedback.find_at(job.id, composed.position)
    if before is not None:
        # Only what may change later, and what was made here, may differ.
        if replace(made, **_own(before)) != before:
            raise FeedbackConflict("other feedback has its place", code="feedback_exists")
        return Recorded(feedback=before, is_new=False)
    uow.feedback.add(made)
    return Recorded(feedback=made, is_new=True)


def move(
    uow: UnitOfWork,
    feedback_id: str,
    *,
    expected_state: FeedbackState,
    to: FeedbackState,
    reason: SuppressionReason | None,
    principal: Principal,
) -> Feedback:
    """Record what the delivery policy decided next; it proves no placement.

    Raises:
        ReviewNotFound: there is none.
        FeedbackConflict: it is in another state than the caller saw, or may not get there.
        InvalidValue: a reason that does not go with the state.
    """
    before = of_project(uow, feedback_id, principal)
    if before.state is not expected_state:
        raise FeedbackConflict("the feedback is in another state by now")
    after = before.moved(to, reason=reason, now=uow.now())
    uow.feedback.save(before, after)
    return after


def place(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    feedback_id: str,
    *,
    type: PlacementType,  # noqa: A002 -- the field's name
    path: str | None,
    line: int | None,
    channel_reference: str | None,
    principal: Principal,
    ids: Ids,
) -> Placement:
    """Record where feedback was put; without a channel's reference it proves nothing.

    Raises:
        ReviewNotFound: there is none.
        InvalidValue: an anchor of what is not inline.
    """
    found = of_project(uow, feedback_id, principal)
    made = Placement(
        id=ids.new(),
        feedback_id=found.id,
        type=type,
        path=path,
        line=line,
        channel_reference=channel_reference,
        created_at=uow.now(),
    )
    uow.feedback.add_placement(made)
    return made if made.is_proof else replace(made, channel_reference=None)


def dispatch(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    feedback_id: str,
    *,
    attempt: int,
    acknowledgement: str | None,
    error_class: str | None,
    principal: Principal,
    ids: Ids,
) -> Dispatch:
    """Record that feedback was handed to a channel.

    Raises:
        ReviewNotFound: there is none.
        InvalidValue: an acknowledgement beside an error.
        FeedbackConflict: this try was recorded before (``feedback_exists``).
    """
    if acknowledgement is not None and error_class is not None:
        raise InvalidValue("acknowledgement", "does not stand beside an error")
    found = of_project(uow, feedback_id, principal)
    made = Dispatch(
        id=ids.new(),
        feedback_id=found.id,
        attempt=attempt,
        acknowledgement=acknowledgement,
        error_class=error_class,
        created_at=uow.now(),
    )
    uow.feedback.add_dispatch(made)
    return made if made.is_proof else replace(made, acknowledgement=None)


def of_project(uow: UnitOfWork, feedback_id: str, principal: Principal) -> Feedback:
    """The feedback; to a service client every other project's is unknown.

    Raises:
        ReviewNotFound: there is none, or it is another project's.
    """
    found = uow.feedback.get(feedback_id)
    if principal.project_id not in (None, found.project_id):
        raise ReviewNotFound("feedback")
    return found


def _require_links(uow: UnitOfWork, composed: Composed) -> None:
    linked = [one.observation_id for one in composed.links]
    if len(set(linked)) != len(linked):
        raise InvalidValue("observations", "must not hold an observation twice")
    if not linked and composed.state is not FeedbackState.SUPPRESSED:
        raise InvalidValue("observations", "must hold at least one, unless it is withheld")
    for observation_id in linked:
        found = uow.observations.find(observation_id)
        if found is None or found.job_id != composed.job_id:
            raise ReferenceRefused("observation", field="observations.observation_id")


def _own(before: Feedback) -> dict[str, Any]:
    return {
        "id": before.id,
        "created_at": before.created_at,
        "state": before.state,
        "suppression_reason": before.suppression_reason,
        "delivered_at": before.delivered_at,
    }
