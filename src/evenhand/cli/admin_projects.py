"""``evenhand admin project``: who owns what is registered."""

from __future__ import annotations

import click

from evenhand.cli.options import json_option
from evenhand.cli.registering import (
    ACTOR,
    active_option,
    add_reads,
    change,
    make,
    stated,
    version_option,
)
from evenhand.core.registry.registered import Noun


@click.group()
def project() -> None:
    """Create, list and show projects; take one out of use.

    PROJECT is a name or an id. While a project is out of use, its clients are refused.
    """


@project.command()
@click.argument("name")
@json_option
@click.pass_context
def create(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Make a project. NAME is 1 to 63 lowercase letters, digits and hyphens."""
    from evenhand.usecases.registry import projects

    make(
        ctx,
        lambda app, uow: projects.create(uow, name=name, actor=ACTOR, ids=app.ids),
        as_json=as_json,
    )


@project.command("set")
@click.argument("reference", metavar="PROJECT")
@active_option
@version_option
@json_option
@click.pass_context
def set_command(
    ctx: click.Context,
    *,
    reference: str,
    active: bool | None,
    expected_version: int | None,
    as_json: bool,
) -> None:
    """Take a project out of use, or back."""
    from evenhand.usecases.registry import projects

    change(
        ctx,
        Noun.PROJECT,
        reference,
        lambda app, uow, seen: projects.change(
            uow,
            seen.id,
            expected_version=expected_version or seen.version,
            active=stated(active),
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


add_reads(project, Noun.PROJECT)
