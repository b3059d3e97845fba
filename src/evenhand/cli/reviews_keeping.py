"""``evenhand reviews purge`` and ``delete``: reviews that are kept no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import app_of, json_option, print_json
from evenhand.cli.purging import confirm_deletion, purge_options
from evenhand.cli.registering import ACTOR

if TYPE_CHECKING:
    from evenhand.usecases.ports import UnitOfWork

_ACTOR: Final = "command line"


@click.command()
@purge_options
@json_option
@click.pass_context
def purge(ctx: click.Context, *, older_than: int | None, yes: bool, as_json: bool) -> None:
    """Delete reviews that ended more than so many days ago, each with its whole trail.

    A review that has not ended stays, and so does one whose feedback is still to be delivered.
    """
    from evenhand.usecases.reviews import keeping

    app = app_of(ctx)
    days = app.settings.retention_days if older_than is None else older_than
    confirm_deletion(ctx, f"Delete reviews that ended more than {days} days ago?", yes=yes)
    deleted = app.database.run(
        lambda uow: keeping.purge(uow, days=days, actor=_ACTOR, ids=app.ids)
    )
    _tell(deleted, as_json=as_json)


@click.command()
@click.argument("project")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def delete(ctx: click.Context, *, project: str, yes: bool, as_json: bool) -> None:
    """Delete every review of PROJECT, with what people said of its answers and cases.

    Criteria, agreements and waivers stay. The audit tells that it was done.
    """
    from evenhand.usecases.registry.finding import find_project
    from evenhand.usecases.reviews import keeping

    app = app_of(ctx)
    app.stored.read(lambda uow: find_project(uow, project))
    confirm_deletion(ctx, "Delete every review of this project?", yes=yes)

    def work(uow: UnitOfWork) -> int:
        owner = find_project(uow, project).id
        return keeping.delete_project(uow, owner, actor=ACTOR, ids=app.ids)

    _tell(app.database.run(work), as_json=as_json)


def _tell(deleted: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"deleted": deleted})
    else:
        click.echo(f"{deleted} reviews deleted")
