"""``evenhand baseline``: the result that later ones are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.options import app_of, json_option, print_json, print_lines, quiet_option, remark
from evenhand.usecases import baselines as verbs
from evenhand.usecases import evaluations

if TYPE_CHECKING:
    from evenhand.bootstrap import App

_ACTOR = "command line"


@click.group()
def baseline() -> None:
    """Set, show and export the results to compare with.

    A baseline is set for a golden set and a retriever, and only by this command. It holds its own
    copy of counts and outcomes: no purge of evaluations takes it away, and setting another keeps
    it in the history.
    """


@baseline.command("set")
@click.argument("reference")
@click.option("--note", metavar="TEXT", default="", help="Why; kept with the baseline.")
@json_option
@quiet_option
@click.pass_context
def set_command(
    ctx: click.Context, reference: str, *, note: str, as_json: bool, quiet: bool
) -> None:
    """Make a stored evaluation, or the content of a baseline file, the baseline.

    REFERENCE is an id, a unique prefix of one (at least four characters), "latest", "previous"
    (the one before the latest, of its set and retriever), or a file that evenhand baseline export wrote. An evaluation whose retriever does not say what was run
    is refused: nothing could be compared with it. So is a result in which a larger share of
    questions failed than the setting max_failed_share allows; that exits 5.
    """
    from evenhand.reports.baselines import baseline_document, baseline_lines

    done = _pin(app_of(ctx), reference, note)
    if as_json:
        replaced = None if done.replaced is None else done.replaced.id
        print_json({**baseline_document(done.baseline), "replaced": replaced})
    else:
        for line in baseline_lines(done.baseline):
            click.echo(line)
    if done.benchmark_changed:
        remark(
            "its benchmark is another one than the former baseline's: results that could be "
            "compared with that one cannot be compared with this one",
            quiet=quiet,
        )


@baseline.command()
@click.argument("set_identifier", metavar="[SET_ID", required=False)
@click.argument("retriever", metavar="RETRIEVER]", required=False)
@json_option
@click.pass_context
def show(
    ctx: click.Context, *, set_identifier: str | None, retriever: str | None, as_json: bool
) -> None:
    """Show the active baseline of a set and retriever, or all active ones."""
    from evenhand.reports.baselines import baseline_document, baseline_lines

    _require_pair(ctx, set_identifier, retriever)
    app = app_of(ctx)
    if set_identifier is None:
        found = app.stored.read(verbs.list_active)
    else:
        found = (app.stored.read(lambda uow: verbs.get_active(uow, set_identifier, retriever)),)
    if as_json:
        print_json([baseline_document(one) for one in found])
        return
    for one in found:
        for line in baseline_lines(one):
            click.echo(line)
    if not found:
        remark("no baseline is set; evenhand baseline set REFERENCE sets one")


@baseline.command()
@click.argument("set_identifier", metavar="[SET_ID]", required=False)
@click.argument("retriever", metavar="[RETRIEVER]", required=False)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many."
)
@json_option
@click.pass_context
def history(
    ctx: click.Context,
    *,
    set_identifier: str | None,
    retriever: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List every baseline that was ever set, newest first."""
    from evenhand.reports.baselines import baseline_document, history_lines

    found = app_of(ctx).stored.read(
        lambda uow: verbs.history(uow, set_identifier, retriever, limit=limit)
    )
    if as_json:
        print_json([baseline_document(one) for one in found])
        return

    print_lines(history_lines(found))
    if not found:
        remark("no baseline was set")


@baseline.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("set_identifier", metavar="[SET_ID", required=False)
@click.argument("retriever", metavar="RETRIEVER]", required=False)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
@click.pass_context
def export(ctx: click.Context, /, file: Path, **given: Any) -> None:
    """Write an active baseline to FILE, to be committed.

    The file (evenhand.baseline/2) holds fingerprints, labels, counts and outcomes by position;
    no id and no text of a question or document. SET_ID and RETRIEVER may be left out where only
    one baseline is active. That of a holdout part holds its outcomes too, since evenhand gate
    --holdout --baseline FILE pairs them: keep the file from those who tune.
    """
    from evenhand.adapters.formats.baseline_file import write_baseline
    from evenhand.core.retrieval.golden import is_holdout_identifier
    from evenhand.reports.baselines import baseline_document

    set_identifier, retriever = given["set_identifier"], given["retriever"]
    _require_pair(ctx, set_identifier, retriever)
    if file.exists() and not given["force"]:
        raise click.UsageError("the file is there; --force replaces it", ctx)
    found = app_of(ctx).stored.read(lambda uow: verbs.get_active(uow, set_identifier, retriever))
    write_baseline(file, found)
    if is_holdout_identifier(found.set_identifier):
        remark(
            "held out: the file shows by position how each question went; keep it from those who "
            "tune",
            quiet=given["quiet"],
        )
    if given["as_json"]:
        print_json(baseline_document(found))
    remark(f"wrote {file}", quiet=given["quiet"])


def _pin(app: App, reference: str, note: str) -> verbs.Pinned:
    path, level = Path(reference), app.settings.privacy
    share = app.settings.max_failed_share
    if path.is_file():
        from evenhand.adapters.formats.baseline_file import read_baseline

        content = read_baseline(path)
        return app.database.run(
            lambda uow: verbs.set_from_file(
                uow,
                content,
                id=app.ids.new(),
                level=level,
                actor=_ACTOR,
                note=note,
                max_failed_share=share,
            )
        )
    return app.database.run(
        lambda uow: verbs.set_from_evaluation(
            uow,
            evaluations.find(uow, reference),
            id=app.ids.new(),
            level=level,
            actor=_ACTOR,
            note=note,
            max_failed_share=share,
        )
    )


def _require_pair(ctx: click.Context, set_identifier: str | None, retriever: str | None) -> None:
    if (set_identifier is None) is not (retriever is None):
        raise click.UsageError("name the golden set and the retriever, or neither", ctx)
