"""Which pages does a console have? An address for each of its routes, found by following links."""

from collections import Counter, deque
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.routing import Match

from evenhand.console.app import GUARDED
from tests.console.conftest import Page

#: Of each route so many addresses are followed: what leads on differs from one to another.
_EACH = 3
#: Files to save, and a part of a page that the page itself asks for.
_NO_PAGES = (".csv", "/progress")


def page_routes() -> tuple[str, ...]:
    """Paths of all routes that answer with a page."""
    return tuple(
        route.path
        for route in GUARDED
        if "GET" in (route.methods or ()) and not route.path.endswith(_NO_PAGES)
    )


def pages_of(get: Callable[[str], Page]) -> dict[str, str]:
    """Path of a route → the first address of it that a link leads to; pages only.

    Args:
        get: the page at a path, as somebody who is let in sees it.
    """
    found: dict[str, str] = {}
    followed: Counter[str] = Counter()
    waiting, seen = deque(["/console/"]), {"/console/"}
    while waiting:
        address = waiting.popleft()
        route = route_of(address)
        if route is None or followed[route] == _EACH:
            continue
        followed[route] += 1
        page = get(address)
        if page.status != 200 or "text/html" not in page.response.headers["content-type"]:
            continue
        found.setdefault(route, address)
        links = [one for one in page.links() if one.startswith("/console") and one not in seen]
        seen.update(links)
        waiting.extend(links)
    return found


def route_of(address: str) -> str | None:
    """Path of the route that an address belongs to."""
    scope = {"type": "http", "method": "GET", "path": urlsplit(address).path}
    for route in GUARDED:
        if route.matches(scope)[0] is Match.FULL:
            return route.path
    return None
