"""Who is signed in? The signed cookie of a session, and what proves that a form is the session's own.

Nothing of a session is kept on the server, so every process of a hub knows every session, and none
survives the credential that it was opened with: that is read anew at each request. What is signed
here says who and until when; the token that somebody signed in with is in none of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Role

#: How long a session lasts: a working day. It is not renewed, so that a forgotten one ends.
SESSION_SECONDS: Final = 12 * 3600
#: How long a form of the sign-in page may lie open.
SIGN_IN_SECONDS: Final = 3600
_VERSION: Final = "v1"
_NOBODY: Final = "-"
_NONCE_BYTES: Final = 18
#: A sealed session is shorter; what is longer is not looked at.
_LONGEST: Final = 300
_NAME_CHARACTERS: Final = 8


class Purpose(StrEnum):
    """For what a key signs; what is signed for one is worth nothing for another."""

    SESSION = "session"
    FORM = "form"
    SIGN_IN = "sign-in"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What sessions are signed with.

    Attributes:
        value: 32 secret bytes; shown by no representation.
    """

    value: bytes = field(repr=False)

    def sign(self, purpose: Purpose, text: str) -> str:
        """43 characters of URL-safe Base64: the HMAC-SHA-256 of a text for a purpose."""
        signed = hmac.new(self.value, f"{purpose}\x1f{text}".encode(), hashlib.sha256).digest()
        return _text(signed)

    def has_signed(self, purpose: Purpose, text: str, signature: str) -> bool:
        """Whether a signature is this key's; takes the same time wherever they first differ."""
        expected = self.sign(purpose, text).encode()
        return hmac.compare_digest(expected, signature.encode("utf-8", "surrogatepass"))

    def cookie_name(self, name: str) -> str:
        """A cookie's name that no other installation on the same host name has.

        Browsers keep cookies by host and not by port, so two consoles of one machine would sign
        each other out.
        """
        return f"evenhand_{name}_{self.sign(Purpose.NAME, name)[:_NAME_CHARACTERS]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Somebody who is signed in.

    Attributes:
        credential_id: the row id of the credential; None for the person whose laptop it is.
        role: what that credential may do.
        expires_at: aware UTC, to the second; over at that instant.
        nonce: that no other session has.
    """

    credential_id: str | None
    role: Role
    expires_at: datetime
    nonce: str

    @property
    def signed_text(self) -> str:
        """What the signature covers; nothing of it needs quoting in a cookie."""
        parts = (
            _VERSION,
            self.credential_id or _NOBODY,
            self.role.value,
            str(int(self.expires_at.timestamp())),
            self.nonce,
        )
        return ".".join(parts)


def open_session(
    credential_id: str | None, role: Role, *, secret: bytes, now: datetime
) -> Session:
    """A session that begins now.

    Args:
        credential_id: of whom; None for the person whose laptop it is.
        role: of the credential.
        secret: random bytes, of which the session has its nonce.
        now: aware UTC.
    """
    return Session(
        credential_id=credential_id,
        role=role,
        expires_at=now.replace(microsecond=0) + timedelta(seconds=SESSION_SECONDS),
        nonce=nonce_of(secret),
    )


def nonce_of(secret: bytes) -> str:
    """A text of 24 URL-safe characters out of at least 18 random bytes."""
    return _text(secret[:_NONCE_BYTES])


def seal(session: Session, key: SessionKey) -> str:
    """The value of the session's cookie."""
    text = session.signed_text
    return f"{text}.{key.sign(Purpose.SESSION, text)}"


def unseal(sealed: str, key: SessionKey, *, now: datetime) -> Session | None:
    """The session of a cookie, None where it is not this installation's or is over.

    Args:
        sealed: as a browser sent it.
        key: of this installation.
        now: aware UTC.
    """
    text, _, signature = sealed[:_LONGEST].rpartition(".")
    # Nothing of it is read before it is known to be ours.
    if not key.has_signed(Purpose.SESSION, text, signature):
        return None
    _, credential_id, role, expires, nonce = text.split(".")
    session = Session(
        credential_id=None if credential_id == _NOBODY else credential_id,
        role=Role(role),
        expires_at=datetime.fromtimestamp(int(expires), UTC),
        nonce=nonce,
    )
    return session if now < session.expires_at else None


def form_token(session: Session, key: SessionKey) -> str:
    """What each form of a session holds that changes something; no other session's is the same."""
    return key.sign(Purpose.FORM, session.signed_text)


def is_form_token(given: str, session: Session, key: SessionKey) -> bool:
    """Whether a form came from a page of this very session."""
    return key.has_signed(Purpose.FORM, session.signed_text, given)


def sign_in_token(nonce: str, key: SessionKey) -> str:
    """What the form of the sign-in page holds; its nonce is in a cookie beside it."""
    return key.sign(Purpose.SIGN_IN, nonce)


def is_sign_in_token(given: str, nonce: str, key: SessionKey) -> bool:
    """Whether a sign-in form came from a page that this browser was given."""
    return key.has_signed(Purpose.SIGN_IN, nonce, given)


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")
