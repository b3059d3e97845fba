"""Which exit code does an outcome have? The one table (DESIGN 6).

0 pass; 1 only from a finished verdict or a finished check that found something; 2 usage; 3 not
comparable where a comparison was demanded; 4 inconclusive or incomplete; 5 anything that went
wrong; 130 Ctrl-C.
"""

from __future__ import annotations

from enum import IntEnum

from evenhand.core.errors import EvenhandError, Invalid, NotFound, UnwritableFile
from evenhand.core.errors.retrieval import InvalidRanking


class Exit(IntEnum):
    """Exit codes of every command."""

    PASS = 0
    FINDING = 1
    USAGE = 2
    NOT_COMPARABLE = 3
    INCONCLUSIVE = 4
    WENT_WRONG = 5
    INTERRUPTED = 130


def exit_code_of(error: EvenhandError) -> Exit:
    """Usage for what the user named or wrote wrongly, else "went wrong"."""
    if isinstance(error, InvalidRanking | UnwritableFile):
        return Exit.WENT_WRONG
    return Exit.USAGE if isinstance(error, Invalid | NotFound) else Exit.WENT_WRONG
