"""How does a row of the table become a route of the framework? At its first request, for all hubs.

The framework looks at signatures and builds validators for every route, milliseconds each, and most
processes are asked for a few. So a row stands among the routes with its address only, and the rest
is made when a request comes or the API is described. Nothing of a route belongs to one application:
what does is found through the request.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, get_type_hints

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from evenhand.hub.problems import DESCRIBED, MEDIA_TYPE
from evenhand.hub.table import Entry
from evenhand.hub.threads import in_writer_thread

SCHEME: Final = "bearer"
#: The content of a refusal.
PROBLEM: Final = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


class EntryRoute(Route):
    """The route of a row, which applications may share.

    Args:
        entry: a row that is not plain.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.path, entry.endpoint, methods=[entry.method])
        # It would answer HEAD, too, which the table does not know.
        self.methods = {entry.method}
        self._entry = entry

    @cached_property
    def made(self) -> APIRoute:
        """What the framework knows of it."""
        return _made(self._entry)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to the address of the row."""
        await self.made.handle(scope, receive, send)


def route_of(entry: Entry) -> BaseRoute:
    """The route of a row, which applications may share."""
    if not entry.is_plain:
        return EntryRoute(entry)
    # The gate calls it itself; here it stands among the routes that there are.
    plain = Route(entry.path, entry.endpoint, methods=[entry.method])
    plain.methods = {entry.method}
    return plain


def _made(entry: Entry) -> APIRoute:
    options = dict(entry.options)
    responses: dict[int | str, dict[str, Any]] = {
        status: {"description": DESCRIBED[status], "content": PROBLEM}
        for status in entry.possible_problems
    }
    if entry.also:
        shape = get_type_hints(entry.endpoint)["return"]
        responses |= {
            status: {"description": DESCRIBED[status], "model": shape} for status in entry.also
        }
    return APIRoute(
        entry.path,
        in_writer_thread(entry.endpoint) if entry.writes else entry.endpoint,
        methods=[entry.method],
        summary=entry.summary,
        status_code=entry.status,
        responses=responses | options.pop("responses", {}),
        openapi_extra=None if entry.is_open else {"security": [{SCHEME: []}]},
        **options,
    )
