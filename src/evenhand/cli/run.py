"""``evenhand run SET RETRIEVER``: evaluate, print, store, compare with the previous run."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.checking import fresh_checks
from evenhand.cli.declaring import declaration_lines
from evenhand.cli.experiment import (
    build_experiment,
    experiment_options,
    pair_options,
    run_experiment,
    run_together,
    typed_again,
)
from evenhand.cli.measuring import measures_again, measures_of, measures_option
from evenhand.cli.no_result import told_in_reports
from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.publishing import (
    PROJECT_HELP,
    print_answer,
    require_sendable,
    send_fresh,
    with_answer,
)
from evenhand.cli.report_files import require_no_configured_file, require_report_files
from evenhand.cli.run_exit import exit_of_run
from evenhand.cli.run_keeping import keep_run, read_given
from evenhand.core.errors import EvenhandError

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Experiment
    from evenhand.core.comparison.previous import Tolerance
    from evenhand.core.scoring.evaluation import Evaluation
    from evenhand.core.scoring.measures import Measure
    from evenhand.reports.subject import Subject
    from evenhand.reports.verdict_view import Hints
    from evenhand.usecases.evaluations import Recorded
    from evenhand.usecases.ports import HubAnswer


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
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write a self-contained HTML page.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Run N passes; say whether the rankings stay the same. The first one is kept.",
)
@click.option(
    "--answers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Answers of the pipeline to store beside the run.",
)
@click.option("--hub", "is_sent", is_flag=True, help="Also send the result to the hub.")
@click.option("--project", metavar="NAME", help=PROJECT_HELP)
@measures_option
@click.option("-v", "--verbose", is_flag=True, help="Also name missed questions.")
@json_option
@quiet_option
@click.pass_context
def run(ctx: click.Context, /, golden_set: str, retriever: str, **given: Any) -> int:
    """Evaluate a retriever on a golden set, store it, compare it.

    SET is a file (evenhand.golden/1 as JSONL or YAML), a BEIR folder, an imported set or
    module:attribute. RETRIEVER is a name from the configuration, bm25, lexical, dense,
    module:attribute, cmd:…, http://… or a TREC run file. A fusion of several is configured first.

    It is compared with the previous run, which is the immediately preceding one of the same set
    and retriever, and with their pinned baseline where there is one. Where that one declared nothing, run once to record the identity (the state is
    then unknown), and again for the strict check.

    With --answers the answers of FILE are stored beside it, one JSON object a line: query_id,
    answer, and the labels prompt and model. Their texts are kept at privacy level full, digest and
    length from metadata up, and they are never sent.

    With --hub it is also sent to the hub at hub_url, which scores it anew: rankings with the
    questions and labels where the privacy level is full, else ranks of judged documents by
    position and no id and no text. The result stays stored here whatever the hub says.

    Exit codes: 0; with --fail-on-regression 1 for a regression and 3 where the two cannot be
    compared; 2 usage; 5 when something went wrong or too many questions failed; 130 for Ctrl-C.
    """
    _require_sense(ctx, given)
    with told_in_reports("Result", f"{retriever} on {golden_set}", given, with_summary=False):
        app = app_of(
            ctx,
            privacy=given.pop("privacy"),
            depth=given["depth"],
            jobs=given["jobs"],
            max_failed_share=given.pop("max_failed_share"),
        )
        require_no_configured_file(ctx, app)
        if given["is_sent"]:
            require_sendable(ctx, app, given)
        tolerance = _tolerance(given)
        measures = measures_of(given.pop("measures"))
        experiment = build_experiment(app, golden_set, retriever, given, quiet=given["quiet"])
        answers = read_given(app, experiment, given.pop("answers"))
        # Opened before the first question: a database that is behind refuses before an hour of
        # work.
        ready = None if given["no_save"] else lambda: app.database
        together = run_together(app, experiment, (experiment.retriever,), ready=ready)
        evaluation = together.evaluations[0]
        again = [run_experiment(app, experiment) for _ in range(given["repeat"] - 1)]
        kept = (
            None if given["no_save"] else keep_run(app, evaluation, tolerance, measures, answers)
        )
    recorded = None if kept is None else kept.recorded
    hints = replace(
        _hints(app, experiment, evaluation, tolerance, measures),
        checks=(*fresh_checks(app, together, again), *(() if kept is None else kept.checks)),
        baseline=None if kept is None else kept.baseline,
        history=() if kept is None else kept.history,
    )
    sent = None if recorded is None else send_fresh(app, evaluation, recorded.record, given)
    _show(_subject(evaluation, recorded, measures), recorded, hints, given, sent)
    if isinstance(sent, EvenhandError):
        # What was measured is stored and shown; that it did not get there still went wrong.
        raise sent
    return exit_of_run(app, evaluation, recorded, given)


def _require_sense(ctx: click.Context, given: dict[str, Any]) -> None:
    """Refuse before any work what could not be done, or not be meant, at its end."""
    if given["no_save"] and given["fail_on_regression"]:
        raise click.UsageError(
            "--fail-on-regression needs the comparison that --no-save leaves out", ctx
        )
    if given["no_save"] and given["is_sent"]:
        raise click.UsageError("--hub sends a stored result, and --no-save stores none", ctx)
    if given["no_save"] and given["answers"] is not None:
        raise click.UsageError("--answers is stored, and --no-save stores nothing", ctx)
    if given["project"] is not None and not given["is_sent"]:
        raise click.UsageError("--project says where --hub sends the result to", ctx)
    require_report_files(ctx)


def _tolerance(given: dict[str, Any]) -> Tolerance:
    from evenhand.core.comparison.difference import parse_share
    from evenhand.core.comparison.previous import Tolerance

    return Tolerance(
        max_top1_drop=parse_share("--max-top1-drop", given.pop("max_top1_drop")),
        max_top3_drop=parse_share("--max-top3-drop", given.pop("max_top3_drop")),
    )


def _hints(
    app: App,
    experiment: Experiment,
    evaluation: Evaluation,
    tolerance: Tolerance,
    measures: Sequence[Measure],
) -> Hints:
    from evenhand.reports.verdict_view import Hints
    from evenhand.reports.wording import BEFORE, ab_command

    return Hints(
        command=shlex.join(
            ("evenhand", "run", *typed_again(experiment), *measures_again(measures))
        ),
        declaration=declaration_lines(
            app, experiment.declared, experiment.retriever, evaluation.retriever
        ),
        pair=ab_command(
            experiment.golden_set, BEFORE, experiment.retriever, *pair_options(experiment)
        ),
        tolerance=tolerance,
    )


def _subject(
    evaluation: Evaluation, recorded: Recorded | None, measures: Sequence[Measure]
) -> Subject:
    from evenhand.core.scoring.graded import fresh_scores
    from evenhand.reports.subject import fresh_subject

    record = None if recorded is None else recorded.record
    return fresh_subject(evaluation, record, graded=fresh_scores(evaluation, measures))


def _show(
    subject: Subject,
    recorded: Recorded | None,
    hints: Hints,
    given: dict[str, Any],
    sent: HubAnswer | EvenhandError | None,
) -> None:
    answer = None if isinstance(sent, EvenhandError) else sent
    comparison = None if recorded is None else recorded.comparison
    if given["as_json"]:
        from evenhand.reports.as_json import evaluation_document

        document = evaluation_document(subject, comparison, hints.checks, baseline=hints.baseline)
        print_json(with_answer(document, answer))
    else:
        from evenhand.reports.terminal import make_console, print_evaluation

        print_evaluation(
            subject,
            make_console(sys.stdout),
            comparison=comparison,
            hints=hints,
            verbose=given["verbose"],
        )
        print_answer(answer)
    if given["report"] is not None:
        from evenhand.adapters.formats.whole_file import writing
        from evenhand.reports.html import render_evaluation_html

        page = render_evaluation_html(subject, comparison=comparison, hints=hints)
        with writing(given["report"]) as stream:
            stream.write(page.encode())
        remark(f"report: {given['report']}", quiet=given["quiet"])
