"""``evenhand sets delete``: the end of an imported set."""

from __future__ import annotations

import click

from evenhand.cli.options import app_of, json_option, print_json
from evenhand.cli.purging import confirm_deletion


@click.command()
@click.argument("identifier", metavar="SET_ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def delete(ctx: click.Context, *, identifier: str, yes: bool, as_json: bool) -> None:
    """Delete an imported set: its questions, targets and gists.

    Evaluations and baselines of it stay and can be read and compared as before; they name its
    questions only where the set is at hand, such as with --set FILE. The count of decisions that
    rest on its labels stays as well. Files and sets of installed packages are not touched.
    """
    from evenhand.usecases.golden_sets import delete_set, require_set

    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: require_set(uow, identifier))
    confirm_deletion(ctx, f"Delete the imported set {identifier}?", yes=yes)
    app.database.run(lambda uow: delete_set(uow, identifier))
    if as_json:
        print_json({"deleted": identifier})
    else:
        click.echo(f"deleted {identifier}")
