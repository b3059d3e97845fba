"""Who may see a page, and who may send its form? Asked before every page.

The order is the hub's: who it is, what it may do, how large the form is, whether it is one of this
session; only then does the page see it. A credential that was revoked ends its sessions with the
next request, because it is read anew at each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from evenhand.console.addresses import SIGN_IN, with_query
from evenhand.console.cookies import SESSION_COOKIE, read_cookie
from evenhand.console.forms import Form, read_form, require_own_form, require_own_site
from evenhand.console.parts import Mode, parts_of
from evenhand.console.session import Session, form_token, unseal
from evenhand.core.access.roles import ALLOWED, Action, Actor, ActorKind, Principal, require
from evenhand.core.errors.access import Unauthenticated
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.usecases import access

Endpoint: TypeAlias = Callable[[Request], Response]

#: Where a request keeps its session, who it is of, and its form.
_SESSION: Final = "evenhand.console.session"
_PRINCIPAL: Final = "evenhand.console.principal"
_FORM: Final = "evenhand.console.form"
#: Where a request keeps the pattern of its page's address, for the log.
_PAGE: Final = "evenhand.console.page"
#: How many forms wait for their commit at a time.
WRITERS: Final = 64
_SEE_OTHER: Final = 303
_READING: Final = ("GET", "HEAD")
_FULL: Final = "too many forms wait for the database; try again"


class Page(Route):
    """A page, with what somebody needs to be allowed to see it.

    Args:
        path: its address.
        endpoint: a plain function; it is run in a thread.
        method: of the request.
        action: what is asked for; None where anybody may come.
    """

    def __init__(
        self,
        path: str,
        endpoint: Endpoint,
        *,
        method: str = "GET",
        action: Action | None = Action.READ,
    ) -> None:
        super().__init__(path, _answer_of(path, endpoint, method, action), methods=[method])
        self.action = action


def guarded(route: Route) -> Page:
    """A route as a page, where it is none yet: who reads may look, who writes may change."""
    if isinstance(route, Page):
        return route
    methods = (route.methods or set()) - {"HEAD"}
    [method] = methods
    action = Action.READ if method in _READING else Action.WRITE
    return Page(route.path, route.endpoint, method=method, action=action)


class FormThreads:
    """The threads that forms wait in for their commit; for one event loop.

    In the threads of the readers they would keep everybody from reading.
    """

    def __init__(self) -> None:
        self._taken = 0
        self._limiter = anyio.CapacityLimiter(WRITERS)

    async def run(self, work: Callable[[], Response]) -> Response:
        """The answer that ``work`` gives, which was run in one of the threads.

        Raises:
            DatabaseUnavailable: every thread is taken (``writer_full``); nothing was begun.
        """
        if self._taken >= WRITERS:
            raise DatabaseUnavailable(_FULL, code="writer_full")
        self._taken += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._taken -= 1


def session_of(request: Request) -> Session | None:
    """The session that a request came with; None on a page that anybody may see."""
    found: Session | None = request.scope.get(_SESSION)
    return found


def principal_of(request: Request) -> Principal | None:
    """Who asks; None on a laptop, and on a page that anybody may see."""
    found: Principal | None = request.scope.get(_PRINCIPAL)
    return found


def actor_of(request: Request) -> Actor:
    """Whom the audit names: a laptop's console acts for its command line."""
    principal = principal_of(request)
    return Actor(kind=ActorKind.COMMAND_LINE) if principal is None else principal.actor


def may(request: Request, action: Action) -> bool:
    """Whether whoever asks may do something; on a laptop there are no roles."""
    principal = principal_of(request)
    if principal is None:
        return parts_of(request).mode is Mode.LAPTOP
    return action in ALLOWED[principal.role]


def form_of(request: Request) -> Form:
    """The form that a request sent; it is one of its session."""
    form: Form = request.scope[_FORM]
    return form


def form_token_of(request: Request) -> str:
    """What a form of this session has to hold; empty where nobody is signed in."""
    session = session_of(request)
    return "" if session is None else form_token(session, parts_of(request).session_key())


def mark_page(request: Request, path: str) -> None:
    """Have the log tell a request by the pattern of its page."""
    request.scope[_PAGE] = path


def told_of(scope: Scope) -> tuple[str | None, Principal | None]:
    """What the log tells of a request: the pattern of the address, and who it was."""
    return scope.get(_PAGE), scope.get(_PRINCIPAL)


def find_session(request: Request) -> Session | None:
    """The session of a request's cookie, where it is one of this console; None otherwise."""
    parts = parts_of(request)
    sealed = read_cookie(request, SESSION_COOKIE)
    session = None
    if sealed is not None:
        session = unseal(sealed, parts.session_key(), now=parts.clock.now())
    if session is None or (session.credential_id is None) is not (parts.mode is Mode.LAPTOP):
        return None
    return session


def _admit(request: Request, action: Action) -> None:
    """Let somebody through who is signed in and may do this.

    Raises:
        Unauthenticated: nobody is signed in, or the credential is no longer in force.
        Forbidden: by its role.
    """
    session = find_session(request)
    if session is None:
        raise Unauthenticated(is_missing=True)
    credential_id = session.credential_id
    if credential_id is not None:
        principal = parts_of(request).database.read(lambda uow: access.resume(uow, credential_id))
        request.scope[_PRINCIPAL] = principal
        require(principal, action)
    request.scope[_SESSION] = session


def _answer_of(
    path: str, endpoint: Endpoint, method: str, action: Action | None
) -> Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]:
    if action is None:
        return _open(path, endpoint)
    return (_shown if method in _READING else _sent)(path, endpoint, action)


def _open(path: str, endpoint: Endpoint) -> Callable[[Request], Response]:
    def _answer(request: Request) -> Response:
        mark_page(request, path)
        return endpoint(request)

    return _answer


def _shown(path: str, endpoint: Endpoint, action: Action) -> Callable[[Request], Response]:
    def _answer(request: Request) -> Response:
        mark_page(request, path)
        try:
            _admit(request, action)
        except Unauthenticated:
            return _ask_to_sign_in(request)
        return endpoint(request)

    return _answer


def _sent(
    path: str, endpoint: Endpoint, action: Action
) -> Callable[[Request], Awaitable[Response]]:
    async def _answer(request: Request) -> Response:
        mark_page(request, path)
        parts = parts_of(request)
        await run_in_threadpool(_admit, request, action)
        require_own_site(request, parts.public_url)
        form = await read_form(request)
        session: Session = request.scope[_SESSION]
        require_own_form(form, session, parts.session_key())
        request.scope[_FORM] = form
        return await _form_threads(request).run(partial(endpoint, request))

    return _answer


def _ask_to_sign_in(request: Request) -> Response:
    if parts_of(request).mode is Mode.LAPTOP:
        raise Unauthenticated(is_missing=True)
    asked = request.url.path
    if request.url.query:
        asked = f"{asked}?{request.url.query}"
    return RedirectResponse(with_query(SIGN_IN, next=asked), status_code=_SEE_OTHER)


def _form_threads(request: Request) -> FormThreads:
    threads: FormThreads = request.app.state.form_threads
    return threads
