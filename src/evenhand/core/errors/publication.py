"""Why does a result not reach a hub? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, EvenhandError, Invalid


class InvalidReport(Invalid):
    """What a client reports of a run breaks a rule. Names the member, never its value.

    Attributes:
        code: ``question_missing``, ``question_unknown``, ``question_repeated``,
            ``set_contradicted``, ``window_missing``, ``unknown_protocol``, ``project_missing``,
            ``invalid_golden_set``, else ``invalid_report``.
    """

    code = "invalid_report"

    def __init__(self, field: str, rule: str, *, code: str = "invalid_report") -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class NotPublishable(Invalid):
    """A stored result lacks what a hub needs of it; nothing was sent."""

    code = "not_publishable"

    def __init__(self, evaluation_id: str, why: str) -> None:
        super().__init__(f"evaluation {evaluation_id}: {why}")
        self.evaluation_id = evaluation_id
        self.why = why


class IdempotencyConflict(Conflict):
    """A key was used before for something else; nothing was changed."""

    code = "idempotency_conflict"

    def __init__(self) -> None:
        super().__init__(
            "the idempotency key was used before with another input; nothing was changed"
        )


class IdempotencyRace(Conflict):
    """Another call with the same key was quicker, at this very moment; to call again answers."""

    code = "idempotency_race"

    def __init__(self) -> None:
        super().__init__("another call with the same idempotency key was quicker; call again")


class HubRefused(EvenhandError):
    """A hub said no; where a stored result was sent, the message says what to do about it.

    Attributes:
        hub_code: the code of the hub's problem.
        status: of its answer.
    """

    code = "hub_refused"

    def __init__(self, hub_code: str, status: int, *, is_stored: bool = True) -> None:
        said = f"the hub refused it with {hub_code} ({status})"
        if is_stored:
            said += f": {_AT_THE_HUB.get(hub_code, _AT_THE_HUB.get(str(status), _SEND_AGAIN))}"
        super().__init__(said)
        self.hub_code = hub_code
        self.status = status


class HubUnavailable(EvenhandError):
    """No hub answers at the configured address, or nothing that a hub would say.

    Args:
        why: half a sentence.
        is_stored: whether what was sent is a stored result, which can be sent again.
    """

    code = "hub_unavailable"

    def __init__(self, why: str, *, is_stored: bool = True) -> None:
        again = f"; {_SEND_AGAIN}" if is_stored else ""
        super().__init__(f"the hub was not reached: {why}{again}")
        self.why = why


_SEND_AGAIN = "evenhand evaluations publish ID sends the stored result again, and it is kept once"


#: Code or status of a hub's answer → what the sender can do.
_AT_THE_HUB = {
    "401": "set EVENHAND_TOKEN to a token that is in force there",
    "403": "it takes results of operators, and of service clients with rag.evaluation@1",
    "404": "name a project or a suite that the hub has, with --project",
    "project_missing": "name a project of the hub with --project",
    "idempotency_conflict": "this result was sent there before with other content, which stays",
    "body_too_large": "raise serve_body_limit of the hub, or send a smaller set",
    "422": "the hub's release may be another one, compare evenhand --version on both sides",
}
