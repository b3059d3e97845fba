"""A progress bar on standard error, when somebody is there to see it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from evenhand.usecases.ports import Progress


@contextmanager
def progress_bar(what: str, total: int, *, quiet: bool) -> Iterator[Progress | None]:
    """A bar over ``total`` units; None when quiet or when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield _Advance(bar.advance, task)


class _Advance:
    def __init__(self, advance: object, task: object) -> None:
        self._advance = advance
        self._task = task

    def advance(self, done: int) -> None:
        self._advance(self._task, done)  # type: ignore[operator]
