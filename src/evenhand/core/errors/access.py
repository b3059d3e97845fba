"""Who is refused, and which credential is not as a caller thinks? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, EvenhandError, NotFound


class Unauthenticated(EvenhandError):
    """Nobody is known by what was shown. It does not say why, nor what was shown.

    Attributes:
        code: ``missing_credential`` where nothing was shown, else ``bad_credential``.
    """

    code = "bad_credential"

    def __init__(self, *, is_missing: bool = False) -> None:
        super().__init__("no token was given" if is_missing else "no such token is in force")
        self.code = "missing_credential" if is_missing else "bad_credential"


class Forbidden(EvenhandError):
    """Who asks is known, and may not do this.

    Attributes:
        code: ``forbidden`` by role, ``capability_missing`` where a service client lacks one.
    """

    code = "forbidden"

    def __init__(self, role: str, action: str, *, capability: str | None = None) -> None:
        what = f"the role {role} may not: {action}"
        lacking = f"this service client lacks {capability}, needed for: {action}"
        super().__init__(what if capability is None else lacking)
        self.role = role
        self.action = action
        self.capability = capability
        self.code = "forbidden" if capability is None else "capability_missing"


class CredentialNotFound(NotFound):
    """No credential answers to a reference; somebody may have typed a token, so it is not shown."""

    code = "credential_not_found"

    def __init__(self) -> None:
        super().__init__("no credential has this id, and none in force has this name")


class CredentialExists(Conflict):
    """A credential that is in force has this name; nothing was changed."""

    code = "credential_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"a credential in force has the name {name!r}; nothing was changed")
        self.name = name


class CredentialEnded(Conflict):
    """A credential was rotated or revoked before; nothing was changed."""

    code = "credential_ended"

    def __init__(self, credential_id: str) -> None:
        super().__init__(f"credential {credential_id} has ended before; nothing was changed")
        self.credential_id = credential_id
