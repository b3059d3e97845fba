"""``evenhand compare CURRENT CANDIDATE``: two results that are there, and what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.comparing import Shown, exit_of, report_options, show
from evenhand.cli.measuring import primary_of, primary_option
from evenhand.cli.no_result import told_in_reports
from evenhand.cli.operands import FileOperands, read_file_operand, require_two_files
from evenhand.cli.options import app_of, json_option, quiet_option
from evenhand.cli.report_files import require_no_configured_file, require_report_files

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.bootstrap import App
    from evenhand.core.comparison.comparison import Comparison
    from evenhand.core.comparison.set_use import SetUseCounts
    from evenhand.core.comparison.side import Side
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.reports.comparison_view import ComparisonHints
    from evenhand.usecases.comparisons import Operand

#: Stands for a golden set whose place is not known.
_SET: Final = "SET"
#: How many results of a query a TREC run customarily holds.
_WHOLE_RUN: Final = 1000


@click.command
@click.argument("current")
@click.argument("candidate")
@click.option(
    "--set", "golden_set", metavar="SET", help="Results of this set; its questions are named."
)
@click.option("--qrels", metavar="SET", help="Golden set by which a TREC run file is scored.")
@click.option(
    "--corpus", metavar="PATH|LABEL", help="The corpus on which the run files were made."
)
@click.option("--split", metavar="NAME", help="Judgements of a BEIR folder (default test).")
@primary_option
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="Results of a run file that are read (default 12; 1000 with a graded --measure).",
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
def compare(ctx: click.Context, /, current: str, candidate: str, **given: Any) -> int:
    """Compare two results: may they be compared, which is better?

    CURRENT and CANDIDATE are an evaluation's id or a unique prefix of one, "latest", "previous",
    "baseline", a retriever's name (its latest result), a baseline file, or a TREC run file with
    --qrels and --corpus. Differences are candidate less current.

    Two results of a holdout part are told in sums, without any question, and each comparison of
    them is counted as a reading of it.

    With --measure a graded measure decides, by the grades of the judgements; the verdict is then
    that of its own benchmark, which a changed grade or another depth moves too.

    Exit codes: 0 for any finished answer; 2 usage; 3 when the two cannot be compared; 4 when
    failed questions decide the answer; 5 when something went wrong or too many questions failed.
    """
    require_report_files(ctx)
    with told_in_reports("Comparison", f"{candidate} against {current}", given):
        app, shown = _compare(ctx, current, candidate, given)
    show(app, [shown], given)
    return exit_of(app, [shown.comparison])


def _compare(
    ctx: click.Context, current: str, candidate: str, given: dict[str, Any]
) -> tuple[App, Shown]:
    from evenhand.core.comparison.comparison import compare_sides
    from evenhand.core.scoring.measures import Measure

    app = app_of(ctx, max_failed_share=given.pop("max_failed_share"))
    require_no_configured_file(ctx, app)
    primary = primary_of(given["measure"])
    require_two_files(current, candidate, app.project_root)
    asked = _named_set(app, given)
    files = FileOperands(
        app=app,
        qrels=given["qrels"] or given["golden_set"],
        corpus=given["corpus"],
        split=given["split"],
        depth=given["depth"] or (_WHOLE_RUN if isinstance(primary, Measure) else None),
    )
    operands = [read_file_operand(one, files) or one for one in (current, candidate)]
    identifier = asked.identifier if asked is not None else given["golden_set"]
    sides, at_hand = _find(app, operands[0], operands[1], identifier)
    typed_set, seen = _seen(app, sides[1].set_identifier, given, is_known=at_hand is not None)
    golden_set = asked or files.golden_set or at_hand or seen
    comparison = compare_sides(*sides, golden_set=golden_set, primary=primary)
    uses = _note(app, comparison)
    hints = replace(_hints(given, sides, (current, candidate)), golden_set=typed_set)
    return app, Shown(comparison=comparison, hints=hints, golden_set=golden_set, uses=uses)


def _named_set(app: App, given: dict[str, Any]) -> GoldenSet | None:
    """The set that ``--set`` names, None where it is only an identifier of stored results."""
    from pathlib import Path

    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.core.errors.retrieval import GoldenSetNotFound

    if given["golden_set"] is None or _is_other_folder(Path(given["golden_set"])):
        return None
    try:
        return resolve_golden_set(
            given["golden_set"], app.golden_set_context(), split=given["split"]
        ).golden_set
    except GoldenSetNotFound:
        return None


def _seen(
    app: App, identifier: str, given: dict[str, Any], *, is_known: bool
) -> tuple[str, GoldenSet | None]:
    """What a user types for the set of a stored result, and the set where that is not known yet.

    Without a reference that works here, the word that stands for one.
    """
    from pathlib import Path

    from evenhand.adapters.formats.sets import is_golden_set_path, read_golden_set
    from evenhand.adapters.seen_sets import recall_set
    from evenhand.core.errors import EvenhandError

    typed = given["golden_set"] or given["qrels"]
    if typed is not None or is_known:
        return typed or identifier, None
    reference = recall_set(app.settings.state_folder, identifier)
    if reference is None or not is_golden_set_path(Path(reference)):
        # A module is only named: looking at stored results runs nobody's code.
        return reference or _SET, None
    try:
        found = read_golden_set(Path(reference), split=given["split"]).golden_set
    except EvenhandError:
        return _SET, None
    return (reference, found) if found.identifier == identifier else (_SET, None)


def _is_other_folder(path: Path) -> bool:
    """Whether a folder of that name is there that holds no set: then it is an identifier."""
    from evenhand.adapters.formats.sets import is_golden_set_path

    return path.is_dir() and not is_golden_set_path(path)


def _find(
    app: App, current: Operand, candidate: Operand, set_identifier: str | None
) -> tuple[tuple[Side, Side], GoldenSet | None]:
    """Both sides, and the imported set of that identifier; in one read."""
    from evenhand.core.comparison.side import Side
    from evenhand.usecases.comparisons import find_with_set

    if isinstance(current, Side) and isinstance(candidate, Side):
        # Nothing of the store is asked for, so none is made.
        return (current, candidate), None

    return app.stored.read(
        lambda uow: find_with_set(uow, current, candidate, set_identifier=set_identifier)
    )


def _note(app: App, comparison: Comparison) -> SetUseCounts | None:
    """Note the decision where both results are stored ones; two files leave no trace.

    Of a holdout part each comparison is a reading and noted, files or not.
    """
    from evenhand.core.comparison.set_use import SetUseKind
    from evenhand.usecases.comparisons import is_use, note_uses

    if not is_use(comparison):
        return None
    return app.database.run(
        lambda uow: note_uses(uow, [comparison], kind=SetUseKind.COMPARE, ids=[app.ids.new()])
    )


def _hints(
    given: dict[str, Any], sides: tuple[Side, Side], typed: tuple[str, str]
) -> ComparisonHints:
    import shlex

    from evenhand.core.scoring.evaluation import Basis
    from evenhand.reports.comparison_view import ComparisonHints

    command = ""
    lacking = [one for one in sides if one.identity is None and one.basis is Basis.IMPORTED]
    if lacking and given["corpus"] is None and given["qrels"] is not None:
        # A run file says nothing of a corpus: whoever has it knows on which it was made.
        measure = () if given["measure"] is None else ("--measure", given["measure"])
        command = shlex.join(
            [
                "evenhand",
                "compare",
                *typed,
                *measure,
                "--qrels",
                given["qrels"],
                "--corpus",
                "LABEL",
            ]
        )
    return ComparisonHints(golden_set=given["golden_set"] or "", command=command)
