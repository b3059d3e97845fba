"""``evenhand``: where the command line begins. Nothing is imported here but on use."""

from __future__ import annotations

import sys

# Not from typing, which takes longer to import than the page may.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELP = (["--help"], ["-h"])
# As in cli.exits, which imports more than the page may.
_WENT_WRONG = 5
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code.

    Args:
        arguments: what stands behind ``evenhand``, by default what the process was given.
    """
    try:
        from evenhand.cli.streams import settle_streams

        settle_streams()
        typed = sys.argv[1:] if arguments is None else list(arguments)
        if typed[:1] == ["score"]:
            _start_lean()
        code = run_command(typed)
        _end_quietly()
        if typed[:1] == ["score"] and arguments is None:
            _end_at_once(code)
    except KeyboardInterrupt:
        # So early that no command had begun, or so late that it was over.
        code = _INTERRUPTED
    sys.exit(code)


def _start_lean() -> None:
    """Leave out what a process that scores and ends has no use for: half of its start-up.

    What it makes is in no cycle, and it solves no equation: the search for garbage finds nothing,
    and numpy's linear algebra needs no threads, which it would begin when it is imported.
    """
    import gc
    import os

    gc.disable()
    os.putenv("OPENBLAS_NUM_THREADS", "1")


def _end_quietly() -> None:
    """Let Ctrl-C from now on end the process at once, which a shell takes for 130.

    What the interpreter does at its end would answer with a traceback, and go on.
    """
    # Of a page of help there is no end to speak of, and this takes longer to import than the page.
    signal = sys.modules.get("signal")
    if signal is not None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _end_at_once(code: int) -> None:
    """End without the interpreter's own tidying, which takes as long as a small run to score.

    What was to be done at the end is done, and nothing is left in a buffer; memory is the
    system's to take back.
    """
    import atexit
    import os

    atexit._run_exitfuncs()  # noqa: SLF001 -- as multiprocessing does, in the same place
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run_command(arguments: list[str]) -> int:
    """Run one command; give its exit code. Messages go to standard error.

    Args:
        arguments: what stands behind ``evenhand``.
    """
    if arguments in _HELP:
        return _print_help()
    if arguments[:1] == ["score"]:
        from evenhand.cli.score_quick import quick_score

        code = quick_score(arguments[1:])
        if code is not None:
            return code
    from evenhand.cli.root import invoke  # click takes longer to import than the page may take

    return invoke(arguments)


def _print_help() -> int:
    from evenhand.cli.help_page import help_page

    try:
        sys.stdout.write(f"{help_page()}\n")
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"error: {error}\n")
        return _WENT_WRONG
    return 0
