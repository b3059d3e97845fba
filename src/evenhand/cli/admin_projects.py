"""``evenhand admin project``: who owns what is registered."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.options import json_option
from evenhand.cli.registering import (
    ACTOR,
    add_reads,
    change,
    change_options,
    make,
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
@change_options
@click.pass_context
def set_command(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Take a project out of use, or back."""
    from evenhand.usecases.registry import projects

    change(
        ctx,
        Noun.PROJECT,
        reference,
        projects.change,
        given,
    )


add_reads(project, Noun.PROJECT)
