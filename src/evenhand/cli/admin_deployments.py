"""``evenhand admin deployment``: which models serve a project."""

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


@click.group()
def deployment() -> None:
    """Create, list and show deployments; set the score cutoff; take one out of use.

    DEPLOYMENT is PROJECT/NAME, or an id. What decides what a vector is never changes.
    """


@deployment.command()
@click.argument("name")
@click.option("--project", required=True, metavar="PROJECT", help="Whose it is, for good.")
@click.option("--artifact", required=True, metavar="ARTIFACT", help="What is run.")
@click.option("--runtime", required=True, metavar="RUNTIME", help="By what.")
@click.option("--upstream-model", metavar="NAME", help="What a server calls the model.")
@click.option(
    "--embedding-identity", required=True, metavar="LABEL", help="Of the space of its vectors."
)
@click.option("--dimension", type=int, required=True, metavar="N", help="Of a vector, 1 to 65536.")
@click.option("--query-prefix", default="", metavar="TEXT", help="Put before each query.")
@click.option("--document-prefix", default="", metavar="TEXT", help="Put before each document.")
@click.option(
    "--score-cutoff", type=float, metavar="SCORE", help="A result below it is no answer."
)
@json_option
@click.pass_context
def create(ctx: click.Context, /, name: str, *, as_json: bool, **given: Any) -> None:
    """Make a deployment of a project. No other one of the project has its NAME."""
    from evenhand.usecases.registry import deployments

    make(
        ctx,
        lambda app, uow: deployments.create(
            uow,
            name=name,
            project_id=find(uow, Noun.PROJECT, given["project"]).id,
            artifact_id=find(uow, Noun.ARTIFACT, given["artifact"]).id,
            runtime_id=find(uow, Noun.RUNTIME, given["runtime"]).id,
            upstream_model=given["upstream_model"],
            embedding_identity=given["embedding_identity"],
            dimension=given["dimension"],
            query_prefix=given["query_prefix"],
            document_prefix=given["document_prefix"],
            score_cutoff=given["score_cutoff"],
            actor=ACTOR,
            ids=app.ids,
        ),
        as_json=as_json,
    )


@deployment.command("set")
@click.argument("reference", metavar="DEPLOYMENT")
@click.option(
    "--score-cutoff", type=float, metavar="SCORE", help="A result below it is no answer."
)
@click.option("--no-score-cutoff", is_flag=True, help="Every result is an answer.")
@change_options
@click.pass_context
def set_command(
    ctx: click.Context,
    /,
    reference: str,
    *,
    score_cutoff: float | None,
    no_score_cutoff: bool,
    **given: Any,
) -> None:
    """Set the score cutoff; take a deployment out of use, or back."""
    from evenhand.usecases.registry import deployments

    if no_score_cutoff and score_cutoff is not None:
        raise click.UsageError("give one of --score-cutoff and --no-score-cutoff", ctx)
    is_said = no_score_cutoff or score_cutoff is not None
    change(
        ctx,
        Noun.DEPLOYMENT,
        reference,
        deployments.change,
        given,
        score_cutoff=score_cutoff if is_said else UNSET,
    )


add_reads(deployment, Noun.DEPLOYMENT)
