"""Why does the gateway give no embedding? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import EvenhandError, Invalid, NotFound


class InvalidInput(Invalid):
    """What a client wants embedded breaks a rule. Names the item's position, from 0, only."""

    code = "invalid_input"

    def __init__(self, rule: str, *, position: int | None = None, field: str = "input") -> None:
        where = field if position is None else f"{field}, item {position}"
        super().__init__(f"{where}: {rule}")
        self.field = field
        self.rule = rule
        self.position = position


class ModelNotFound(NotFound):
    """No route that the caller may use answers to the name of a model, or several do."""

    code = "model_not_found"

    def __init__(self, *, is_ambiguous: bool = False) -> None:
        several = "several projects have a route of this name: give PROJECT/ROUTE"
        none = "no active route of this name is there for this credential"
        super().__init__(several if is_ambiguous else none)
        self.is_ambiguous = is_ambiguous


class GatewayRequestNotFound(NotFound):
    """There is no request to the gateway with this public id."""

    code = "gateway_request_not_found"

    def __init__(self) -> None:
        super().__init__("there is no request to the gateway with this public id")


class UpstreamFailed(EvenhandError):
    """A deployment gave no vectors. It names the deployment and, in our words, why.

    Attributes:
        code: of the failure.
        deployment: its name.
        meaning: why, in half a sentence.
        retry_after: whole seconds to wait before asking again; None where that is not known.
    """

    code = "upstream_failed"

    def __init__(
        self, deployment: str, meaning: str, *, code: str, retry_after: int | None = None
    ) -> None:
        super().__init__(f"deployment {deployment}: {meaning}")
        self.code = code
        self.deployment = deployment
        self.meaning = meaning
        self.retry_after = retry_after


class RateLimited(EvenhandError):
    """A client has asked as much as it may for now; nobody was called.

    Attributes:
        per_minute: how many inputs it may send a minute.
        retry_after: whole seconds after which the same may be asked, at least 1.
    """

    code = "rate_limited"

    def __init__(self, per_minute: int, *, retry_after: int) -> None:
        super().__init__(f"this client may send {per_minute} inputs a minute")
        self.per_minute = per_minute
        self.retry_after = retry_after
