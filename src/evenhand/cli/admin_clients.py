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
)
from evenhand.core.access.roles import Capability
from evenhand.core.registry.registered import UNSET, Noun


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
@json_option
@click.pass_context
def create(
    ctx: click.Context, *, name: str, binding: str, capabilities: tuple[str, ...], as_json: bool
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
@change_options
@click.pass_context
def set_command(
    ctx: click.Context, /, reference: str, *, capabilities: tuple[str, ...], **given: Any
) -> None:
    """Say what a client may do; take it out of use, or back."""
    from evenhand.usecases.registry import service_clients

    change(
        ctx,
        Noun.SERVICE_CLIENT,
        reference,
        service_clients.change,
        given,
        capabilities=list(map(Capability, capabilities)) or UNSET,
    )


add_reads(client, Noun.SERVICE_CLIENT)
