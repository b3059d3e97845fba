import pytest

from evenhand.core.comparison.flag import FlagResult, regression_flag
from evenhand.core.verdict import VerdictState


@pytest.mark.proves("BP-23", "G-12")
@pytest.mark.parametrize(
    ("state", "is_regression", "result"),
    [
        (VerdictState.COMPARABLE, False, FlagResult.PASS),
        (VerdictState.COMPARABLE, True, FlagResult.REGRESSION),
        (VerdictState.BASELINE, False, FlagResult.PASS),
        (VerdictState.BASELINE, True, FlagResult.PASS),
        (VerdictState.UNKNOWN, False, FlagResult.NOT_COMPARABLE),
        (VerdictState.UNKNOWN, True, FlagResult.NOT_COMPARABLE),
        (VerdictState.MISMATCH, False, FlagResult.NOT_COMPARABLE),
        (VerdictState.MISMATCH, True, FlagResult.NOT_COMPARABLE),
    ],
)
def test_only_a_first_known_result_and_a_comparable_one_can_pass_the_flag(
    state: VerdictState, is_regression: bool, result: FlagResult
) -> None:
    assert regression_flag(state, is_regression=is_regression) is result
