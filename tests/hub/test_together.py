"""Questions that share a trip: what waits goes with the next, and nobody hears what is older."""

import asyncio
from collections.abc import Sequence

import pytest

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.hub.together import Together


class Trips:
    """Answers each question with the number of its trip, when it is let go.

    Attributes:
        taken: the questions of each trip.
        begun: released once for each trip.
        may_end: a trip ends when it is released.
    """

    def __init__(self) -> None:
        self.taken: list[list[str]] = []
        self.begun = asyncio.Semaphore(0)
        self.may_end = asyncio.Semaphore(0)

    async def answer(self, questions: Sequence[str]) -> list[int | Exception]:
        self.taken.append(list(questions))
        number = len(self.taken)
        self.begun.release()
        await self.may_end.acquire()
        if "all" in questions:
            raise DatabaseUnavailable("gone")
        return [ValueError(one) if one == "bad" else number for one in questions]


def asking(together: Together[str, int], *questions: str) -> list[asyncio.Task[int]]:
    return [asyncio.ensure_future(together.ask(one)) for one in questions]


def test_what_asks_while_a_trip_is_on_its_way_goes_with_the_next() -> None:
    async def run() -> tuple[list[list[str]], list[int]]:
        trips = Trips()
        together = Together(trips.answer, most_together=2)
        first = asking(together, "a")
        await trips.begun.acquire()
        rest = asking(together, "b", "c", "d")
        for _ in range(3):
            trips.may_end.release()
        return trips.taken, await asyncio.gather(*first, *rest)

    assert asyncio.run(run()) == ([["a"], ["b", "c"], ["d"]], [1, 2, 2, 3])


def test_an_error_is_that_of_its_question_or_of_all_that_went_together() -> None:
    async def run(*questions: str) -> list[object]:
        trips = Trips()
        trips.may_end.release()
        tasks = asking(Together(trips.answer), *questions)
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    one, other = asyncio.run(run("bad", "good"))
    assert isinstance(one, ValueError)
    assert other == 1
    assert [type(found) for found in asyncio.run(run("a", "all"))] == [DatabaseUnavailable] * 2


def test_who_leaves_is_not_asked_for_and_holds_up_nobody() -> None:
    async def run() -> tuple[list[list[str]], int]:
        trips = Trips()
        together = Together(trips.answer)
        first = asking(together, "a")
        await trips.begun.acquire()
        leaving, staying = asking(together, "b", "c")
        await asyncio.sleep(0)
        leaving.cancel()
        first[0].cancel()
        for _ in range(2):
            trips.may_end.release()
        return trips.taken, await staying

    assert asyncio.run(run()) == ([["a"], ["c"]], 2)


def test_one_more_than_may_wait_is_refused_at_once() -> None:
    async def run() -> str:
        trips = Trips()
        together = Together(trips.answer, most_waiting=1)
        tasks = asking(together, "a")
        await trips.begun.acquire()
        tasks += asking(together, "b")
        await asyncio.sleep(0)
        with pytest.raises(DatabaseUnavailable) as refused:
            await together.ask("c")
        for _ in range(2):
            trips.may_end.release()
        await asyncio.gather(*tasks)
        return refused.value.code

    assert asyncio.run(run()) == "hub_full"
