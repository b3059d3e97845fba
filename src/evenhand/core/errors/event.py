"""Why is an event, or a question about events, refused? See the tree in ``core.errors``."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.errors import Conflict, EvenhandError, Invalid, NotFound


class EventsRefused(Invalid):
    """A batch that is taken whole or not at all holds an event that cannot be; nothing was stored.

    Attributes:
        places: place in the batch from 0, field and code of each that is refused.
    """

    code = "events_refused"

    def __init__(self, places: Sequence[tuple[int, str, str]]) -> None:
        super().__init__(f"{len(places)} events of the batch break a rule; nothing was stored")
        self.places = tuple(places)


class EventConflict(Conflict):
    """An event contradicts one that is stored; that one stays as it is.

    Attributes:
        code: ``event_conflict``: another event has this id; ``grain_conflict``: this result has
            been stored under another id.
        field: the first field that differs, in the order of the contract.
    """

    code = "event_conflict"

    def __init__(self, field: str, *, code: str = "event_conflict") -> None:
        why = (
            "another event id was stored for this result"
            if code == "grain_conflict"
            else f"an event of this id is stored, and its {field} differs"
        )
        super().__init__(f"{why}; what is stored stays")
        self.field = field
        self.code = code


class EventNotFound(NotFound):
    """No event of a project has this id, or the caller did not write it."""

    code = "event_not_found"

    def __init__(self) -> None:
        super().__init__("there is no event of this id in the project")


class QuestionNotFound(NotFound):
    """The contract has no question of this name."""

    code = "question_not_found"

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__(f"the contract has no such question; it has {', '.join(known)}")
        self.known = tuple(known)


class UntrustedQuery(EvenhandError):
    """The text of a query is not the one that was reviewed, so that it is not asked.

    Attributes:
        code: ``query_edited`` or ``query_unreviewed``.
    """

    code = "query_edited"

    def __init__(self, question: str, rule: str, *, code: str = "query_edited") -> None:
        super().__init__(f"question {question}: {rule}")
        self.question = question
        self.rule = rule
        self.code = code
