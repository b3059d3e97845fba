"""``evenhand reviews labels``, ``agreement`` and ``waive``: what may be told as grounded, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.registering import ACTOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.adapters.formats.label_file import FiledLabel
    from evenhand.core.review.agreement import Agreement
    from evenhand.core.review.labels import LabelledCohort
    from evenhand.usecases.ports import Ids, UnitOfWork
    from evenhand.usecases.reviews.grounding import Labelled, Recorded

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_PROJECT: Final = click.option(
    "--project", required=True, metavar="PROJECT", help="Name or id of the project."
)


@click.command()
@click.argument("file", type=_FILE)
@_PROJECT
@click.option("--cohort", required=True, metavar="NAME", help="Whose cases the labels are of.")
@click.option(
    "--cohort-kind",
    type=click.Choice(["cases", "inputs"]),
    default="cases",
    show_default=True,
    help="By what the cases are told.",
)
@json_option
@click.pass_context
def labels(
    ctx: click.Context, *, file: Path, project: str, cohort: str, cohort_kind: str, as_json: bool
) -> None:
    """Record what people say of reviewed cases, for good.

    FILE is JSON Lines or CSV with case_id, practice_revision_id, label (good or bad), labeller (a
    pseudonym) and labelled_at. What is stored already is left as it is; where a line breaks a rule
    nothing is stored.
    """
    from evenhand.adapters.formats.label_file import by_revision, read_labels
    from evenhand.core.review.labels import LabelledCohort
    from evenhand.core.review.states import CohortKind
    from evenhand.usecases.registry.finding import find_project

    filed = by_revision(read_labels(file))
    app = app_of(ctx)

    def work(uow: UnitOfWork) -> list[Labelled]:
        owner = find_project(uow, project).id
        return [
            _stored(
                uow,
                LabelledCohort(
                    practice_revision_id=revision, kind=CohortKind(cohort_kind), name=cohort
                ),
                found,
                file=file.name,
                project_id=owner,
                ids=app.ids,
            )
            for revision, found in filed.items()
        ]

    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: find_project(uow, project))
    done = app.database.run(work)
    stored, known = sum(one.stored for one in done), sum(one.known for one in done)
    if as_json:
        print_json({"stored": stored, "known": known})
        return
    click.echo(f"{stored} labels stored, {known} were there already")


@click.command()
@click.argument("strata", nargs=-1, required=True, metavar="STRATUM")
@_PROJECT
@click.option(
    "--labels",
    "file",
    type=_FILE,
    metavar="FILE",
    help="Compare with these labels instead, and record nothing.",
)
@json_option
@quiet_option
@click.pass_context
def agreement(
    ctx: click.Context,
    *,
    strata: tuple[str, ...],
    project: str,
    file: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Record how the reviews of one stratum agree with people, for good.

    Prints the number of cases that both labelled, the share labelled alike and Cohen's kappa. With
    50 cases or more what the stratum finds may be told as grounded. The same labels and findings
    are recorded once.
    """
    from evenhand.reports.review_documents import agreement_document, recorded_document
    from evenhand.reports.reviews_grounding import agreement_lines, recorded_lines
    from evenhand.usecases.registry.finding import find_project
    from evenhand.usecases.reviews import grounding

    app = app_of(ctx)
    if file is not None:
        counted = _compared(ctx, strata, project, file)
        if as_json:
            print_json(agreement_document(counted))
            return
        for line in agreement_lines(counted):
            click.echo(line)
        return

    def work(uow: UnitOfWork) -> Recorded:
        owner = find_project(uow, project).id
        return grounding.record(uow, owner, strata, actor=ACTOR, ids=app.ids)

    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: find_project(uow, project))
    done = app.database.run(work)
    if not done.is_new:
        remark("it was recorded before; nothing was changed", quiet=quiet)
    if as_json:
        print_json(recorded_document(done.agreement))
        return
    for line in recorded_lines(done.agreement):
        click.echo(line)


@click.command()
@click.argument("revision")
@click.option("--reason", required=True, metavar="TEXT", help="Why; each number shows it.")
@json_option
@click.pass_context
def waive(ctx: click.Context, *, revision: str, reason: str, as_json: bool) -> None:
    """Let a revision be told as grounded without enough labels, for good.

    REVISION is the id of a revision of a practice. Every number that rests on it shows who waived
    it, when and why.
    """
    from evenhand.reports.review_documents import waiver_document
    from evenhand.reports.reviews_grounding import waiver_lines
    from evenhand.usecases.registry.practices import get_revision
    from evenhand.usecases.reviews import grounding

    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: get_revision(uow, revision))
    made = app.database.run(
        lambda uow: grounding.waive(uow, revision, reason, actor=ACTOR, ids=app.ids)
    )
    if as_json:
        print_json(waiver_document(made))
        return
    for line in waiver_lines(made):
        click.echo(line)


def _stored(
    uow: UnitOfWork,
    of: LabelledCohort,
    found: Sequence[FiledLabel],
    *,
    file: str,
    project_id: str,
    ids: Ids,
) -> Labelled:
    """Record labels of one revision; a refusal names the line."""
    from evenhand.core.errors import InvalidFile
    from evenhand.core.errors.review import LabelsConflict, ReviewNotFound
    from evenhand.usecases.reviews import grounding

    said = [one.said for one in found]
    try:
        return grounding.add_labels(uow, of, said, project_id=project_id, actor=ACTOR, ids=ids)
    except LabelsConflict as error:
        raise InvalidFile(file, error.rule, line=found[error.index].line) from None
    except ReviewNotFound:
        rule = "practice_revision_id is of no practice of this project"
        raise InvalidFile(file, rule, line=found[0].line) from None


def _compared(ctx: click.Context, strata: tuple[str, ...], project: str, file: Path) -> Agreement:
    from evenhand.adapters.formats.label_file import by_revision, read_labels
    from evenhand.usecases.registry.finding import find_project
    from evenhand.usecases.reviews import reading

    filed = by_revision(read_labels(file))
    said = {revision: [one.said for one in found] for revision, found in filed.items()}

    def read(uow: UnitOfWork) -> Agreement:
        return reading.agreement_of(uow, find_project(uow, project).id, strata, said)

    return app_of(ctx).stored.read(read)
