"""What came back? Reactions to feedback, and whether people accepted an answer.

What nobody said is unknown. It is never read as a no, and never as a zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue

MAX_EXPLANATION: Final = 2000


class Usefulness(StrEnum):
    """Whether the recipient found it useful."""

    USEFUL = "useful"
    NOT_USEFUL = "not_useful"


class Resolution(StrEnum):
    """What the recipient made of it; ``not_applicable`` says that it was no valid feedback."""

    ADDRESSED = "addressed"
    DISPUTED = "disputed"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """One reaction; written once.

    Attributes:
        id: UUIDv7 text.
        feedback_id: to what.
        reactor: who, an opaque label.
        usefulness, resolution: None is unknown; both None withdraws what was said before.
        is_explained: whether a reason was given.
        explanation: what privacy keeps of it.
        created_at: aware UTC.

    Raises:
        InvalidValue: disputed without a reason.

    Source: statements BR-31, G-32.
    """

    id: str
    feedback_id: str
    reactor: str
    usefulness: Usefulness | None
    resolution: Resolution | None
    is_explained: bool
    explanation: str | None
    created_at: datetime

    def __post_init__(self) -> None:
        if self.resolution is Resolution.DISPUTED and not self.is_explained:
            raise InvalidValue("explanation", "is needed where feedback is disputed")


def current_responses(reactions: Iterable[Reaction]) -> dict[tuple[str, str], Reaction]:
    """The newest reaction by feedback and reactor, as it is.

    A field that the newest does not have is unknown: an older one does not fill it in.
    """
    found: dict[tuple[str, str], Reaction] = {}
    for one in sorted(reactions, key=lambda one: (one.created_at, one.id)):
        found[one.feedback_id, one.reactor] = one
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """That a person accepted an answer, or did not; written once, the newest counts.

    Attributes:
        id: UUIDv7 text.
        project_id: whose answer.
        answer_id: which.
        accepted: what they said.
        by: who.
        created_at: aware UTC.
    """

    id: str
    project_id: str
    answer_id: str
    accepted: bool
    by: Actor
    created_at: datetime
