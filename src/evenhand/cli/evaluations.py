"""``evenhand evaluations``: what is stored, and its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.evaluations_publish import publish, set_at_hand
from evenhand.cli.measuring import measures_of, measures_option
from evenhand.cli.options import app_of, json_option, print_json, print_lines, quiet_option, remark
from evenhand.cli.purging import confirm_deletion, purge_options

if TYPE_CHECKING:
    pass

_ACTOR = "command line"


@click.group()
def evaluations() -> None:
    """List, show, re-score, move, publish and purge evaluations.

    REFERENCE is an id, a unique prefix of one (at least four characters), "latest", or
    "previous", which is the result before the latest, of its set and retriever.
    """


@evaluations.command("list")
@click.option("--set", "set_identifier", metavar="ID", help="Only this golden set.")
@click.option("--retriever", metavar="NAME", help="Only this retriever.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many."
)
@json_option
@click.pass_context
def list_command(
    ctx: click.Context,
    *,
    set_identifier: str | None,
    retriever: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List stored evaluations, newest first."""
    from evenhand.reports.listing import listing_document, listing_lines

    records = app_of(ctx).stored.read(
        lambda uow: uow.evaluations.list_latest(
            set_identifier=set_identifier, retriever=retriever, limit=limit
        )
    )
    if as_json:
        print_json([listing_document(record) for record in records])
        return
    print_lines(listing_lines(records))
    if not records:
        remark("nothing is stored yet; evenhand run SET RETRIEVER stores an evaluation")


@evaluations.command()
@click.argument("reference")
@click.option("--set", "golden_set", metavar="SET", help="Join names and texts of this set.")
@click.option("-v", "--verbose", is_flag=True, help="Also name missed questions.")
@json_option
@click.pass_context
def show(
    ctx: click.Context, reference: str, *, golden_set: str | None, verbose: bool, as_json: bool
) -> None:
    """Show one stored evaluation.

    The names and texts of questions are joined from an imported set of the same identifier, or
    from --set, and only where its labels are those of the result.
    """
    from evenhand.reports.subject import stored_subject
    from evenhand.usecases import evaluations as verbs

    app = app_of(ctx)
    record, outcomes = app.stored.read(lambda uow: verbs.find_with_outcomes(uow, reference))
    graded = app.stored.read(lambda uow: uow.scores.list_of(record.id))
    asked = set_at_hand(app, golden_set, record.set_identifier)
    subject = stored_subject(record, outcomes, asked, graded=graded)
    if as_json:
        from evenhand.reports.as_json import evaluation_document

        print_json(evaluation_document(subject))
        return
    from evenhand.reports.terminal import make_console, print_evaluation

    print_evaluation(subject, make_console(sys.stdout), verbose=verbose)


@evaluations.command()
@click.argument("reference")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
@click.pass_context
def export(ctx: click.Context, /, reference: str, file: Path, **given: Any) -> None:
    """Write one stored evaluation to FILE, as JSON, or as Parquet where it ends in .parquet.

    Holds aggregates and identities; outcomes from the level metadata up; rankings and details
    only where they were kept at the level full. Parquet needs the extra "frames". Of a holdout
    part it holds what the level none keeps, and nothing question by question.
    """
    from evenhand.reports.export import export_document
    from evenhand.reports.safe_text import shown_text
    from evenhand.usecases import evaluations as verbs

    if file.exists() and not given["force"]:
        raise click.UsageError("the file is there; --force replaces it", ctx)
    kept = app_of(ctx).stored.read(lambda uow: verbs.find_everything(uow, reference))
    if kept.record.is_holdout:
        remark("held out: counts are exported, and no outcomes", quiet=given["quiet"])
    _write(file, export_document(kept))
    if given["as_json"]:
        print_json({"id": kept.record.id, "privacy": kept.record.privacy.value})
    remark(f"wrote {kept.record.id} to {shown_text(str(file), limit=None)}", quiet=given["quiet"])


@evaluations.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@quiet_option
@click.pass_context
def import_command(ctx: click.Context, *, file: Path, as_json: bool, quiet: bool) -> None:
    """Store an evaluation that evaluations export wrote, JSON or Parquet.

    It keeps its id and its time; its basis becomes "imported". Counts and fingerprints are
    computed anew, and a file that states others is refused, as is an id that is stored already.
    One without provenance is unknown. What the configured privacy level does not keep is left out.
    """
    from evenhand.adapters.formats.evaluation_file import read_evaluation
    from evenhand.adapters.formats.evaluation_parquet import SUFFIX, read_parquet
    from evenhand.reports.listing import listing_document, listing_lines
    from evenhand.usecases import evaluations as verbs

    app = app_of(ctx)
    kept = read_parquet(file) if file.suffix == SUFFIX else read_evaluation(file)
    record = app.database.run(lambda uow: verbs.import_kept(uow, kept, policy=app.policy))
    if as_json:
        print_json(listing_document(record))
    else:
        print_lines(listing_lines([record]))
    if record.privacy is not kept.record.privacy:
        remark(f"kept at privacy level {record.privacy.value}", quiet=quiet)
    if record.identity is None:
        remark("it does not say what was run: nothing can be compared with it", quiet=quiet)


@evaluations.command()
@click.argument("reference")
@measures_option
@click.option("--set", "golden_set", metavar="SET", help="The set it ran on, for older results.")
@json_option
@quiet_option
@click.pass_context
def rescore(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Compute graded measures of a stored evaluation, and keep them.

    Nothing is run again and no text is needed: ranks and grades of judged documents were kept
    from the privacy level metadata up. Values that are there already stay as they are. Only a
    result of an earlier release, which kept no grades, needs its golden set at hand. New values
    of a holdout part are counted as a reading of it.
    """
    from evenhand.usecases import evaluations as verbs
    from evenhand.usecases.rescore import rescore as rescored

    measures = measures_of(given["measures"])
    if not measures:
        raise click.UsageError("say with -m which measures, such as -m nDCG@10", ctx)
    app = app_of(ctx)
    record = app.stored.read(lambda uow: verbs.find(uow, reference))
    golden_set = set_at_hand(app, given["golden_set"], record.set_identifier)
    if golden_set is not None and record.is_holdout:
        golden_set = golden_set.holdout_part
    done = app.database.run(
        lambda uow: rescored(uow, record, measures, id=app.ids.new(), golden_set=golden_set)
    )
    if given["as_json"]:
        from evenhand.reports.as_json import graded_document

        graded = list(map(graded_document, done.scores))
        print_json({"id": record.id, "added": done.added, "graded": graded})
    else:
        from evenhand.reports.graded import graded_lines

        for line in graded_lines(done.scores):
            click.echo(line)
    if done.uses is not None:
        from evenhand.reports.comparison_wording import uses_sentence

        remark(uses_sentence(done.uses), quiet=given["quiet"])
    remark(f"{done.added} new, {len(done.scores) - done.added} there before", quiet=given["quiet"])


@evaluations.command()
@purge_options
@json_option
@click.pass_context
def purge(ctx: click.Context, *, older_than: int | None, yes: bool, as_json: bool) -> None:
    """Delete evaluations that were stored more than so many days ago, with all they hold."""
    from evenhand.usecases import evaluations as verbs

    app = app_of(ctx)
    days = app.settings.evaluation_days if older_than is None else older_than
    confirm_deletion(ctx, f"Delete evaluations stored more than {days} days ago?", yes=yes)
    deleted = app.database.run(lambda uow: verbs.purge(uow, days=days, actor=_ACTOR))
    if as_json:
        print_json({"deleted": deleted, "older_than_days": days})
    else:
        from evenhand.reports.numbers import count

        click.echo(f"deleted {count(deleted, 'evaluation')} stored more than {days} days ago")


evaluations.add_command(publish)


def _write(file: Path, document: dict[str, Any]) -> None:
    from evenhand.adapters.formats.evaluation_parquet import SUFFIX, write_parquet

    if file.suffix == SUFFIX:
        write_parquet(file, document)
        return
    import msgspec

    from evenhand.adapters.formats.whole_file import writing

    with writing(file) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
