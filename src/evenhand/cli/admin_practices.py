"""``evenhand admin practice``: practices, and what they ask, straight in the configured database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.registering import ACTOR, add_reads, change, change_options, find, make
from evenhand.core.registry.registered import Noun
from evenhand.core.review.states import ArtifactKind

if TYPE_CHECKING:
    from evenhand.core.registry.practice import Practice
    from evenhand.core.review.practice import PracticeRevision
    from evenhand.usecases.ports import UnitOfWork
    from evenhand.usecases.registry.practices import Written

_MOST: Final = 100


@click.group()
def practice() -> None:
    """Create and list practices, and write down what they ask.

    PRACTICE is PROJECT/NAME, or the id of a practice. What is written down never changes; the
    same words again give the same revision.
    """


@practice.command()
@click.argument("name")
@click.option("--project", required=True, metavar="PROJECT", help="Whose it is, for good.")
@json_option
@click.pass_context
def create(ctx: click.Context, *, name: str, project: str, as_json: bool) -> None:
    """Make a practice of a project.

    NAME is 1 to 63 lowercase letters, digits and hyphens. No other practice of the project has it.
    """
    from evenhand.usecases.registry import practices

    make(
        ctx,
        lambda app, uow: practices.create(
            uow,
            project_id=find(uow, Noun.PROJECT, project).id,
            name=name,
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@practice.command("set")
@click.argument("reference", metavar="PRACTICE")
@change_options
@click.pass_context
def set_command(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Take a practice out of use, or back."""
    from evenhand.usecases.registry import practices

    change(ctx, Noun.PRACTICE, reference, practices.change, given)


@practice.command()
@click.argument("reference", metavar="PRACTICE")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title", required=True, metavar="TEXT", help="For people, in one line.")
@click.option(
    "--group",
    default="general",
    show_default=True,
    metavar="TEXT",
    help="Of what belongs together.",
)
@click.option(
    "--of",
    "kind",
    type=click.Choice([one.value for one in ArtifactKind]),
    default=ArtifactKind.ANSWER.value,
    show_default=True,
    help="What it judges.",
)
@json_option
@quiet_option
@click.pass_context
def write(ctx: click.Context, /, reference: str, file: Path, **given: Any) -> None:
    """Write down what a practice asks: the text of FILE, for good."""
    from evenhand.core.review.practice import Criteria
    from evenhand.usecases.registry import practices

    criteria = Criteria(
        artifact_kind=ArtifactKind(given["kind"]),
        title=given["title"],
        group=given["group"],
        text=_text(file),
    )
    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: find(uow, Noun.PRACTICE, reference))

    def work(uow: UnitOfWork) -> Written:
        found: Practice = find(uow, Noun.PRACTICE, reference)
        return practices.write(uow, found.id, criteria, actor=ACTOR, ids=app.ids)

    written = app.database.run(work)
    if not written.is_new:
        remark("it says this already; nothing was changed", quiet=given["quiet"])
    _show((written.revision,), as_json=given["as_json"])


@practice.command()
@click.argument("reference", metavar="PRACTICE")
@json_option
@click.pass_context
def revisions(ctx: click.Context, *, reference: str, as_json: bool) -> None:
    """List what a practice asked, newest first."""

    def read(uow: UnitOfWork) -> tuple[PracticeRevision, ...]:
        found: Practice = find(uow, Noun.PRACTICE, reference)
        return uow.practices.list_revisions(found.id, limit=_MOST)

    _show(app_of(ctx).stored.read(read), as_json=as_json)


def _show(found: tuple[PracticeRevision, ...], *, as_json: bool) -> None:
    from evenhand.reports.review_documents import revision_document
    from evenhand.reports.reviews import revision_lines

    if as_json:
        print_json([revision_document(one) for one in found])
        return
    for line in revision_lines(found):
        click.echo(line)


def _text(file: Path) -> str:
    from evenhand.core.errors import InvalidFile

    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        raise InvalidFile(str(file), "must be text in UTF-8") from None


add_reads(practice, Noun.PRACTICE)
