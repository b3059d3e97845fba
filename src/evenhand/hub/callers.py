"""Who asks, and whom may it call by which name? Read anew for every request, and for many at once.

Nothing is kept of an answer: a credential that was revoked, or a route that was changed, were it
by another process, counts for the next request. All that is remembered is which model a token
asked for last, so that it is looked up along with the caller; where another one is asked for, it
is looked up then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from evenhand.core.access.roles import Principal
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.gateway import ModelNotFound
from evenhand.core.gateway.call import Target
from evenhand.hub.parts import KNOWN
from evenhand.hub.together import Together
from evenhand.usecases import access
from evenhand.usecases.gateway.targets import find_target
from evenhand.usecases.ports import NotAtHand, SharedRunner, UnitOfWork

T = TypeVar("T")

Found: TypeAlias = Target | ModelNotFound

#: Of how many tokens it is remembered what they asked for last.
MOST_REMEMBERED: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A caller, as the database knew it when the request came.

    Attributes:
        principal: who it is.
        token: that it showed; shown by no representation.
        targets: whom some names mean for it, read in the same transaction.
    """

    principal: Principal
    token: str | None = field(repr=False)
    targets: Mapping[str, Found] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Question:
    token: str | None = field(repr=False)
    model: str | None


@dataclass(frozen=True, slots=True)
class _Named:
    principal: Principal
    model: str


class Callers:
    """Finds callers and targets; of one event loop.

    Args:
        database: what is read.
    """

    def __init__(self, database: SharedRunner) -> None:
        self._database = database
        self._callers: Together[_Question, Known] = Together(self._know)
        self._targets: Together[_Named, Target] = Together(self._mean)
        self._asked_last: dict[str, str] = {}

    async def know(self, token: str | None) -> Known:
        """Who shows a token.

        Args:
            token: None where none was shown.

        Raises:
            Unauthenticated: nobody whom the hub knows.
            DatabaseUnavailable: it cannot be told.
        """
        model = None if token is None else self._asked_last.get(token)
        return await self._callers.ask(_Question(token, model))

    async def target(self, known: Known, model: str) -> Target:
        """Whom the name of a model means for a caller.

        Raises:
            ModelNotFound: nobody that it may call.
            DatabaseUnavailable: it cannot be told.
        """
        found = known.targets.get(model)
        if isinstance(found, Target):
            return found
        if found is not None:
            raise found
        target = await self._targets.ask(_Named(known.principal, model))
        self._remember(known.token, model)
        return target

    def _remember(self, token: str | None, model: str) -> None:
        if token is None:
            return
        if len(self._asked_last) >= MOST_REMEMBERED:
            self._asked_last.clear()
        self._asked_last[token] = model

    async def _know(self, questions: Sequence[_Question]) -> list[Known | Exception]:
        def _read(uow: UnitOfWork) -> dict[_Question, Known | Exception]:
            return {question: _known(uow, question) for question in dict.fromkeys(questions)}

        found = await self._look_up(_read)
        return [found[question] for question in questions]

    async def _mean(self, questions: Sequence[_Named]) -> list[Target | Exception]:
        def _read(uow: UnitOfWork) -> dict[_Named, Found]:
            return {one: _meant(uow, one.principal, one.model) for one in dict.fromkeys(questions)}

        found = await self._look_up(_read)
        return [found[question] for question in questions]

    async def _look_up(self, read: Callable[[UnitOfWork], T]) -> T:
        """What was read: at once where that takes no time to speak of, else in a thread."""
        try:
            return self._database.glance(read)
        except NotAtHand:
            return await run_in_threadpool(self._database.read, read)


def callers_of(request: HTTPConnection) -> Callers:
    """Those of the hub that a request came to."""
    callers: Callers = request.app.state.callers
    return callers


def known_of(request: HTTPConnection) -> Known:
    """What was read of who asks; there is somebody on every route that is not open."""
    known: Known = request.scope[KNOWN]
    return known


def _known(uow: UnitOfWork, question: _Question) -> Known | Exception:
    try:
        principal = access.authenticate(uow, question.token)
    except EvenhandError as error:
        return error
    targets: dict[str, Found] = {}
    if question.model is not None:
        targets[question.model] = _meant(uow, principal, question.model)
    return Known(principal=principal, token=question.token, targets=targets)


def _meant(uow: UnitOfWork, principal: Principal, model: str) -> Found:
    try:
        return find_target(uow, principal, model)
    except ModelNotFound as error:
        return error
