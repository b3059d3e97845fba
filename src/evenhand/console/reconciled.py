"""How does a page never show a claim as running that is over? What is over is ended first.

A look at the index says whether there is anything to end; mostly there is not, and then a page
only reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from starlette.requests import Request

from evenhand.console.parts import parts_of
from evenhand.usecases.intents.reading import unless_expired
from evenhand.usecases.intents.telling import interrupt_expired
from evenhand.usecases.ports import UnitOfWork

T = TypeVar("T")


def read_reconciled(request: Request, read: Callable[[UnitOfWork], T]) -> T:
    """Result of a read behind the end of every claim that ran out (C-107).

    Args:
        request: whose console it is.
        read: changes nothing.
    """
    parts = parts_of(request)
    found = parts.database.read(lambda uow: unless_expired(uow, read))
    if found is not None:
        return found[0]
    parts.database.run(lambda uow: interrupt_expired(uow, ids=parts.ids))
    return parts.database.read(read)
