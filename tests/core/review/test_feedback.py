"""Feedback, placements, reactions: what a state says, and what it does not."""

from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import FeedbackConflict
from evenhand.core.review.feedback import (
    MOVES,
    Channel,
    Dispatch,
    Feedback,
    FeedbackState,
    Placement,
    PlacementEvidence,
    PlacementType,
    SuppressionReason,
    placement_evidence,
    thread_key,
)
from evenhand.core.review.reaction import (
    Acceptance,
    Reaction,
    Resolution,
    Usefulness,
    current_responses,
)
from tests.builders import START


def a_feedback(**stated: Any) -> Feedback:
    values: dict[str, Any] = {
        "id": "f1",
        "project_id": "p",
        "job_id": "j",
        "recipient": "r",
        "channel": Channel.IN_APP,
        "position": 0,
        "state": FeedbackState.PREPARED,
        "suppression_reason": None,
        "body": None,
        "replaces_id": None,
        "thread_key": "0" * 64,
        "created_at": START,
    }
    return Feedback(**values | stated)


def a_placement(reference: str | None, **stated: Any) -> Placement:
    values: dict[str, Any] = {
        "id": "p1",
        "feedback_id": "f1",
        "type": PlacementType.SUMMARY,
        "path": None,
        "line": None,
        "channel_reference": reference,
        "created_at": START,
    }
    return Placement(**values | stated)


def a_dispatch(acknowledgement: str | None) -> Dispatch:
    return Dispatch(
        id="d1",
        feedback_id="f1",
        attempt=1,
        acknowledgement=acknowledgement,
        error_class=None,
        created_at=START,
    )


def a_reaction(number: int = 1, **stated: Any) -> Reaction:
    values: dict[str, Any] = {
        "id": f"r{number}",
        "feedback_id": "f1",
        "reactor": "r",
        "usefulness": None,
        "resolution": None,
        "is_explained": False,
        "explanation": None,
        "created_at": START + timedelta(minutes=number),
    }
    return Reaction(**values | stated)


@pytest.mark.proves("R-28", "R-33", "G-30", "BR-27")
def test_only_the_listed_moves_are_made() -> None:
    reason = SuppressionReason.VOLUME_CAPPED
    allowed = {
        "awaiting_approval": {"prepared", "discarded"},
        "prepared": {"delivered", "failed", "suppressed", "superseded"},
        "delivered": {"superseded"},
        "failed": {"delivered"},
        "superseded": set(),
        "suppressed": set(),
        "discarded": set(),
    }
    assert {one.value for one in FeedbackState} == set(allowed) == {one.value for one in MOVES}
    for state in FeedbackState:
        held = reason if state is FeedbackState.SUPPRESSED else None
        one = a_feedback(state=state, suppression_reason=held)
        for to in FeedbackState:
            because = reason if to is FeedbackState.SUPPRESSED else None
            if to.value in allowed[state.value]:
                assert one.moved(to, reason=because, now=START).state is to
            else:
                with pytest.raises(FeedbackConflict):
                    one.moved(to, reason=because, now=START)


@pytest.mark.proves("R-34", "G-30", "BR-26")
def test_a_reason_stands_exactly_beside_suppression() -> None:
    assert len(SuppressionReason) == 16
    assert "artifact_draft" not in {one.value for one in SuppressionReason}
    with pytest.raises(InvalidValue):
        a_feedback(suppression_reason=SuppressionReason.ARTIFACT_GONE)
    with pytest.raises(InvalidValue):
        a_feedback(state=FeedbackState.SUPPRESSED)
    with pytest.raises(InvalidValue):
        a_feedback().moved(FeedbackState.SUPPRESSED, reason=None, now=START)


@pytest.mark.proves("R-29", "R-31", "R-41", "G-31")
def test_placement_is_proved_by_the_channel_and_never_by_a_state() -> None:
    delivered = a_feedback().moved(FeedbackState.DELIVERED, reason=None, now=START)
    assert delivered.delivered_at == START
    # What has been delivered by policy proves nothing by itself.
    assert placement_evidence([], []) is PlacementEvidence.NONE
    assert placement_evidence([a_placement(None)], []) is PlacementEvidence.NONE
    assert placement_evidence([a_placement(" ")], [a_dispatch("")]) is PlacementEvidence.NONE
    assert placement_evidence([a_placement("c1")], []) is PlacementEvidence.PROVEN
    assert placement_evidence([], [a_dispatch("taken")]) is PlacementEvidence.PROVEN


@pytest.mark.proves("R-30", "R-32", "R-50", "R-51")
def test_no_word_of_the_record_says_that_anybody_looked_or_acted() -> None:
    kinds = (Feedback, Placement, Dispatch, Reaction, Acceptance)
    fields = {name for kind in kinds for name in kind.__slots__}
    words = {one.value for one in (*FeedbackState, *PlacementEvidence, *Resolution, *Usefulness)}
    for word in ("seen", "read", "viewed", "opened", "exposed", "behaviour", "changed"):
        assert not [one for one in fields | words if word in one.split("_")], word


@pytest.mark.proves("BR-30")
def test_only_an_inline_placement_has_an_anchor() -> None:
    inline = a_placement("c", type=PlacementType.INLINE, path="a.md", line=3)
    assert inline.line == 3
    for stated in (
        {"path": "a.md"},
        {"line": 3},
        {"type": PlacementType.INLINE},
    ):
        with pytest.raises(InvalidValue):
            a_placement("c", **stated)


@pytest.mark.proves("R-43", "R-44", "G-32")
def test_the_newest_reaction_is_the_response_and_what_it_lacks_is_unknown() -> None:
    useful = a_reaction(1, usefulness=Usefulness.USEFUL)
    addressed = a_reaction(2, resolution=Resolution.ADDRESSED)
    withdrawn = a_reaction(3)
    (current,) = current_responses([addressed, useful]).values()
    assert (current.resolution, current.usefulness) == (Resolution.ADDRESSED, None)
    (current,) = current_responses([useful, withdrawn, addressed]).values()
    assert (current.resolution, current.usefulness) == (None, None)
    assert current_responses([]) == {}


@pytest.mark.proves("BR-31")
def test_what_is_disputed_is_explained() -> None:
    with pytest.raises(InvalidValue):
        a_reaction(resolution=Resolution.DISPUTED)
    assert a_reaction(resolution=Resolution.DISPUTED, is_explained=True).is_explained


@pytest.mark.proves("BR-32")
def test_a_thread_is_told_by_kind_place_recipient_and_channel() -> None:
    fields: dict[str, Any] = {
        "kind": "k",
        "locus": "l",
        "recipient": "r",
        "channel": Channel.IN_APP,
    }
    others = {"kind": "x", "locus": "x", "recipient": "x", "channel": Channel.IN_CHAT}
    keys = {thread_key(**fields | {name: value}) for name, value in others.items()}
    assert len(keys | {thread_key(**fields)}) == 5
    with pytest.raises(InvalidValue):
        thread_key(**fields | {"locus": "a\x1fb"})


def test_an_acceptance_says_who_and_what() -> None:
    by = Actor(kind=ActorKind.OPERATOR, id="o")
    one = Acceptance(
        id="a", project_id="p", answer_id="x", accepted=False, by=by, created_at=START
    )
    assert one.accepted is False
