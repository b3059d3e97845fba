"""What does the API tell of credentials? Never a token but once, and never its digest."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from evenhand.core.access import credential as core
from evenhand.core.access.roles import Role
from evenhand.wire.paging import PageQuery
from evenhand.wire.shapes import Answer, Strict


class NewCredential(Strict):
    """What to make."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", description="No other one in force may have it."
    )
    role: Literal["operator", "viewer", "service_client"]
    client_id: str | None = Field(
        default=None, description="The service client that it belongs to; null for people."
    )

    @property
    def core_role(self) -> Role:
        """The role as the core has it."""
        return Role(self.role)


class CredentialsQuery(PageQuery):
    """Which credentials a list is of."""

    with_ended: bool = Field(default=False, description="Also those that were rotated or revoked.")


class Credential(Answer):
    """What is kept of a token."""

    id: str
    name: str
    role: Literal["operator", "viewer", "service_client"]
    state: Literal["active", "rotated", "revoked"]
    created_at: datetime
    rotated_from: str | None = Field(description="The credential whose place it took.")
    ended_at: datetime | None = Field(description="Null while it is in force.")
    client_id: str | None = Field(description="The service client that it belongs to.")


class IssuedCredential(Answer):
    """A new credential with its token, which is shown this once."""

    credential: Credential
    token: str


def credential_to_wire(credential: core.Credential) -> Credential:
    """Everything but the digest."""
    return Credential(
        id=credential.id,
        name=credential.name,
        role=credential.role.value,
        state=credential.state.value,
        created_at=credential.created_at,
        rotated_from=credential.rotated_from,
        ended_at=credential.ended_at,
        client_id=credential.client_id,
    )
