"""What does the API tell of runtimes? Never a secret: only the name of its variable is known."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evenhand.core.registry import runtime as core
from evenhand.core.registry.upstream import LONGEST_URL
from evenhand.wire.registered import (
    OPTIONAL,
    Active,
    Change,
    Changeable,
    Label,
    NewRegistered,
    registered_members,
)

KindName = Literal["openai_http", "in_process"]
_TAKES = "How many inputs it takes at a time; null where the hub's setting decides."
MaxInputs = Annotated[int, Field(ge=1, le=core.MOST_INPUTS)]
_VARIABLE = r"^[A-Z][A-Z0-9_]{0,127}$"


class NewRuntime(NewRegistered):
    """What to make."""

    kind: KindName
    identity: Label = Field(description="Label of what runs, which comparisons pin.")
    base_url: str | None = Field(
        default=None,
        max_length=LONGEST_URL,
        description="Of openai_http: scheme, host, port and path; never user, query or fragment.",
    )
    secret_env: str | None = Field(
        default=None,
        pattern=_VARIABLE,
        description="Name of the variable in the hub's environment that holds the secret.",
    )
    embedder: str | None = Field(
        default=None, max_length=63, description="Of in_process: which embedder."
    )
    max_inputs: MaxInputs | None = Field(default=None, description=_TAKES)

    @property
    def core_kind(self) -> core.RuntimeKind:
        """The kind as the core has it."""
        return core.RuntimeKind(self.kind)


class RuntimeChange(Change):
    """What to change."""

    secret_env: Annotated[str | None, Field(pattern=_VARIABLE, **OPTIONAL)] = None
    max_inputs: Annotated[MaxInputs | None, Field(description=_TAKES, **OPTIONAL)] = None
    active: Active = True


class Runtime(Changeable):
    """What carries out a model."""

    kind: KindName
    identity: str
    base_url: str | None
    secret_env: str | None
    embedder: str | None
    max_inputs: int | None


def runtime_to_wire(one: core.Runtime) -> Runtime:
    """All of it."""
    return Runtime(
        **registered_members(one),
        kind=one.kind.value,
        identity=one.identity,
        base_url=one.base_url,
        secret_env=one.secret_env,
        embedder=one.embedder,
        max_inputs=one.max_inputs,
    )
