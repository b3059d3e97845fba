"""Does a result pass ``--fail-on-regression``? The command turns the answer into an exit code."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from evenhand.core.verdict import VerdictState


class FlagResult(StrEnum):
    """What the strict flag says of a result."""

    PASS = "pass"  # noqa: S105 -- an answer, not a password
    REGRESSION = "regression"
    NOT_COMPARABLE = "not_comparable"


def regression_flag(state: VerdictState, *, is_regression: bool) -> FlagResult:
    """The answer of the strict flag.

    A first known result passes: there is nothing to fall behind. What cannot be compared does
    not pass, for "no regression" would be a guess.

    Args:
        state: of the result against the previous one.
        is_regression: whether a tolerated drop was exceeded; looked at only when comparable.

    Source: statements BP-23, G-12.
    """
    match state:
        case VerdictState.COMPARABLE:
            return FlagResult.REGRESSION if is_regression else FlagResult.PASS
        case VerdictState.BASELINE:
            return FlagResult.PASS
        case VerdictState.UNKNOWN | VerdictState.MISMATCH:
            return FlagResult.NOT_COMPARABLE
        case _:
            assert_never(state)
