"""How do several threads share one piece of work?

In place of a pool of ``concurrent.futures``, which imports ``logging`` and takes longer to do so
than a run of some thousand rows takes to read. The caller is one of the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock, Thread
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def work_together(work: Callable[[], Result], *, threads: int) -> list[Result]:
    """What each thread made of the work, in no order.

    Args:
        work: done by each thread until there is none left.
        threads: how many, at least 1.

    Raises:
        BaseException: what ``work`` raised first, after every thread has ended.
    """
    done: list[Result] = []
    failed: list[BaseException] = []

    def one() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 -- raised by the caller
            failed.append(error)

    others = [Thread(target=one, daemon=True) for _ in range(threads - 1)]
    for other in others:
        other.start()
    one()
    for other in others:
        other.join()
    if failed:
        raise failed[0]
    return done


def map_together(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int
) -> list[Result]:
    """The function of each item, in the order of the items, which are taken one by one.

    Args:
        function: called in any thread.
        items: iterated over by one thread at a time.
        threads: as `work_together`.

    Raises:
        BaseException: what the function or the items raised first; nothing more is taken then.
    """
    numbered = enumerate(items)
    lock = Lock()
    found: dict[int, Result] = {}
    stopped = False

    def work() -> None:
        nonlocal stopped
        try:
            while not stopped:
                with lock:
                    taken = next(numbered, None)
                if taken is None:
                    return
                found[taken[0]] = function(taken[1])
        except BaseException:
            stopped = True
            raise

    work_together(work, threads=threads)
    return [found[number] for number in range(len(found))]
