"""What becomes of a request whose client leaves before its answer? It is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from starlette.requests import Request

T = TypeVar("T")

#: Seconds after which a request is given up when its client leaves.
_WATCHED_AFTER: Final = 0.05


async def unless_it_leaves(request: Request, doing: Coroutine[Any, Any, T]) -> T | BaseException:
    """What was given, or why nothing was: with CancelledError, because the client has left."""
    me = asyncio.current_task()
    assert me is not None  # noqa: S101 -- a request is answered in a task
    loop = asyncio.get_running_loop()
    leaving: asyncio.Task[None] | None = None
    has_left = False

    def _leave(_: object) -> None:
        nonlocal has_left
        has_left = True
        me.cancel()

    def _watch() -> None:
        nonlocal leaving
        leaving = loop.create_task(_wait_for_leaving(request))
        leaving.add_done_callback(_leave)

    # Most are answered sooner than it would pay to look whether anybody waits.
    watching = loop.call_later(_WATCHED_AFTER, _watch)
    try:
        return await doing
    except asyncio.CancelledError as error:
        if not has_left or me.cancelling() > 1:
            # The hub stops: nothing is answered and nothing kept.
            raise
        return error
    except Exception as error:  # noqa: BLE001 -- kept as what it is, then raised again
        return error
    finally:
        watching.cancel()
        if leaving is not None:
            leaving.remove_done_callback(_leave)
            leaving.cancel()
        if has_left:
            me.uncancel()


async def _wait_for_leaving(request: Request) -> None:
    """Ends when the client is gone. Its body has been read, so nothing else can come."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
