"""What is a token, and what is kept of it? Credentials, their names, their states.

A token is shown once, when it is made; what is stored is its digest.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Role
from evenhand.core.errors import Invalid, InvalidName, InvalidValue
from evenhand.core.errors.access import CredentialEnded

#: How many random bytes a token carries.
SECRET_BYTES: Final = 32
#: What a token begins with.
PREFIXES: Final[Mapping[Role, str]] = {
    Role.OPERATOR: "evh_op_",
    Role.VIEWER: "evh_vw_",
    Role.SERVICE_CLIENT: "evh_sc_",
}

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_TOKEN: Final = re.compile(r"evh_(?:op|vw|sc)_[A-Za-z0-9_-]{43}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class CredentialState(StrEnum):
    """Whether a credential is in force, and how it ended where it is not."""

    ACTIVE = "active"
    ROTATED = "rotated"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What is kept of a token: everything but the token.

    Attributes:
        id: UUIDv7 text.
        name: for people to tell it by; only one in force has it.
        role: what its holder may do.
        digest: SHA-256 of the token, lowercase hex; shown by no representation.
        created_at: aware UTC.
        rotated_from: the credential whose place it took, None for the first of its name.
        state: in force, or how it ended.
        ended_at: aware UTC; None while it is in force.
        client_id: the service client that it belongs to; None for people.

    Raises:
        InvalidName: a name that breaks the rule.
        Invalid: a digest of another shape, or a time of the end that contradicts the state.
        InvalidValue: a client without the role of one, or the role without one.
    """

    id: str
    name: str
    role: Role
    digest: str = field(repr=False)
    created_at: datetime
    rotated_from: str | None = None
    state: CredentialState = CredentialState.ACTIVE
    ended_at: datetime | None = None
    client_id: str | None = None

    def __post_init__(self) -> None:
        require_name(self.name, "name")
        if not _DIGEST.fullmatch(self.digest):
            raise Invalid("digest: must be 64 lowercase hex digits")
        if (self.state is CredentialState.ACTIVE) is not (self.ended_at is None):
            raise Invalid(
                "ended_at: belongs to a credential that is not in force, and to no other"
            )

        if (self.role is Role.SERVICE_CLIENT) is not (self.client_id is not None):
            raise InvalidValue("client_id", "belongs to the role service_client, and to no other")

    def ended(self, state: CredentialState, *, at: datetime) -> Credential:
        """The same, no longer in force.

        Raises:
            CredentialEnded: it was not in force any more.
        """
        if self.state is not CredentialState.ACTIVE:
            raise CredentialEnded(self.id)
        return replace(self, state=state, ended_at=at)


def require_name(name: str, field_name: str) -> str:
    """The name itself: a lowercase letter or digit, then up to 62 of these or hyphens.

    Raises:
        InvalidName: anything else; the value is not repeated.
    """
    if not _NAME.fullmatch(name):
        rule = "must be 1 to 63 lowercase letters, digits and hyphens, no hyphen first"
        raise InvalidName(field_name, rule)
    return name


def build_token(role: Role, secret: bytes) -> str:
    """The token of a role around random bytes: a prefix and 43 characters of URL-safe Base64.

    Args:
        role: whose prefix it bears.
        secret: `SECRET_BYTES` random bytes.

    Raises:
        Invalid: another number of bytes.
    """
    if len(secret) != SECRET_BYTES:
        raise Invalid("secret: must be 32 bytes")
    return PREFIXES[role] + base64.urlsafe_b64encode(secret).rstrip(b"=").decode("ascii")


def is_token(text: str) -> bool:
    """Whether a text has the shape of a token; says nothing of whether it is one."""
    return _TOKEN.fullmatch(text) is not None


def token_digest(token: str) -> str:
    """What is stored of a token: its SHA-256 as lowercase hex.

    A token has 256 random bits, so no salt and no slow hash is needed: nobody can guess it.
    """
    return hashlib.sha256(token.encode()).hexdigest()


def is_token_of(token: str, digest: str) -> bool:
    """Whether a digest is the token's; takes the same time wherever they first differ."""
    return hmac.compare_digest(token_digest(token), digest)
