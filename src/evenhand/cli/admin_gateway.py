"""``evenhand admin gateway``: what is kept of requests to the gateway."""

from __future__ import annotations

import click

from evenhand.cli.options import app_of, json_option, print_json
from evenhand.cli.purging import confirm_deletion, purge_options

_ACTOR = "command line"


@click.group()
def gateway() -> None:
    """Keep what is known of requests to a hub's gateway."""


@gateway.command()
@purge_options
@json_option
@click.pass_context
def purge(ctx: click.Context, *, older_than: int | None, yes: bool, as_json: bool) -> None:
    """Delete requests that began more than so many days ago.

    A request that a comparison rests on stays.
    """
    from evenhand.usecases.gateway import keeping as verbs

    app = app_of(ctx)
    days = app.settings.gateway_days if older_than is None else older_than
    confirm_deletion(ctx, f"Delete requests that began more than {days} days ago?", yes=yes)
    deleted = app.database.run(lambda uow: verbs.purge(uow, days=days, actor=_ACTOR))
    if as_json:
        print_json({"deleted": deleted, "older_than_days": days})
        return
    from evenhand.reports.numbers import count

    click.echo(f"deleted {count(deleted, 'request')} that began more than {days} days ago")
