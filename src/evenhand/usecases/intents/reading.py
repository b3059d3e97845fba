"""What is told of comparisons: history, one of them, and what a client is to do.

A reader must not be told that a claim runs which is over. So each of these has to be asked through
`unless_expired`, and after `telling.interrupt_expired` where that finds something to end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evenhand.core.comparison.concluded import Concluded
from evenhand.core.comparison.intent import Intent
from evenhand.core.errors.comparison import ComparisonNotFound
from evenhand.usecases.ports import UnitOfWork

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A comparison and what came of it.

    Attributes:
        intent: the record.
        concluded: None where it was not completed.
    """

    intent: Intent
    concluded: Concluded | None


def unless_expired(uow: UnitOfWork, read: Callable[[UnitOfWork], T]) -> tuple[T] | None:
    """Result of a read, in a tuple; None where some claim is over that nobody has ended yet."""
    return None if uow.intents.has_expired(uow.now()) else (read(uow),)


def tell_all(uow: UnitOfWork, intents: Sequence[Intent]) -> tuple[Told, ...]:
    """Some comparisons with what came of them, in the order given."""
    concluded = uow.intents.list_concluded([intent.id for intent in intents])
    return tuple(Told(intent=one, concluded=concluded.get(one.id)) for one in intents)


def tell_one(uow: UnitOfWork, intent: Intent) -> Told:
    """One comparison with what came of it."""
    return tell_all(uow, [intent])[0]


def get_intent(uow: UnitOfWork, intent_id: str) -> Told:
    """One comparison.

    Raises:
        ComparisonNotFound: there is none.
    """
    found = uow.intents.find(intent_id)
    if found is None:
        raise ComparisonNotFound
    return tell_one(uow, found)


def list_history(
    uow: UnitOfWork, *, binding_id: str | None, limit: int, offset: int
) -> tuple[Told, ...]:
    """Newest first, at most ``limit`` behind the first ``offset``; of a binding, or all."""
    return tell_all(
        uow, uow.intents.list_latest(binding_id=binding_id, limit=limit, offset=offset)
    )


def list_assigned(uow: UnitOfWork, client_id: str, *, limit: int) -> tuple[Intent, ...]:
    """What a client has to do, oldest first; nothing of it has come to an end."""
    return uow.intents.list_assigned(client_id, limit=limit)
