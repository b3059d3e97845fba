"""Run a command of Evenhand and kill the process with SIGKILL before its Nth step in the database.

A step is a statement, a commit, or the rename of a file into its place. Without ``--at`` the command runs to its end; ``--count FILE``
then says how many steps there were.

    python tools/kill_at.py --at 12 -- run example/questions.jsonl example
    python tools/kill_at.py --count steps.txt --entry tests.torture.entry:main -- URL
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine import Engine

DEFAULT_ENTRY = "evenhand.cli.main:main"


class Hook:
    """Counts steps, and ends the process before the one that is asked for."""

    def __init__(self, at: int | None) -> None:
        self.steps = 0
        self._at = at

    def __call__(self, *_: object) -> None:
        """One more step is about to be taken."""
        self.steps += 1
        if self.steps == self._at:
            # No handler, no clean-up, no flush: as a power cut, as far as this process goes.
            os.kill(os.getpid(), signal.SIGKILL)


def on_rename(hook: Hook) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that counts renames, but for those by which Python keeps its bytecode."""

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and not str(arguments[1]).endswith(".pyc"):
            hook()

    return heard


def main() -> None:
    """Attach the hook, run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--at", type=int, help="kill before this step, from 1")
    parser.add_argument("--count", type=Path, help="write the number of steps here at the end")
    parser.add_argument("--entry", default=DEFAULT_ENTRY, help="module:function, takes argv")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    hook = Hook(options.at)
    for moment in ("before_cursor_execute", "commit"):
        event.listen(Engine, moment, hook)
    sys.addaudithook(on_rename(hook))
    module, _, function = options.entry.partition(":")
    try:
        getattr(import_module(module), function)(options.command)
    finally:
        if options.count is not None:
            options.count.write_text(f"{hook.steps}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
