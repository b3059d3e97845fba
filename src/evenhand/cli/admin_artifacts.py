"""``evenhand admin artifact``: contents of models, as they are stated."""

from __future__ import annotations

import click

from evenhand.cli.options import json_option
from evenhand.cli.registering import ACTOR, add_reads, make
from evenhand.core.registry.registered import Noun


@click.group()
def artifact() -> None:
    """Create, list and show artifacts. Nothing of one ever changes.

    ARTIFACT is a name or an id. The digest is what you state: nothing looks at the content.
    """


@artifact.command()
@click.argument("name")
@click.option("--digest", required=True, metavar="SHA256", help="Of the content, lowercase hex.")
@click.option("--model", required=True, metavar="LABEL", help="Model and revision.")
@json_option
@click.pass_context
def create(ctx: click.Context, *, name: str, digest: str, model: str, as_json: bool) -> None:
    """Make an artifact. No other one has its NAME."""
    from evenhand.usecases.registry import artifacts

    make(
        ctx,
        lambda app, uow: artifacts.create(
            uow, name=name, digest=digest, model=model, actor=ACTOR, ids=app.ids
        ),
        as_json=as_json,
    )


add_reads(artifact, Noun.ARTIFACT)
