"""Which cookies does the console set, and what keeps others from reading or setting them?

No script reads any of them, and none is sent outside ``/console``. Behind TLS they are sent
over TLS only, under a name that a browser takes from nobody but a page that came over TLS.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from evenhand.console.addresses import ROOT
from evenhand.console.parts import Mode, parts_of

SameSite: TypeAlias = Literal["strict", "lax"]

#: Of a session.
SESSION_COOKIE: Final = "session"
#: Of a sign-in form that is open.
SIGN_IN_COOKIE: Final = "sign_in"
_OVER_TLS: Final = "__Secure-"
_TLS: Final = "https://"


def is_behind_tls(request: Request) -> bool:
    """Whether the browser of a request came over TLS.

    TLS ends before the hub, so the hub does not see it. What was configured decides; without
    that the browser's own word does, which it gives with every form: by a lie it makes its own
    cookie weaker and nobody else's.
    """
    public_url = parts_of(request).public_url
    if public_url is not None:
        return public_url.startswith(_TLS)
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith(_TLS)


def read_cookie(request: Request, name: str) -> str | None:
    """What a browser sent back, None for nothing.

    Args:
        request: that it came with.
        name: one of the names above.
    """
    whole = parts_of(request).session_key().cookie_name(name)
    found = request.cookies.get(f"{_OVER_TLS}{whole}")
    if found is None and not (parts_of(request).public_url or "").startswith(_TLS):
        found = request.cookies.get(whole)
    return found


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Have a browser send a value back.

    Args:
        request: that is answered.
        response: its answer.
        name: one of the names above.
        value: without characters that need quoting.
        seconds: for how long.
    """
    is_secure = is_behind_tls(request)
    whole = parts_of(request).session_key().cookie_name(name)
    response.set_cookie(
        f"{_OVER_TLS}{whole}" if is_secure else whole,
        value,
        max_age=seconds,
        path=ROOT,
        secure=is_secure,
        httponly=True,
        samesite=_same_site(request),
    )


def forget_cookie(request: Request, response: Response, name: str) -> None:
    """Have a browser forget a value, under whichever name it has it."""
    whole = parts_of(request).session_key().cookie_name(name)
    for called, is_secure in ((whole, False), (f"{_OVER_TLS}{whole}", True)):
        response.delete_cookie(
            called, path=ROOT, secure=is_secure, httponly=True, samesite=_same_site(request)
        )


def _same_site(request: Request) -> SameSite:
    """Who is linked to a comparison on a hub is signed in there; nothing leads into a laptop's.

    ``lax`` sends the cookie along with a link from another site, and with nothing else from
    there; what changes something is a form, and needs the session's token.
    """
    return "strict" if parts_of(request).mode is Mode.LAPTOP else "lax"
