"""Which exit code has a run, and what is said of it on standard error?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.cli.exits import Exit
from evenhand.cli.options import remark

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.scoring.evaluation import Evaluation
    from evenhand.usecases.evaluations import Recorded


def exit_of_run(
    app: App, evaluation: Evaluation, recorded: Recorded | None, given: dict[str, Any]
) -> Exit:
    """The exit code, and on standard error why it is not 0."""
    from evenhand.core.comparison.flag import FlagResult, regression_flag

    if evaluation.failed_share > app.settings.max_failed_share:
        remark(f"error: {_too_many_failed(evaluation)}")
        return Exit.WENT_WRONG
    if recorded is None:
        return Exit.PASS
    comparison = recorded.comparison
    regression = comparison.regression
    answer = regression_flag(
        comparison.verdict.state,
        is_regression=regression is not None and regression.is_regression,
    )
    is_strict = given["fail_on_regression"]
    if answer is FlagResult.PASS:
        return Exit.PASS
    if answer is FlagResult.REGRESSION:
        remark("regression: a pooled rate fell by more than is tolerated", quiet=not is_strict)
        return Exit.FINDING if is_strict else Exit.PASS
    remark(
        f"not compared with the previous run: {comparison.verdict.state.value}",
        quiet=given["quiet"] and not is_strict,
    )
    return Exit.NOT_COMPARABLE if is_strict else Exit.PASS


def _too_many_failed(evaluation: Evaluation) -> str:
    from evenhand.reports.numbers import of_text

    failed = sum(outcome.error_class is not None for outcome in evaluation.outcomes)
    return (
        f"{of_text(failed, len(evaluation.outcomes), 'question')} failed, a larger share than "
        "max_failed_share allows; evenhand --traceback run … --strict shows where the first arose"
    )
