"""``evenhand reviews submit`` and ``rubric``: ask for reviews, and print what they judge by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.reviews_answers import run_of_answers, run_options

if TYPE_CHECKING:
    from evenhand.sdk.review_submission import Asked, RunOfAnswers


@click.command()
@json_option
def rubric(*, as_json: bool) -> None:
    """Print the criteria of the shipped review of grounding.

    What it prints is meant to be written down as a revision of a practice, so that each finding
    names it.
    """
    from evenhand.adapters.reviewers.scaffolding import SHIPPED, shipped_scaffolding

    found = shipped_scaffolding()
    text = found.rubric.decode()
    if as_json:
        print_json({"version": SHIPPED, "sha256": found.text_sha256, "text": text})
        return
    click.echo(text, nl=False)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--subject", required=True, metavar="NAME", help="Whom or what they are about.")
@click.option("--cohort", metavar="NAME", help="Name of the cases, by which strata are told.")
@click.option("--suite-revision", metavar="ID", help="Whose cases they are.")
@click.option("--model", metavar="NAME", help="Judge by this model; without one by rules.")
@click.option("--base-url", metavar="URL", help="Of the model's chat endpoint, with its version.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the model's sampling.")
@click.option(
    "--max-output-tokens",
    type=click.IntRange(1, 100_000),
    default=2_000,
    show_default=True,
    metavar="N",
    help="An output that is cut off is none.",
)
@click.option("--plain", is_flag=True, help="Ask for the form in words, never by a schema.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 86_400),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Of one attempt.",
)
@click.option("--repository-revision", metavar="REVISION", help="Of a checkout, if there is one.")
@click.option(
    "--origin",
    type=click.Choice(["live", "manual", "backfill"]),
    default="live",
    show_default=True,
    help="Only live reviews make rates.",
)
@run_options
@click.option("--again", metavar="WORD", help="Ask anew for what was asked for before.")
@json_option
@quiet_option
@click.pass_context
def submit(ctx: click.Context, /, file: Path, **given: Any) -> None:
    """Submit a review of each answer of FILE to the hub.

    FILE has one JSON object a line: case_id, question, answer, passages (a list of texts), and
    answer_id where it is not the case_id. Only the ids are sent. The same command again asks for
    nothing new. With --evaluation or --publication-key each answer belongs to a case of a run, and
    both make one event.
    """
    from evenhand.adapters.formats.review_cases import read_review_cases
    from evenhand.cli.progress import progress_bar
    from evenhand.cli.publishing import require_hub
    from evenhand.sdk.review_submission import submit_reviews

    if (given["model"] is None) is not (given["base_url"] is None):
        raise click.UsageError("--model and --base-url belong together", ctx)
    app = app_of(ctx)
    require_hub(app, quiet=given["quiet"])
    cases = read_review_cases(file)
    asked = _asked(given, run_of_answers(ctx, app, given))
    jobs = []
    with (
        app.open_review_hub() as hub,
        progress_bar(file.name, len(cases), quiet=given["quiet"]) as progress,
    ):
        for job in submit_reviews(hub, cases.values(), asked):
            jobs.append(job)
            progress.advance(1)
    if given["as_json"]:
        print_json({"jobs": [{"id": one.id, "case_id": one.case_id} for one in jobs]})
        return
    click.echo(f"submitted: {len(jobs)}")
    waiting = sum(one.state == "queued" for one in jobs)
    if waiting < len(jobs):
        remark(f"{len(jobs) - waiting} of them had been begun before", quiet=given["quiet"])


def _asked(given: dict[str, Any], run: RunOfAnswers | None) -> Asked:
    from evenhand.adapters.reviewers.configuration import model_config, rules_config
    from evenhand.sdk.review_submission import Asked

    if given["model"] is None:
        config = rules_config(timeout_seconds=given["timeout"])
    else:
        config = model_config(
            given["model"],
            given["base_url"],
            timeout_seconds=given["timeout"],
            max_output_tokens=given["max_output_tokens"],
            seed=given["seed"],
            by_text=given["plain"],
        )
    return Asked(
        config=config,
        subject_id=given["subject"],
        cohort=given["cohort"],
        suite_revision_id=given["suite_revision"],
        origin=given["origin"],
        repository_revision=given["repository_revision"],
        again=given["again"],
        run=run,
    )
