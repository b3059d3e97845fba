"""Who asks, and what may they do? Roles, principals, and the one table.

The table says which role may do what; `require` reads it and nothing else decides. Who a token
belongs to is found by `usecases.access.authenticate`; which route asks for which action is said
by the routes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.errors import Invalid
from evenhand.core.errors.access import Forbidden


class Role(StrEnum):
    """What kind of caller a credential stands for."""

    OPERATOR = "operator"
    VIEWER = "viewer"
    SERVICE_CLIENT = "service_client"


class Capability(StrEnum):
    """What a service client may be allowed to do, each by itself (settled 19)."""

    EMBEDDING = "rag.embedding@1"
    EVALUATION = "rag.evaluation@1"
    REVIEW = "rag.review@1"
    EVENT = "rag.event@1"


class Action(StrEnum):
    """What a caller wants to do; the value is how a refusal words it.

    ``READ`` is to read what is stored, whoever wrote it. ``READ_OWN`` is to read what the caller
    wrote: a place that asks for it also asks `sees`.
    """

    READ = "read what others wrote"
    READ_OWN = "read what it wrote"
    WRITE = "write"
    ADMINISTER = "administer"
    CALL_GATEWAY = "call the gateway"
    CONSUME_COMPARISON = "carry out a comparison"
    PUBLISH_EVALUATION = "publish an evaluation"
    RECORD_REVIEW = "record a review"
    INGEST_EVENT = "ingest an event"


#: The one table. Operators may do all but the consumer protocol (C-46), and so whatever a viewer
#: may (G-58); what a service client may do also needs a capability, below.
ALLOWED: Final[Mapping[Role, frozenset[Action]]] = {
    Role.OPERATOR: frozenset(Action) - {Action.CONSUME_COMPARISON},
    Role.VIEWER: frozenset({Action.READ, Action.READ_OWN}),
    Role.SERVICE_CLIENT: frozenset(Action) - {Action.READ, Action.WRITE, Action.ADMINISTER},
}
#: What a service client needs for an action, beside its role.
NEEDED: Final[Mapping[Action, Capability]] = {
    Action.CALL_GATEWAY: Capability.EMBEDDING,
    Action.CONSUME_COMPARISON: Capability.EMBEDDING,
    Action.PUBLISH_EVALUATION: Capability.EVALUATION,
    Action.RECORD_REVIEW: Capability.REVIEW,
    Action.INGEST_EVENT: Capability.EVENT,
}


class ActorKind(StrEnum):
    """Who did something that the audit tells of."""

    OPERATOR = "operator"
    VIEWER = "viewer"
    SERVICE_CLIENT = "service_client"
    COMMAND_LINE = "command_line"
    HUB = "hub"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did something.

    Attributes:
        kind: of actor.
        id: of the service client, or of an operator's or viewer's credential; None for the
            command line and for the hub itself, which have none.

    Raises:
        Invalid: an id where there is none, or none where there is one.
    """

    kind: ActorKind
    id: str | None = None

    def __post_init__(self) -> None:
        is_nameless = self.kind in (ActorKind.COMMAND_LINE, ActorKind.HUB)
        if is_nameless is not (self.id is None):
            raise Invalid("actor: the command line and the hub have no id, all others have one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A caller whose token was recognised.

    Attributes:
        credential_id: the row id of its credential.
        role: what kind of caller it is.
        client_id, project_id: of a service client; None for people.
        capabilities: of a service client; empty for people.

    Raises:
        Invalid: a service client without a client and project, or people with either.
    """

    credential_id: str
    role: Role
    client_id: str | None = None
    project_id: str | None = None
    capabilities: frozenset[Capability] = frozenset()

    def __post_init__(self) -> None:
        is_client = self.role is Role.SERVICE_CLIENT
        if not (is_client is (self.client_id is not None) is (self.project_id is not None)):
            raise Invalid("principal: a service client, and only it, has a client and a project")
        if self.capabilities and not is_client:
            raise Invalid("principal: only a service client has capabilities")

    @property
    def actor(self) -> Actor:
        """Whom the audit names: a client stays the same when its credential is rotated."""
        return Actor(kind=ActorKind(self.role.value), id=self.client_id or self.credential_id)


def require(principal: Principal, action: Action) -> None:
    """Let a caller through who may do this.

    Raises:
        Forbidden: by its role (``forbidden``) or for want of a capability
            (``capability_missing``).

    Source: settled 19; statements C-44, C-46, G-58.
    """
    if action not in ALLOWED[principal.role]:
        raise Forbidden(principal.role.value, action.value)
    needed = NEEDED.get(action)
    is_client = principal.role is Role.SERVICE_CLIENT
    if is_client and needed is not None and needed not in principal.capabilities:
        raise Forbidden(principal.role.value, action.value, capability=needed.value)


def sees(principal: Principal, *, client_id: str | None) -> bool:
    """Whether a caller may know that something is there.

    Args:
        principal: the caller.
        client_id: the service client that wrote it; None where people or the hub did.
    """
    if Action.READ in ALLOWED[principal.role]:
        return True
    return client_id is not None and client_id == principal.client_id
