"""What did somebody send, and did a page of ours send it? Forms that change something.

A form is read strictly: one encoding, each field once, no more bytes than a form of ours has. It
counts only where it holds the token of the session that it is sent with, and where the browser,
if it says from which site the form comes, says that it is this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request

from evenhand.console.session import Session, SessionKey, is_form_token
from evenhand.core.errors.console import FormRefused, InvalidForm

#: The field that holds the token of the session.
TOKEN_FIELD: Final = "form_token"  # noqa: S105 -- a field's name
#: The field that holds the version that its page showed.
VERSION_FIELD: Final = "expected_version"
#: The largest form in bytes; each of ours is much smaller.
FORM_BYTES: Final = 64 * 1024
_MEDIA_TYPE: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 64
_LAST_VERSION: Final = 2**53
_MOST_DIGITS: Final = 16
_SAME_SITE: Final = "same-origin"
_HIDDEN_ORIGIN: Final = "null"


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form.

    Attributes:
        fields: name → text, as it was sent; shown by no representation.
    """

    fields: Mapping[str, str] = field(repr=False)

    def text(self, name: str) -> str:
        """What a field holds, without blanks around it; empty where the form has none."""
        return self.fields.get(name, "").strip()

    def required(self, name: str) -> str:
        """The same of a field that must hold something.

        Raises:
            InvalidForm: it holds nothing.
        """
        found = self.text(name)
        if not found:
            raise InvalidForm(name, "must be given")
        return found

    def flag(self, name: str) -> bool:
        """Whether a field says yes.

        Raises:
            InvalidForm: it says neither ``yes`` nor ``no``.
        """
        given = self.text(name)
        if given not in ("yes", "no"):
            raise InvalidForm(name, "must be yes or no")
        return given == "yes"

    def version(self) -> int:
        """The version that the page of the form showed, at least 1.

        Raises:
            InvalidForm: none, or no whole number from 1 to 2^53.
        """
        given = self.text(VERSION_FIELD)
        is_number = given.isascii() and given.isdecimal() and len(given) <= _MOST_DIGITS
        if not is_number or not 1 <= int(given) <= _LAST_VERSION:
            raise InvalidForm(VERSION_FIELD, "must be a whole number from 1 to 2^53")
        return int(given)


async def read_form(request: Request) -> Form:
    """The form in the body of a request.

    Raises:
        InvalidForm: the body is too large, or no form in UTF-8 with each field once.
    """
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if stated != _MEDIA_TYPE:
        raise InvalidForm("form", f"must be {_MEDIA_TYPE}")
    body = bytearray()
    # What comes is counted, whatever was declared.
    async for piece in request.stream():
        body += piece
        if len(body) > FORM_BYTES:
            raise InvalidForm("form", f"must have at most {FORM_BYTES} bytes")
    return Form(_fields(bytes(body)))


def _fields(body: bytes) -> Mapping[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        # Its message would repeat a part of the body.
        pairs = None
    if pairs is None:
        raise InvalidForm("form", "must be percent-encoded UTF-8 of at most 64 fields")
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidForm("form", "must hold each field once")
    return fields


def require_own_form(form: Form, session: Session, key: SessionKey) -> None:
    """Let a form through that a page of this session sent.

    Raises:
        FormRefused: it has no token, or another session's.
    """
    if not is_form_token(form.fields.get(TOKEN_FIELD, ""), session, key):
        raise FormRefused


def require_own_site(request: HTTPConnection, public_url: str | None) -> None:
    """Let a request through unless its browser says that another site made it.

    Not every client says where a form comes from, so what is not said decides nothing here; the
    form's token does.

    Args:
        request: that changes something.
        public_url: where browsers reach this console; None for what each request says.

    Raises:
        FormRefused: another site did.
    """
    headers = request.headers
    said = headers.get("sec-fetch-site")
    if said is not None and said != _SAME_SITE:
        raise FormRefused
    origin = headers.get("origin")
    if origin is None:
        return
    if origin == _HIDDEN_ORIGIN:
        # A browser that hides the origin says by the other header whether it is this one.
        if said is None:
            raise FormRefused
        return
    if not _is_own(origin, headers, public_url):
        raise FormRefused


def _is_own(origin: str, headers: Headers, public_url: str | None) -> bool:
    if public_url is not None:
        expected = urlsplit(public_url)
        return origin.lower() == f"{expected.scheme}://{expected.netloc}".lower()
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False
