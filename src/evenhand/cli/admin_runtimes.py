"""``evenhand admin runtime``: what carries models out, and how it is reached."""

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
    stated,
)
from evenhand.core.registry.registered import UNSET, Noun
from evenhand.core.registry.runtime import MOST_INPUTS, RuntimeKind

_takes_option = click.option(
    "--max-inputs",
    type=click.IntRange(1, MOST_INPUTS),
    metavar="N",
    help="How many inputs it takes at a time.",
)


@click.group()
def runtime() -> None:
    """Create, list and show runtimes; name another variable for the secret; take one out of use.

    RUNTIME is a name or an id. A secret is never stored: only the name of the variable is in
    which a hub finds it.
    """


@runtime.command()
@click.argument("name")
@click.option("--identity", required=True, metavar="LABEL", help="What runs, for good.")
@click.option("--base-url", metavar="URL", help="Of a server that speaks as OpenAI's does.")
@click.option("--secret-env", metavar="VARIABLE", help="Name of the variable with its secret.")
@click.option("--embedder", metavar="NAME", help="Of an embedder in the hub's own process.")
@_takes_option
@json_option
@click.pass_context
def create(  # noqa: PLR0913 -- one for each option
    ctx: click.Context,
    *,
    name: str,
    identity: str,
    base_url: str | None,
    secret_env: str | None,
    embedder: str | None,
    max_inputs: int | None,
    as_json: bool,
) -> None:
    """Make a runtime: a server at --base-url, or an --embedder. No other one has its NAME.

    The address must be public, or listed in the setting serve_upstream_allow.
    """
    from evenhand.usecases.registry import runtimes

    if (base_url is None) is (embedder is None):
        raise click.UsageError("give one of --base-url and --embedder", ctx)
    kind = RuntimeKind.IN_PROCESS if base_url is None else RuntimeKind.OPENAI_HTTP
    make(
        ctx,
        lambda app, uow: runtimes.create(
            uow,
            name=name,
            kind=kind,
            identity=identity,
            base_url=base_url,
            secret_env=secret_env,
            embedder=embedder,
            max_inputs=max_inputs,
            allow=app.settings.serve_upstream_allow,
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@runtime.command("set")
@click.argument("reference", metavar="RUNTIME")
@click.option("--secret-env", metavar="VARIABLE", help="Name of the variable with its secret.")
@click.option("--no-secret", is_flag=True, help="It needs no secret.")
@_takes_option
@click.option("--no-max-inputs", is_flag=True, help="The hub's setting decides that.")
@change_options
@click.pass_context
def set_command(
    ctx: click.Context,
    /,
    reference: str,
    *,
    secret_env: str | None,
    no_secret: bool,
    max_inputs: int | None,
    no_max_inputs: bool,
    **given: Any,
) -> None:
    """Say where the secret is and how much a runtime takes; take it out of use, or back."""
    from evenhand.usecases.registry import runtimes

    if no_secret and secret_env is not None:
        raise click.UsageError("give one of --secret-env and --no-secret", ctx)
    if no_max_inputs and max_inputs is not None:
        raise click.UsageError("give one of --max-inputs and --no-max-inputs", ctx)
    is_said = no_secret or secret_env is not None
    change(
        ctx,
        Noun.RUNTIME,
        reference,
        runtimes.change,
        given,
        secret_env=secret_env if is_said else UNSET,
        max_inputs=None if no_max_inputs else stated(max_inputs),
    )


add_reads(runtime, Noun.RUNTIME)
