"""The way in and out: a token on a hub, the address that the terminal printed on a laptop."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from evenhand.console.addresses import ENTER, OVERVIEW, ROOT, SIGN_IN, SIGN_OUT
from evenhand.console.cookies import (
    SESSION_COOKIE,
    SIGN_IN_COOKIE,
    forget_cookie,
    read_cookie,
    set_cookie,
)
from evenhand.console.forms import TOKEN_FIELD, Form, read_form, require_own_site
from evenhand.console.guard import Page, find_session, mark_page
from evenhand.console.parts import ConsoleParts, Mode, parts_of
from evenhand.console.rendering import render_bare
from evenhand.console.session import (
    SESSION_SECONDS,
    SIGN_IN_SECONDS,
    is_sign_in_token,
    nonce_of,
    open_session,
    seal,
    sign_in_token,
)
from evenhand.core.access.roles import Action, Principal, Role
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.core.errors.console import FormRefused
from evenhand.usecases import access

_TEMPLATE: Final = "sign_in/show.html"
_OK: Final = 200
_SEE_OTHER: Final = 303
_STATUS: Final = {Unauthenticated: 401, Forbidden: 403, FormRefused: 403}
_TOKEN: Final = "token"  # noqa: S105 -- a field's name
_NEXT: Final = "next"
_TICKET: Final = "ticket"
_LONGEST_NEXT: Final = 2000
_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{24}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInView:
    """The form for a token.

    Attributes:
        form_token: that proves the form to be one of this browser.
        next: where it goes on; a path of the console.
        problem: why the token before did not do; empty on the first try.
    """

    form_token: str
    next: str
    problem: str = ""


def show_sign_in(request: Request) -> Response:
    """The form; who is signed in goes on."""
    goes_to = local_path(request.query_params.get(_NEXT, ""))
    if parts_of(request).mode is Mode.LAPTOP:
        raise Unauthenticated(is_missing=True)
    if _is_signed_in(request):
        return RedirectResponse(goes_to, status_code=_SEE_OTHER)
    return _form(request, goes_to)


async def sign_in(request: Request) -> Response:
    """A session for the token that was sent, which is kept nowhere."""
    mark_page(request, SIGN_IN)
    parts = parts_of(request)
    if parts.mode is Mode.LAPTOP:
        raise Unauthenticated(is_missing=True)
    require_own_site(request, parts.public_url)
    form = await read_form(request)
    return await run_in_threadpool(_sign_in, request, form)


def enter(request: Request) -> Response:
    """A session for whoever has the ticket of the terminal, once.

    What only asks for the headers of the address looks at it, and takes the ticket from nobody.
    """
    parts = parts_of(request)
    if request.method == "HEAD":
        return Response()
    tickets = parts.tickets
    if tickets is None or not tickets.redeem(request.query_params.get(_TICKET, "")):
        raise Unauthenticated(is_missing=True)
    return _let_in(request, None, Role.OPERATOR, OVERVIEW)


def sign_out(request: Request) -> Response:
    """No session any more in this browser."""
    answer = RedirectResponse(SIGN_IN, status_code=_SEE_OTHER)
    forget_cookie(request, answer, SESSION_COOKIE)
    return answer


def local_path(asked: str) -> str:
    """Where it may go on after the sign-in: a page of the console, else the overview.

    Whoever makes the link to the sign-in page says where it leads, so it leads nowhere else.
    """
    is_page = asked.startswith(f"{ROOT}/") and len(asked) <= _LONGEST_NEXT
    is_plain = all("!" <= one <= "~" for one in asked) and "\\" not in asked
    leads_back = asked.startswith((SIGN_IN, SIGN_OUT, ENTER))
    return asked if is_page and is_plain and not leads_back else OVERVIEW


def _sign_in(request: Request, form: Form) -> Response:
    parts, goes_to = parts_of(request), local_path(form.text(_NEXT))
    try:
        _require_sign_in_form(request, form, parts)
        principal = parts.database.read(
            lambda uow: _known(access.authenticate(uow, form.text(_TOKEN)))
        )
    except (Unauthenticated, Forbidden) as error:
        return _form(request, goes_to, refused=error)
    return _let_in(request, principal.credential_id, principal.role, goes_to)


def _known(principal: Principal) -> Principal:
    """The principal, where it is a person.

    Raises:
        Forbidden: a program has no pages to look at.
    """
    if principal.role not in access.ROLES_OF_PEOPLE:
        raise Forbidden(principal.role.value, "sign in to the console")
    return principal


def _require_sign_in_form(request: Request, form: Form, parts: ConsoleParts) -> None:
    nonce = read_cookie(request, SIGN_IN_COOKIE) or ""
    given = form.fields.get(TOKEN_FIELD, "")
    if not nonce or not is_sign_in_token(given, nonce, parts.session_key()):
        raise FormRefused


def _let_in(request: Request, credential_id: str | None, role: Role, goes_to: str) -> Response:
    parts = parts_of(request)
    session = open_session(credential_id, role, secret=parts.secrets.new(), now=parts.clock.now())
    answer = RedirectResponse(goes_to, status_code=_SEE_OTHER)
    sealed = seal(session, parts.session_key())
    set_cookie(request, answer, SESSION_COOKIE, sealed, SESSION_SECONDS)
    forget_cookie(request, answer, SIGN_IN_COOKIE)
    return answer


def _form(request: Request, goes_to: str, *, refused: EvenhandError | None = None) -> Response:
    parts = parts_of(request)
    # Of another window of the same browser, whose form is then still one of it.
    nonce = read_cookie(request, SIGN_IN_COOKIE) or ""
    if not _NONCE.fullmatch(nonce):
        nonce = nonce_of(parts.secrets.new())
    view = SignInView(
        form_token=sign_in_token(nonce, parts.session_key()),
        next=goes_to,
        problem="" if refused is None else str(refused),
    )
    status = _OK if refused is None else _STATUS[type(refused)]
    answer = render_bare(request, _TEMPLATE, view, status=status)
    set_cookie(request, answer, SIGN_IN_COOKIE, nonce, SIGN_IN_SECONDS)
    return answer


def _is_signed_in(request: Request) -> bool:
    session = find_session(request)
    if session is None or session.credential_id is None:
        return False
    credential_id = session.credential_id
    try:
        parts_of(request).database.read(lambda uow: access.resume(uow, credential_id))
    except Unauthenticated:
        return False
    return True


ROUTES: Final = (
    Page(SIGN_IN, show_sign_in, action=None),
    Route(SIGN_IN, sign_in, methods=["POST"]),
    Page(ENTER, enter, action=None),
    Page(SIGN_OUT, sign_out, method="POST", action=Action.READ),
)
