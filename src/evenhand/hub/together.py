"""How do many requests share one trip to the database? What asks meanwhile goes with the next.

A trip to a thread and to the database costs as much for one as for many. So while one is on its
way, whatever asks waits for the next, which takes all of it; there is no timer. A trip begins after
whoever goes with it has asked, so an answer is never older than its question.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from evenhand.core.errors.database import DatabaseUnavailable

Q = TypeVar("Q")
A = TypeVar("A")

#: How many go together at most, and how many may wait; more are refused at once.
MOST_TOGETHER: Final = 256
MOST_WAITING: Final = 4096
_FULL: Final = "too many requests wait for the database; try again"


class Together(Generic[Q, A]):
    """Answers questions together, first come, first served; of one event loop.

    Args:
        answer: the answers to some questions, in their order; an exception among them is raised
            where its question was asked, one that it raises is for all of them.
        most_together: how many questions it is asked at a time, at least 1.
        most_waiting: how many may wait, at least 1.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Q]], Awaitable[Sequence[A | Exception]]],
        *,
        most_together: int = MOST_TOGETHER,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._answer = answer
        self._most_together = most_together
        self._most_waiting = most_waiting
        self._waiting: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._trips: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> A:
        """The answer to a question.

        Raises:
            DatabaseUnavailable: too many wait (``hub_full``); nothing was begun.
        """
        if len(self._waiting) >= self._most_waiting:
            raise DatabaseUnavailable(_FULL, code="hub_full")
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[A] = loop.create_future()
        self._waiting.append((question, mine))
        if self._trips is None or self._trips.done():
            self._trips = loop.create_task(self._travel())
        return await mine

    async def _travel(self) -> None:
        """One trip after the other, until nothing waits."""
        while self._waiting:
            number = min(len(self._waiting), self._most_together)
            taken = [self._waiting.popleft() for _ in range(number)]
            # Whoever left while it waited is not asked for.
            going = [one for one in taken if not one[1].done()]
            if going:
                await self._go(going)

    async def _go(self, going: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        answers: Sequence[A | Exception]
        try:
            answers = await self._answer([question for question, _ in going])
        except Exception as error:  # noqa: BLE001 -- raised where each of them was asked
            answers = [error] * len(going)
        for (_, future), answer in zip(going, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
