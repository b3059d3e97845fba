"""A progress bar on standard error, when somebody is there to see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.usecases.ports import Progress


def tracker(*, quiet: bool) -> Callable[[str, int], AbstractContextManager[Progress]]:
    """What opens a bar for a title and a number of units; a silent one when ``quiet``."""
    return lambda title, total: progress_bar(title, total, quiet=quiet)


@contextmanager
def progress_bar(title: str, total: int | None, *, quiet: bool) -> Iterator[Progress]:
    """A bar over ``total`` units; silent when quiet or when standard error is no terminal.

    Where the total is not known beforehand, None, the bar moves and counts.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield _Silent()
        return
    # On use: rich is heavy.
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from evenhand.reports.safe_text import shown_id

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        task = bars.add_task(escape(shown_id(title)), total=total)
        yield _Shown(lambda done: bars.advance(task, done))


class _Silent:
    def advance(self, done: int) -> None:
        """Nobody looks."""


class _Shown:
    def __init__(self, move: Callable[[int], None]) -> None:
        self._move = move

    def advance(self, done: int) -> None:
        self._move(done)
