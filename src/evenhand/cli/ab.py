"""``evenhand ab SET CURRENT CANDIDATE…``: both retrievers over one corpus, one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from evenhand import __version__
from evenhand.cli.comparing import Shown, exit_of, report_options, show
from evenhand.cli.declaring import declaration_lines
from evenhand.cli.experiment import build_experiment, experiment_options, run_together
from evenhand.cli.measuring import primary_of, primary_option
from evenhand.cli.no_result import told_in_reports
from evenhand.cli.options import app_of, json_option, quiet_option
from evenhand.cli.report_files import require_no_configured_file, require_report_files

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Experiment, Together
    from evenhand.core.comparison.comparison import Comparison
    from evenhand.core.comparison.set_use import SetUseCounts
    from evenhand.core.scoring.measures import Measure
    from evenhand.reports.comparison_view import ComparisonHints
    from evenhand.usecases.ports import UnitOfWork


@click.command
@click.argument("golden_set", metavar="SET")
@click.argument("current")
@click.argument("candidates", metavar="CANDIDATE...", nargs=-1, required=True)
@experiment_options
@primary_option
@click.option("--privacy", metavar="LEVEL", help="none, metadata, redacted or full.")
@click.option(
    "--save/--no-save", default=True, help="Store each result (the default), or nothing at all."
)
@click.option(
    "--max-failed-share",
    metavar="SHARE",
    help="A larger share of failed questions exits 5 (default 0.1).",
)
@report_options
@json_option
@quiet_option
@click.pass_context
def ab(
    ctx: click.Context,
    /,
    golden_set: str,
    current: str,
    candidates: tuple[str, ...],
    **given: Any,
) -> int:
    """Run two retrievers over one corpus; say which does better.

    Both are put each question in turn, so that neither finds a warmer cache than the other. SET, CURRENT and CANDIDATE are what "evenhand run" takes. The candidate is compared with the
    current side; with several candidates the test of each is corrected for their number.
    With --measure a graded measure decides, whose values are stored with each result.

    Exit codes: 0 for any finished answer; 2 usage; 3 when the two cannot be compared; 4 when
    failed questions decide the answer; 5 when something went wrong or too many questions failed;
    130 for Ctrl-C.
    """
    require_report_files(ctx)
    if len(set(candidates)) < len(candidates):
        raise click.UsageError("a candidate is named twice; each is one test of the family", ctx)
    title = f"{' and '.join(candidates)} against {current} on {golden_set}"
    with told_in_reports("Comparison", title, given):
        app = app_of(
            ctx,
            privacy=given.pop("privacy"),
            depth=given["depth"],
            jobs=given["jobs"],
            max_failed_share=given.pop("max_failed_share"),
        )
        require_no_configured_file(ctx, app)
        primary = primary_of(given["measure"])
        experiment = build_experiment(app, golden_set, current, given, quiet=given["quiet"])
        retrievers = (current, *candidates)
        # Opened before the first question: a database that is behind refuses before an hour of
        # work.
        ready = (lambda: app.database) if given["save"] else None
        together = run_together(app, experiment, retrievers, ready=ready)
        comparisons, uses = (
            _record(app, together, primary)
            if given["save"]
            else (_compare(app, together, primary), None)
        )
    show(
        app,
        [
            Shown(
                comparison=comparison,
                hints=_hints(app, experiment, comparison, operand),
                golden_set=together.evaluations[0].golden_set,
                uses=uses,
            )
            for comparison, operand in zip(comparisons, candidates, strict=True)
        ],
        given,
    )
    return exit_of(app, comparisons)


def _record(
    app: App, together: Together, primary: str | Measure | None
) -> tuple[tuple[Comparison, ...], SetUseCounts | None]:
    """Store each result and the decision, in one transaction."""
    from evenhand.core.comparison.set_use import SetUseKind
    from evenhand.core.comparison.side import stored_as
    from evenhand.core.scoring.measures import Measure
    from evenhand.usecases.comparisons import note_uses
    from evenhand.usecases.evaluations import record

    unstored = _compare(app, together, primary)
    measures = [primary] if isinstance(primary, Measure) else []

    def work(uow: UnitOfWork) -> tuple[tuple[Comparison, ...], SetUseCounts | None]:
        records = [
            record(
                uow,
                one,
                id=app.ids.new(),
                policy=app.policy,
                release=__version__,
                measures=measures,
            ).record
            for one in together.evaluations
        ]
        current = stored_as(unstored[0].current, records[0])
        comparisons = tuple(
            replace(one, current=current, candidate=stored_as(one.candidate, row))
            for one, row in zip(unstored, records[1:], strict=True)
        )
        ids = [app.ids.new() for _ in comparisons]
        return comparisons, note_uses(uow, comparisons, kind=SetUseKind.AB, ids=ids)

    return app.database.run(work)


def _compare(
    app: App, together: Together, primary: str | Measure | None
) -> tuple[Comparison, ...]:
    from evenhand.cli.checking import corpus_checks
    from evenhand.core.comparison.checks import Which
    from evenhand.core.comparison.comparison import as_candidates, compare_sides
    from evenhand.core.comparison.side import fresh_side
    from evenhand.core.privacy import LevelPolicy, PrivacyLevel
    from evenhand.core.scoring.details import build_rankings

    # Looked at here and now, whatever may be kept.
    everything = LevelPolicy(level=PrivacyLevel.FULL)
    current, *candidates = (
        fresh_side(one, rankings=build_rankings(one, everything)) for one in together.evaluations
    )
    roles = [Which.CURRENT, *(Which.CANDIDATE for _ in candidates)]
    of_current, *of_candidates = corpus_checks(
        app, list(zip(together.corpora, roles, (current, *candidates), strict=True))
    )
    golden_set = together.evaluations[0].golden_set
    return as_candidates(
        [
            compare_sides(
                current, one, primary=primary, golden_set=golden_set, checks=of_current + found
            )
            for one, found in zip(candidates, of_candidates, strict=True)
        ]
    )


def _hints(
    app: App, experiment: Experiment, comparison: Comparison, operand: str
) -> ComparisonHints:
    from evenhand.core.verdict import VerdictState
    from evenhand.reports.comparison_view import ComparisonHints
    from evenhand.reports.wording import ab_command

    unknown = [
        (typed, side.retriever)
        for typed, side in (
            (experiment.retriever, comparison.current),
            (operand, comparison.candidate),
        )
        if side.identity is None
    ]
    command = ""
    if comparison.verdict.state is VerdictState.MISMATCH:
        # Both ran on these labels under this protocol, so it is the corpora that they state.
        measure = () if comparison.graded is None else ("--measure", str(comparison.graded))
        pair = ab_command(experiment.golden_set, experiment.retriever, operand, *measure)
        command = f"{pair} --corpus PATH"
    return ComparisonHints(
        command=command,
        golden_set=experiment.golden_set,
        current=experiment.retriever,
        candidate=operand,
        declaration="\n\n".join(
            dict.fromkeys(
                declaration_lines(app, experiment.declared, typed, name) for typed, name in unknown
            )
        ),
    )
