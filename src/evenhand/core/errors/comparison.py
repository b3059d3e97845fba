"""Why is a selected model comparison not prepared, claimed, reported or published? See the tree in ``core.errors``.

Time, token and state of a claim are `Fenced`, with a code each; the rest stands here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.errors import Conflict, EvenhandError, Fenced, Invalid, NotFound
from evenhand.core.errors.access import Forbidden


class ComparisonNotFound(NotFound):
    """No comparison has this id, or it is of another project than the service client's."""

    code = "comparison_not_found"

    def __init__(self) -> None:
        super().__init__("no comparison has this id")


class NotDesignatedClient(Forbidden):
    """The comparison was prepared for another service client of the project."""

    code = "not_designated_client"

    def __init__(self) -> None:
        EvenhandError.__init__(self, "the comparison is for another service client to carry out")
        self.code = "not_designated_client"


class IntentRefused(Invalid):
    """A comparison may not be prepared like this; the code says which rule is broken (G-47).

    Attributes:
        field: where it was stated.
        rule: what is wrong, without a value.
    """

    code = "intent_refused"

    def __init__(self, field: str, rule: str, *, code: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class ActiveIntentExists(Conflict):
    """The binding has a comparison that is pending, running or about to be cancelled."""

    code = "active_intent_exists"

    def __init__(self) -> None:
        super().__init__("the binding has a comparison that has not ended; nothing was changed")


class ActiveIntentRace(ActiveIntentExists):
    """Another call was quicker to prepare one for the binding; to look again says which."""

    code = "active_intent_race"


class ProcessNotLookedAt(Conflict):
    """The binding's last comparison was interrupted, and nobody says what became of its program.

    Attributes:
        interrupted_id: the comparison that was interrupted.
    """

    code = "process_not_looked_at"

    def __init__(self, interrupted_id: str) -> None:
        super().__init__(
            f"comparison {interrupted_id} was interrupted and its program may still run; look at"
            " it and say that you did; nothing was changed"
        )
        self.interrupted_id = interrupted_id


class AlreadyClaimed(Conflict):
    """A comparison is claimed once; nobody gets its token a second time."""

    code = "already_claimed"

    def __init__(self) -> None:
        super().__init__("the comparison was claimed before; nothing was changed")


class TargetChanged(Conflict):
    """What was pinned is not as it was; a changed target needs a new comparison (C-28)."""

    code = "target_changed"

    def __init__(self) -> None:
        super().__init__("what was pinned has changed since; nothing was changed here")


class PinsMismatch(Conflict):
    """The digest that was sent back is not that of the comparison's pins."""

    code = "pins_digest_mismatch"

    def __init__(self) -> None:
        super().__init__("pins_digest is not the one that the claim gave; nothing was changed")


class CountsDecreased(Conflict):
    """Fewer cases are reported as done than before."""

    code = "counts_decreased"

    def __init__(self) -> None:
        super().__init__("a count of completed cases is below what was reported before")


class CountsTooLarge(Invalid):
    """More cases are reported as done than the suite has."""

    code = "counts_too_large"

    def __init__(self, field: str) -> None:
        self.field = field
        self.rule = "is more than the suite has cases"
        super().__init__(f"{field}: {self.rule}")


class ResultConflict(Conflict):
    """Another result was published for this comparison, or it was finished in another way."""

    code = "result_conflict"

    def __init__(self) -> None:
        super().__init__("the comparison has ended with another report; nothing was changed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFault:
    """What is wrong with the report of one case.

    Attributes:
        place: member of the report, and position of the case in the suite where it has one.
        code: stable name of the rule that is broken.
    """

    place: str
    code: str


class ReportRejected(Invalid):
    """A result does not hold the cases of the suite, or its evidence does not prove them.

    Attributes:
        faults: all that was found, at least one; the code is that of the first.
    """

    code = "report_rejected"

    def __init__(self, faults: Sequence[CaseFault]) -> None:
        first = faults[0]
        super().__init__(f"{first.place}: {first.code}; {len(faults)} in all; nothing was stored")
        self.faults = tuple(faults)
        self.code = first.code


def wrong_claim_token() -> Fenced:
    """The token is not that of the claim. It is not said whether it ever was that of another."""
    return Fenced("the token is not that of this claim", code="wrong_claim_token")


def already_terminal() -> Fenced:
    """The comparison has ended."""
    return Fenced("the comparison has already ended", code="already_terminal")


class PinsNotMatched(Fenced):
    """What a consumer has at hand is not what was pinned; it embedded nothing.

    Attributes:
        leg: current or candidate.
        what: which fact differs, in words.
    """

    code = "pins_not_matched"

    def __init__(self, leg: str, what: str) -> None:
        super().__init__(
            f"{leg}: the {what} is not as pinned; nothing was embedded", code=self.code
        )
        self.leg = leg
        self.what = what

    @property
    def error_code(self) -> str:
        """What the hub is told, in its form of error codes."""
        return f"{self.leg}_{self.what}_not_as_pinned".replace(" ", "_").upper()
