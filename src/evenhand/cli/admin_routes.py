"""``evenhand admin route``: names for deployments, and what is in production."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.options import json_option
from evenhand.cli.registering import (
    ACTOR,
    add_reads,
    change,
    change_options,
    find,
    make,
)
from evenhand.core.registry.registered import UNSET, Noun
from evenhand.core.registry.route import RouteKind


@click.group()
def route() -> None:
    """Create, list and show routes; point a stable one elsewhere; take one out of use.

    ROUTE is PROJECT/NAME, or an id. The active stable route of a binding points to what is in
    production; there is at most one.
    """


@route.command()
@click.argument("name")
@click.option("--binding", required=True, metavar="BINDING", help="Where it belongs, for good.")
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in RouteKind]),
    required=True,
    help="What it is for, for good.",
)
@click.option("--deployment", required=True, metavar="DEPLOYMENT", help="Where it points to.")
@json_option
@click.pass_context
def create(
    ctx: click.Context, *, name: str, binding: str, kind: str, deployment: str, as_json: bool
) -> None:
    """Make a route of a binding. No other one of the project has its NAME."""
    from evenhand.usecases.registry import routes

    make(
        ctx,
        lambda app, uow: routes.create(
            uow,
            binding_id=find(uow, Noun.BINDING, binding).id,
            name=name,
            kind=RouteKind(kind),
            deployment_id=find(uow, Noun.DEPLOYMENT, deployment).id,
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@route.command("set")
@click.argument("reference", metavar="ROUTE")
@click.option(
    "--deployment", metavar="DEPLOYMENT", help="Where a stable route points to from now on."
)
@change_options
@click.pass_context
def set_command(
    ctx: click.Context, /, reference: str, *, deployment: str | None, **given: Any
) -> None:
    """Point a stable route elsewhere, which changes production; take a route out of use."""
    from evenhand.usecases.registry import routes

    change(
        ctx,
        Noun.ROUTE,
        reference,
        routes.change,
        given,
        deployment_id=UNSET
        if deployment is None
        else lambda uow: find(uow, Noun.DEPLOYMENT, deployment).id,
    )


add_reads(route, Noun.ROUTE)
