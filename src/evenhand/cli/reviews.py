"""``evenhand reviews``: carry reviews out, one review's trail, and counts inside one stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evenhand.cli.options import app_of, json_option, print_json, remark
from evenhand.cli.reviews_grounding import agreement, labels, waive
from evenhand.cli.reviews_inputs import inputs
from evenhand.cli.reviews_keeping import delete, purge
from evenhand.cli.reviews_run import run
from evenhand.cli.reviews_submit import rubric, submit

if TYPE_CHECKING:
    from evenhand.usecases.ports import UnitOfWork


@click.group()
def reviews() -> None:
    """Judge answers; show reviews and count them, stratum by stratum.

    A stratum is a whole configuration, a prompt, a cohort and a revision of a practice. Nothing
    here adds two strata up.
    """


reviews.add_command(labels)
reviews.add_command(agreement)
reviews.add_command(waive)
reviews.add_command(purge)
reviews.add_command(delete)


@reviews.command()
@click.argument("job")
@json_option
@click.pass_context
def show(ctx: click.Context, *, job: str, as_json: bool) -> None:
    """Show one review from its configuration to what came back.

    JOB is the id of the review. What is not known is shown as unknown.
    """
    from evenhand.reports.review_documents import trail_document
    from evenhand.reports.reviews import trail_lines
    from evenhand.usecases.reviews import reading

    trail = app_of(ctx).stored.read(lambda uow: reading.find_trail(uow, job))
    if as_json:
        print_json(trail_document(trail))
        return
    for line in trail_lines(trail):
        click.echo(line)


@reviews.command()
@click.option("--project", required=True, metavar="PROJECT", help="Name or id of the project.")
@json_option
@click.pass_context
def strata(ctx: click.Context, *, project: str, as_json: bool) -> None:
    """Count the reviews of each stratum, and tell which belong to none and why."""
    from evenhand.reports.review_documents import strata_document
    from evenhand.reports.reviews import strata_lines
    from evenhand.usecases.registry.finding import find_project
    from evenhand.usecases.reviews import reading

    def read(uow: UnitOfWork) -> reading.Strata:
        return reading.strata_of(uow, find_project(uow, project).id)

    found = app_of(ctx).stored.read(read)
    if as_json:
        print_json(strata_document(found))
        return
    for line in strata_lines(found):
        click.echo(line)
    if not found.rows:
        remark("no review of this project has ended yet")


@reviews.command()
@click.argument("strata", nargs=-1, required=True, metavar="STRATUM")
@click.option("--project", required=True, metavar="PROJECT", help="Name or id of the project.")
@click.option(
    "--against", multiple=True, metavar="STRATUM", help="Pair it with this one, case by case."
)
@json_option
@click.pass_context
def rates(
    ctx: click.Context,
    *,
    strata: tuple[str, ...],
    project: str,
    against: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the rates of one stratum, or of two side by side.

    STRATUM is the name that "reviews strata" shows. With --against the cases of both are paired:
    candidate is the one behind --against, current is STRATUM. More than one in either place is
    refused, since rows of two strata are not added up.
    """
    from evenhand.reports.review_documents import stratum_document
    from evenhand.reports.reviews import stratum_lines
    from evenhand.usecases.registry.finding import find_project
    from evenhand.usecases.reviews import reading

    def read(uow: UnitOfWork) -> reading.StratumRates:
        owner = find_project(uow, project).id
        return reading.stratum_rates(uow, owner, strata, against)

    found = app_of(ctx).stored.read(read)
    if as_json:
        print_json(stratum_document(found))
        return
    for line in stratum_lines(found):
        click.echo(line)


reviews.add_command(rubric)
reviews.add_command(inputs)
reviews.add_command(run)
reviews.add_command(submit)
