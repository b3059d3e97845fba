from collections.abc import Iterator
from threading import Barrier, current_thread, get_ident, main_thread

import pytest

from evenhand.adapters.scoring.threads import map_together, work_together


def test_each_thread_works_and_the_caller_is_one_of_them() -> None:
    meet = Barrier(3, timeout=60)

    def work() -> int:
        meet.wait()
        return get_ident()

    assert len(set(found := work_together(work, threads=3))) == 3
    assert get_ident() in found


def test_results_keep_the_order_of_the_items() -> None:
    meet = Barrier(2, timeout=60)

    def shout(word: str) -> str:
        if word in {"a", "b"}:
            meet.wait()
        return word.upper()

    assert map_together(shout, ["a", "b", "c"], threads=2) == ["A", "B", "C"]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_one_raises_is_raised_and_nothing_more_is_taken(threads: int) -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    def fail(number: int) -> int:
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"\d+"):
        map_together(fail, items(), threads=threads)
    assert len(taken) <= threads


def test_what_another_thread_raises_reaches_the_caller() -> None:
    meet = Barrier(2, timeout=60)

    def work() -> None:
        meet.wait()
        if current_thread() is not main_thread():
            raise KeyError("there")

    with pytest.raises(KeyError, match="there"):
        work_together(work, threads=2)
