"""``evenhand admin client``: which programs may call for a project, and what they may do."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.admin_bindings import CAPABILITIES
from evenhand.cli.options import json_option
from evenhand.cli.registering import (
    ACTOR,
    add_reads,
    change,
    change_options,
    find,
    make,
    stated,
)
from evenhand.core.access.roles import Capability
from evenhand.core.registry.registered import UNSET, Noun
from evenhand.core.registry.service_client import MOST_PER_MINUTE

_limit_option = click.option(
    "--inputs-per-minute",
    type=click.IntRange(1, MOST_PER_MINUTE),
    metavar="N",
    help="How many inputs it may have embedded a minute.",
)


@click.group()
def client() -> None:
    """Create, list and show service clients; say what one may do; take one out of use.

    CLIENT is PROJECT/NAME, or an id. A token of one is made by
    "evenhand admin token create NAME --client CLIENT".
    """


@client.command()
@click.argument("name")
@click.option("--binding", required=True, metavar="BINDING", help="Where it belongs, for good.")
@click.option(
    "--capability",
    "capabilities",
    type=CAPABILITIES,
    multiple=True,
    help="What it may do; may be given again. By default that of the binding.",
)
@_limit_option
@json_option
@click.pass_context
def create(
    ctx: click.Context,
    *,
    name: str,
    binding: str,
    capabilities: tuple[str, ...],
    inputs_per_minute: int | None,
    as_json: bool,
) -> None:
    """Make a service client of a binding. No other one of the project has its NAME."""
    from evenhand.usecases.registry import service_clients

    make(
        ctx,
        lambda app, uow: service_clients.create(
            uow,
            binding_id=find(uow, Noun.BINDING, binding).id,
            name=name,
            capabilities=list(map(Capability, capabilities)) or None,
            inputs_per_minute=inputs_per_minute,
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@client.command("set")
@click.argument("reference", metavar="CLIENT")
@click.option(
    "--capability",
    "capabilities",
    type=CAPABILITIES,
    multiple=True,
    help="What it may do from now on, and nothing else; may be given again.",
)
@_limit_option
@click.option("--no-limit", is_flag=True, help="It may have as much embedded as it asks.")
@change_options
@click.pass_context
def set_command(
    ctx: click.Context,
    /,
    reference: str,
    *,
    capabilities: tuple[str, ...],
    inputs_per_minute: int | None,
    no_limit: bool,
    **given: Any,
) -> None:
    """Say what a client may do, and how much; take it out of use, or back."""
    from evenhand.usecases.registry import service_clients

    if no_limit and inputs_per_minute is not None:
        raise click.UsageError("give one of --inputs-per-minute and --no-limit", ctx)
    change(
        ctx,
        Noun.SERVICE_CLIENT,
        reference,
        service_clients.change,
        given,
        capabilities=list(map(Capability, capabilities)) or UNSET,
        inputs_per_minute=None if no_limit else stated(inputs_per_minute),
    )


add_reads(client, Noun.SERVICE_CLIENT)
