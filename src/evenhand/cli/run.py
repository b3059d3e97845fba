"""``evenhand run SET RETRIEVER``: evaluate, print, store, compare with the previous run."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand import __version__
from evenhand.adapters.retrievers.registry import paste_lines
from evenhand.cli.exits import Exit
from evenhand.cli.experiment import build_experiment, experiment_options, run_experiment
from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.core.comparison.difference import parse_share
from evenhand.core.comparison.flag import FlagResult, regression_flag
from evenhand.core.comparison.previous import Tolerance
from evenhand.reports.verdict_view import Hints
from evenhand.usecases import evaluations

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.scoring.evaluation import Evaluation
    from evenhand.usecases.evaluations import Recorded

_FLAG_EXITS = {
    FlagResult.PASS: Exit.PASS,
    FlagResult.REGRESSION: Exit.FINDING,
    FlagResult.NOT_COMPARABLE: Exit.NOT_COMPARABLE,
}


@click.command
@click.argument("golden_set", metavar="SET")
@click.argument("retriever")
@experiment_options
@click.option("--privacy", metavar="LEVEL", help="none, metadata, redacted or full.")
@click.option("--no-save", is_flag=True, help="Store nothing and compare with nothing.")
@click.option(
    "--fail-on-regression",
    is_flag=True,
    help="Exit 1 on a regression, 3 when the two runs cannot be compared.",
)
@click.option(
    "--max-top1-drop",
    metavar="SHARE",
    default="0.1",
    show_default=True,
    help="Tolerated drop of the pooled top-1 rate.",
)
@click.option(
    "--max-top3-drop",
    metavar="SHARE",
    default="0.1",
    show_default=True,
    help="Tolerated drop of the pooled top-3 rate.",
)
@click.option(
    "--max-failed-share",
    metavar="SHARE",
    help="A larger share of failed questions exits 5 (default 0.1).",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Also write a self-contained HTML page.",
)
@click.option("-v", "--verbose", is_flag=True, help="Also name missed questions.")
@json_option
@quiet_option
@click.pass_context
def run(ctx: click.Context, /, golden_set: str, retriever: str, **given: Any) -> int:
    """Evaluate RETRIEVER on the golden set SET, store the result, compare it with the last one.

    SET is a file (evenhand.golden/1 as JSONL or YAML), a BEIR folder, an imported set or
    module:attribute. RETRIEVER is a name from the configuration, bm25, lexical, dense, fusion,
    module:attribute, cmd:…, http://… or a TREC run file.

    The previous run is the immediately preceding one of the same set and retriever. Exit codes:
    0; with --fail-on-regression 1 for a regression and 3 where the two cannot be compared;
    2 usage; 5 when something went wrong or too many questions failed; 130 for Ctrl-C.
    """
    app = app_of(
        ctx,
        privacy=given.pop("privacy"),
        depth=given["depth"],
        jobs=given["jobs"],
        max_failed_share=given.pop("max_failed_share"),
    )
    tolerance = Tolerance(
        max_top1_drop=parse_share("--max-top1-drop", given.pop("max_top1_drop")),
        max_top3_drop=parse_share("--max-top3-drop", given.pop("max_top3_drop")),
    )
    experiment = build_experiment(app, golden_set, retriever, given, quiet=given["quiet"])
    if not given["no_save"]:
        _ = app.database  # a database that is behind refuses before an hour of retrieval
    _, evaluation = run_experiment(app, experiment)
    recorded = None if given["no_save"] else _record(app, evaluation, tolerance)
    hints = Hints(
        command=f"evenhand run {shlex.quote(golden_set)} {shlex.quote(retriever)}",
        declaration=paste_lines(evaluation.retriever, retriever),
        tolerance=tolerance,
    )
    _show(evaluation, recorded, hints, given)
    return _exit_code(app, evaluation, recorded, strict=given["fail_on_regression"])


def _show(
    evaluation: Evaluation, recorded: Recorded | None, hints: Hints, given: dict[str, Any]
) -> None:
    from evenhand.reports.subject import fresh_subject  # reports bring rich, so on use

    comparison = None if recorded is None else recorded.comparison
    subject = fresh_subject(evaluation, None if recorded is None else recorded.record)
    if given["report"] is not None:
        from evenhand.reports.html import render_evaluation_html

        page = render_evaluation_html(subject, comparison=comparison, hints=hints)
        given["report"].write_text(page, encoding="utf-8")
        remark(f"report: {given['report']}", quiet=given["quiet"])
    if given["as_json"]:
        from evenhand.reports.as_json import evaluation_document

        print_json(evaluation_document(subject, comparison))
        return
    from evenhand.reports.terminal import make_console, print_evaluation

    print_evaluation(
        subject,
        make_console(sys.stdout),
        comparison=comparison,
        hints=hints,
        verbose=given["verbose"],
    )


def _record(app: App, evaluation: Evaluation, tolerance: Tolerance) -> Recorded:
    return app.database.run(
        lambda uow: evaluations.record(
            uow,
            evaluation,
            id=app.ids.new(),
            policy=app.policy,
            release=__version__,
            tolerance=tolerance,
        )
    )


def _exit_code(
    app: App, evaluation: Evaluation, recorded: Recorded | None, *, strict: bool
) -> Exit:
    if evaluation.failed_share > app.settings.max_failed_share:
        return Exit.WENT_WRONG
    if recorded is None or not strict:
        return Exit.PASS
    comparison = recorded.comparison
    regressed = comparison.regression is not None and comparison.regression.is_regression
    return _FLAG_EXITS[regression_flag(comparison.verdict.state, is_regression=regressed)]
