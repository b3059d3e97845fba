"""Which routes has every noun of the registry? The same four, so that they are alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from evenhand.core.access.roles import Action
from evenhand.hub.problems import CREATED
from evenhand.hub.table import API, Body, Entry

Endpoint: TypeAlias = Callable[..., Any]


def registered_entries(
    noun: str,
    *,
    list_all: Endpoint,
    create: Endpoint,
    get: Endpoint,
    change: Endpoint | None = None,
) -> tuple[Entry, ...]:
    """The routes of a noun: whoever reads lists and looks, operators make and change.

    Args:
        noun: in the singular, with blanks between its words.
        list_all: what answers with a page of them.
        create: what makes one.
        get: what answers with one.
        change: what changes one; None where nothing of it ever changes.
    """
    path = f"{API}/{noun.replace(' ', '-')}s"
    one = f"{path}/{{{noun.replace(' ', '_')}_id}}"
    a_noun = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    entries = (
        Entry(
            method="GET",
            path=path,
            endpoint=list_all,
            action=Action.READ,
            summary=f"List {noun}s",
            problems=(422,),
        ),
        Entry(
            method="POST",
            path=path,
            endpoint=create,
            action=Action.WRITE,
            summary=f"Register {a_noun}",
            body=Body.OBJECT,
            status=CREATED,
            problems=(409,),
        ),
        Entry(
            method="GET",
            path=one,
            endpoint=get,
            action=Action.READ,
            summary=f"One {noun}",
            problems=(404,),
        ),
    )
    if change is None:
        return entries
    changing = Entry(
        method="PATCH",
        path=one,
        endpoint=change,
        action=Action.WRITE,
        summary=f"Change {a_noun}",
        body=Body.OBJECT,
        problems=(404, 409),
    )
    return (*entries, changing)
