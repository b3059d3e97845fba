"""With which secret key does an installation make what it alone may make? One for each purpose."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from evenhand.usecases.ports import Secrets, UnitOfWork

#: What pseudonyms of events are made with.
PSEUDONYM: Final = "pseudonym"
#: What sessions of the console are signed with.
CONSOLE: Final = "console"
_FROM_OUTSIDE: Final = "env-"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationKey:
    """A key of this installation for one purpose.

    Attributes:
        version: which one; what was made with it may name it.
        value: 32 secret bytes; shown by no representation.
    """

    version: str
    value: bytes = field(repr=False)


def installation_key(
    uow: UnitOfWork, secrets: Secrets, given: str | None, *, purpose: str
) -> InstallationKey:
    """The key for a purpose: derived from the operator's secret, else this installation's own.

    Args:
        uow: the open transaction; the first call of an installation makes its secret.
        secrets: where that comes from.
        given: the operator's secret, None without one.
        purpose: what it is for; no two purposes have one key.

    Source: settled 9.
    """
    if given is not None:
        value = hashlib.sha256(f"{purpose}\x1f{given}".encode()).digest()
        version = _FROM_OUTSIDE + hashlib.sha256(value).hexdigest()[:8]
        return InstallationKey(version=version, value=value)
    found = uow.instance_secrets.find_latest(purpose)
    if found is None:
        uow.instance_secrets.add(purpose, 1, secrets.new(), at=uow.now())
        # Of two transactions that made one at once, one is kept.
        found = uow.instance_secrets.find_latest(purpose)
    assert found is not None  # noqa: S101 -- it was added just above
    number, value = found
    return InstallationKey(version=str(number), value=value)
