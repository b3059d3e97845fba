"""What need not be made twice? What was costly to make of rows that never change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

from starlette.requests import Request

T = TypeVar("T")

#: How many things are remembered; the one that was asked for longest ago makes room.
SIZE: Final = 64


class Remembered:
    """Values by what they were made of.

    Args:
        size: how many, at least 1.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._lock = Lock()
        self._held: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not remembered.

        Args:
            key: everything that the value depends on, its kind included.
            make: makes it; two who ask at once may both do so.
        """
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                found: T = self._held[key]
                return found
        made = make()
        with self._lock:
            self._held[key] = made
            self._held.move_to_end(key)
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return made


def remembered_of(request: Request) -> Remembered:
    """What the console that a request came to remembers."""
    found: Remembered = request.app.state.remembered
    return found
