"""``evenhand admin binding``: what projects use, and how settled that is."""

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
from evenhand.core.access.roles import Capability
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.registered import UNSET, Noun

_STAGES = click.Choice([stage.value for stage in Stage])
CAPABILITIES = click.Choice([capability.value for capability in Capability])


@click.group()
def binding() -> None:
    """Create, list and show bindings; change the stage; take one out of use.

    BINDING is PROJECT/NAME, or an id.
    """


@binding.command()
@click.argument("name")
@click.option("--project", required=True, metavar="PROJECT", help="Whose it is, for good.")
@click.option(
    "--capability",
    type=CAPABILITIES,
    default=Capability.EMBEDDING.value,
    show_default=True,
    help="What is used, for good.",
)
@click.option("--stage", type=_STAGES, required=True, help="How settled that is.")
@json_option
@click.pass_context
def create(
    ctx: click.Context, *, name: str, project: str, capability: str, stage: str, as_json: bool
) -> None:
    """Make a binding of a project. No other one of the project has its NAME."""
    from evenhand.usecases.registry import bindings

    make(
        ctx,
        lambda app, uow: bindings.create(
            uow,
            project_id=find(uow, Noun.PROJECT, project).id,
            name=name,
            capability=Capability(capability),
            stage=Stage(stage),
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@binding.command("set")
@click.argument("reference", metavar="BINDING")
@click.option("--stage", type=_STAGES, help="How settled it is from now on.")
@change_options
@click.pass_context
def set_command(ctx: click.Context, /, reference: str, *, stage: str | None, **given: Any) -> None:
    """Say how settled a binding is; take it out of use, or back."""
    from evenhand.usecases.registry import bindings

    change(
        ctx,
        Noun.BINDING,
        reference,
        bindings.change,
        given,
        stage=UNSET if stage is None else Stage(stage),
    )


add_reads(binding, Noun.BINDING)
