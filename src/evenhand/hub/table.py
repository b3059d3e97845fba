"""Which routes are there, and who may call which? One table, looked up before anything else.

A request that no row fits is refused before a credential is looked at: what addresses there are is
no secret, it stands in the API's own description. A route that the framework knows and that has no
row here cannot be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from starlette.routing import compile_path

from evenhand.core.access.roles import Action
from evenhand.hub.problems import Refusal

API: Final = "/api/v1"
#: Under which everything speaks as OpenAI's API does, what is not there too.
_GATEWAY: Final = "/v1"


class Body(Enum):
    """What a route does with a body."""

    #: It is not read.
    IGNORED = "ignored"
    #: Nothing, or an empty object.
    EMPTY = "empty"
    #: One JSON object.
    OBJECT = "object"
    #: One JSON object, which the route itself reads out of the bytes.
    BYTES = "bytes"


class Form(Enum):
    """In which form a route refuses."""

    #: A problem of RFC 9457.
    PROBLEM = "problem"
    #: What clients of OpenAI's API read.
    OPENAI = "openai"


def form_at(path: str) -> Form:
    """In which form is refused at an address, whether or not a route fits it."""
    is_gateway = path == _GATEWAY or path.startswith(f"{_GATEWAY}/")
    return Form.OPENAI if is_gateway else Form.PROBLEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One route.

    Attributes:
        method: GET, POST or PATCH.
        path: with names in braces.
        endpoint: what answers.
        action: what a caller must be allowed to do; None where everybody may call.
        summary: half a line for the API's description.
        body: what it does with a body.
        most_bytes: how many a body may have, whatever the hub's own limit is beyond it; None where
            that alone counts.
        status: of an answer that is no problem.
        also: further statuses of an answer of the same shape.
        problems: statuses of problems beside those that every route of its kind can have.
        options: what else the framework is told.
        described: its operation in the API's document, by hand; None where the framework
            describes it. A route that is described by hand is a plain one: it takes a request
            and gives a response, and the framework neither reads nor writes anything for it.
    """

    method: str
    path: str
    endpoint: Callable[..., Any]
    action: Action | None
    summary: str
    body: Body = Body.IGNORED
    most_bytes: int | None = None
    status: int = 200
    also: tuple[int, ...] = ()
    problems: tuple[int, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    described: Mapping[str, Any] | None = None

    @property
    def form(self) -> Form:
        """In which form it refuses."""
        return form_at(self.path)

    @property
    def is_open(self) -> bool:
        """Whether no credential is asked for."""
        return self.action is None

    @property
    def is_plain(self) -> bool:
        """Whether it takes a request and gives a response, without the framework."""
        return self.described is not None

    @property
    def writes(self) -> bool:
        """Whether it is there to change what is stored; one that reads may leave a note."""
        return self.method != "GET" and self.action not in (Action.READ, Action.READ_OWN)

    @property
    def possible_problems(self) -> tuple[int, ...]:
        """Every status of a problem that it can answer with, ascending."""
        guarded = () if self.is_open else (401, 403, 503)
        # OpenAI's form knows no 422 for what a client got wrong.
        refused = (400, 413, 415) if self.form is Form.OPENAI else (400, 413, 415, 422)
        read = () if self.body is Body.IGNORED else refused
        return tuple(sorted({500, *guarded, *read, *self.problems}))


class Table:
    """The routes of a hub.

    Args:
        entries: no two of the same method and path.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._rows = tuple((compile_path(entry.path)[0], entry) for entry in self.entries)
        # Most requests come to an address without names, so those are not searched for each time.
        self._plain = {
            entry.path: self._search(entry.path) for entry in self.entries if "{" not in entry.path
        }

    def find(self, method: str, path: str) -> Entry:
        """The row of a request.

        Raises:
            Refusal: nothing has this address (``route_not_found``), or not with this method
                (``method_not_allowed``, with the methods that it has).
        """
        there = self._plain.get(path) or self._search(path)
        if not there:
            raise Refusal("route_not_found")
        for entry in there:
            if entry.method == method:
                return entry
        allowed = ", ".join(sorted({entry.method for entry in there}))
        raise Refusal("method_not_allowed", headers={"Allow": allowed})

    def _search(self, path: str) -> list[Entry]:
        # The whole path: a pattern that ends in $ also fits before a last line feed.
        return [entry for pattern, entry in self._rows if pattern.fullmatch(path)]
