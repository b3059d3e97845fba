"""With which keys does an installation work? Those of the operator's secret, else its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.settings import environment_secret

if TYPE_CHECKING:
    from evenhand.console.session import SessionKey
    from evenhand.contracts.emission import PseudonymKey
    from evenhand.usecases.keys import InstallationKey
    from evenhand.usecases.ports import Secrets, UnitOfWork

#: Holds the operator's secret that keys are derived from.
KEY_VARIABLE: Final = "EVENHAND_SECRET_KEY"


def read_pseudonym_key(uow: UnitOfWork, secrets: Secrets) -> PseudonymKey:
    """What pseudonyms of events are made with."""
    from evenhand.contracts.emission import PseudonymKey
    from evenhand.usecases.keys import PSEUDONYM

    key = _read(uow, secrets, PSEUDONYM)
    return PseudonymKey(version=key.version, value=key.value)


def read_session_key(uow: UnitOfWork, secrets: Secrets) -> SessionKey:
    """What sessions of a hub's console are signed with."""
    from evenhand.console.session import SessionKey
    from evenhand.usecases.keys import CONSOLE

    return SessionKey(_read(uow, secrets, CONSOLE).value)


def _read(uow: UnitOfWork, secrets: Secrets, purpose: str) -> InstallationKey:
    from evenhand.usecases.keys import installation_key

    given = environment_secret(KEY_VARIABLE) or None
    return installation_key(uow, secrets, given, purpose=purpose)
