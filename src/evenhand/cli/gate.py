"""``evenhand gate SET RETRIEVER``: evaluate, hold against the baseline, say pass or fail."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.checking import candidate_checks
from evenhand.cli.comparing import with_history
from evenhand.cli.declaring import declaration_lines
from evenhand.cli.exits import Exit
from evenhand.cli.experiment import (
    build_experiment,
    experiment_options,
    run_together,
    typed_again,
)
from evenhand.cli.gate_talk import say_why
from evenhand.cli.no_result import told_in_reports
from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.report_files import require_no_configured_file, require_report_files

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Experiment
    from evenhand.core.comparison.gate_policy import GatePolicy
    from evenhand.core.comparison.gate_result import GateResult
    from evenhand.gating import GateRun
    from evenhand.reports.comparison_view import ComparisonHints
    from evenhand.reports.gate_view import GateView

_INIT = "init"


@click.command
@click.argument(
    "file", default="gate.toml", type=click.Path(dir_okay=False, path_type=Path), metavar="[FILE]"
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
@click.pass_context
def init(ctx: click.Context, /, file: Path, *, force: bool, as_json: bool, quiet: bool) -> None:
    """Write a commented gate policy to FILE, by default gate.toml.

    It says what holds without a policy, line by line, ready to be changed and committed.
    """
    from evenhand.adapters.formats.gate_policy import default_policy_text
    from evenhand.adapters.formats.whole_file import writing
    from evenhand.reports.safe_text import encodable, shown_text

    # A link that leads nowhere is there, too: writing would follow it.
    if (file.exists() or file.is_symlink()) and not force:
        raise click.UsageError("the file is there; --force replaces it", ctx)
    with writing(file) as stream:
        stream.write(default_policy_text().encode())
    if as_json:
        print_json({"written": encodable(str(file), "utf-8")})
    remark(f"wrote {shown_text(str(file), limit=None)}", quiet=quiet)


class _Gate(click.Command):
    """The gate, and ``gate init``. A set that is called so is named ``./init``."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if args[:1] == [_INIT]:
            return init.make_context(f"{info_name} {_INIT}", args[1:], parent=parent, **extra)
        return super().make_context(info_name, args, parent=parent, **extra)


@click.command(cls=_Gate, epilog='"evenhand gate init [FILE]" writes a commented policy.')
@click.argument("golden_set", metavar="SET")
@click.argument("retriever")
@click.option(
    "--policy",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="What is demanded; by default gate.toml in the project root, else built-in.",
)
@click.option(
    "--baseline",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="A baseline file, instead of the active baseline of the store.",
)
@click.option("--allow-first", is_flag=True, help="Without a baseline, do not exit 3.")
@click.option(
    "--holdout",
    is_flag=True,
    help="Ask only the questions of the set that are held out; each such reading is counted.",
)
@experiment_options
@click.option("--privacy", metavar="LEVEL", help="none, metadata, redacted or full.")
@click.option(
    "--save/--no-save",
    default=True,
    help="Store the result and the decision (the default), or nothing at all.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write a self-contained HTML page of the comparison or, without one, of the result.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write JUnit XML, one test case per demand.",
)
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write Markdown; in a GitHub workflow it goes to the summary too.",
)
@click.option("-v", "--verbose", is_flag=True, help="Name every question that was listed.")
@json_option
@quiet_option
@click.pass_context
def gate(ctx: click.Context, /, golden_set: str, retriever: str, **given: Any) -> int:
    """Hold a retriever against its baseline; say pass or fail.

    SET and RETRIEVER are what "evenhand run" takes: it is evaluated as there. The baseline is the active one of this set
    and retriever, or that of a file.

    With --holdout the questions marked "holdout: true" are asked, and no others. They are a set
    of their own, with the identifier SET.holdout and a baseline of its own. No other command
    asks them, each reading is noted for "evenhand sets show", and no question is named.

    Exit codes: 0 pass, or inconclusive with a warning; 1 fail; 2 usage; 3 when there is no
    baseline or the two cannot be compared; 4 inconclusive where the policy refuses that, and
    incomplete; 5 when something went wrong or too many questions failed; 130 for Ctrl-C.
    """
    require_report_files(ctx)
    with told_in_reports("Gate", f"{retriever} on {golden_set}", given):
        app, experiment, done = _decide(ctx, golden_set, retriever, given)
    code = exit_of(done.gated.result, done.plan.policy)
    hints = _hints(app, experiment, done)
    if given["report"] is not None and done.plan.needs_store:
        hints = with_history(app, hints, done.gated.candidate)
    _show(done, hints, code, given)
    _write(done, hints, given)
    say_why(app, done, experiment, code, quiet=given["quiet"])
    return code


def _decide(
    ctx: click.Context, golden_set: str, retriever: str, given: dict[str, Any]
) -> tuple[App, Experiment, GateRun]:
    from evenhand.gating import build_plan, run_gate

    app = app_of(ctx, privacy=given.pop("privacy"), depth=given["depth"], jobs=given["jobs"])
    require_no_configured_file(ctx, app)
    plan = build_plan(
        app,
        policy=given.pop("policy"),
        baseline=given.pop("baseline"),
        allow_first=given.pop("allow_first"),
        save=given.pop("save"),
        is_holdout=given.pop("holdout"),
    )
    experiment = replace(
        build_experiment(app, golden_set, retriever, given, quiet=given["quiet"]),
        is_holdout=plan.is_holdout,
    )
    # Opened before the first question: a database that is behind refuses before an hour of work.
    ready = (lambda: app.database) if plan.needs_store else None
    together = run_together(app, experiment, (experiment.retriever,), ready=ready)
    found = candidate_checks(app, together)
    return app, experiment, run_gate(app, together.evaluations[0], plan, checks=found)


def exit_of(result: GateResult, policy: GatePolicy) -> Exit:
    """The exit code of a decided gate (DESIGN 6)."""
    from evenhand.core.comparison.gate_policy import OnInconclusive
    from evenhand.core.comparison.gate_result import GateState

    if result.went_wrong:
        return Exit.WENT_WRONG
    if result.state is GateState.INCONCLUSIVE and policy.inconclusive is OnInconclusive.WARN:
        return Exit.PASS
    return {
        GateState.PASS: Exit.PASS,
        GateState.FAIL: Exit.FINDING,
        GateState.INCOMPARABLE: Exit.NOT_COMPARABLE,
        GateState.INCONCLUSIVE: Exit.INCONCLUSIVE,
        GateState.INCOMPLETE: Exit.INCONCLUSIVE,
    }[result.state]


def _hints(app: App, experiment: Experiment, done: GateRun) -> ComparisonHints:
    from evenhand.reports.comparison_view import ComparisonHints

    candidate, comparison = done.gated.candidate, done.gated.comparison
    return ComparisonHints(
        golden_set=experiment.golden_set,
        command=shlex.join(("evenhand", "gate", *typed_again(experiment), "--holdout"))
        if experiment.is_holdout
        else "",
        current="BEFORE" if comparison is not None else "",
        candidate=experiment.retriever,
        declaration=""
        if candidate.identity is not None
        else declaration_lines(
            app, experiment.declared, experiment.retriever, candidate.retriever
        ),
    )


def _view(done: GateRun, hints: ComparisonHints) -> GateView:
    from evenhand.reports.gate_view import build_gate_view

    return build_gate_view(
        done.gated,
        golden_set=done.named_set,
        policy=done.plan.policy_source,
        hints=hints,
        uses=done.uses,
    )


def _show(done: GateRun, hints: ComparisonHints, code: Exit, given: dict[str, Any]) -> None:
    if given["as_json"]:
        from evenhand.reports.gate_json import gate_document

        print_json(
            gate_document(
                done.gated,
                golden_set=done.named_set,
                policy=done.plan.policy_source,
                exit_code=code.value,
                hints=hints,
                uses=done.uses,
            )
        )
        return
    from evenhand.reports.terminal import make_console
    from evenhand.reports.terminal_gate import print_gate

    print_gate(_view(done, hints), make_console(sys.stdout), verbose=given["verbose"])


def _write(done: GateRun, hints: ComparisonHints, given: dict[str, Any]) -> None:
    from evenhand.adapters.formats.whole_file import add_to, writing
    from evenhand.core.comparison.gate_policy import OnInconclusive
    from evenhand.settings import SUMMARY, step_summary

    view = _view(done, hints)
    pages: dict[str, bytes] = {}
    if given["report"] is not None:
        pages["report"] = _html(done, view).encode()
    if given["junit"] is not None:
        from evenhand.reports.junit import gate_junit

        refuses = done.plan.policy.inconclusive is OnInconclusive.FAIL
        pages["junit"] = gate_junit(view, inconclusive_fails=refuses)
    summary, text = step_summary(), ""
    if given["markdown"] is not None or summary is not None:
        from evenhand.reports.gate_markdown import gate_markdown

        text = gate_markdown(view)
        if given["markdown"] is not None:
            pages["markdown"] = text.encode()
    for name, page in pages.items():
        with writing(given[name]) as stream:
            stream.write(page)
        remark(f"{name}: {given[name]}", quiet=given["quiet"])
    if summary is not None:
        # Last, so that whatever is wrong with it, the files that were asked for are there.
        add_to(summary, text.encode(), named_by=SUMMARY)


def _html(done: GateRun, view: GateView) -> str:
    from evenhand.reports.evaluation_view import build_evaluation_view
    from evenhand.reports.html import render_gate_html
    from evenhand.reports.subject import fresh_subject

    subject = fresh_subject(done.evaluation, done.record)
    if done.named_set is None:
        subject = replace(subject, golden_set=None, questions=None, answers=None)
    return render_gate_html(view, build_evaluation_view(subject))
