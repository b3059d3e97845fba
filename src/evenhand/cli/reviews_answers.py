"""To which run do the answers belong whose reviews are submitted? Options, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.sdk.review_submission import RunOfAnswers

_OPTIONS = (
    click.option("--evaluation", metavar="ID", help="The run that the answers belong to."),
    click.option(
        "--publication-key", metavar="KEY", help="Under which that run was published, or will be."
    ),
    click.option(
        "--set", "golden_set", metavar="SET", help="Whose questions the case ids are in that run."
    ),
    click.option(
        "--prompt-version", metavar="VERSION", help="Of the prompt that made the answers."
    ),
    click.option(
        "--awaits-acceptance",
        is_flag=True,
        help="A result is final only once a person has accepted the answer or not.",
    ),
)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name the run of answers."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_of_answers(ctx: click.Context, app: App, given: dict[str, Any]) -> RunOfAnswers | None:
    """The run that options name; None without one.

    Raises:
        UsageError: two runs, or what belongs to a run without one; a set beside a suite revision,
            or neither.
        EvenhandError: the set is not to be had.
    """
    from evenhand.sdk.review_submission import RunOfAnswers

    evaluation, key = given["evaluation"], given["publication_key"]
    if evaluation is not None and key is not None:
        raise click.UsageError("--evaluation and --publication-key both name the run", ctx)
    if evaluation is None and key is None:
        if given["golden_set"] or given["prompt_version"] or given["awaits_acceptance"]:
            message = (
                "--set, --prompt-version and --awaits-acceptance belong to a run, which"
                " --evaluation or --publication-key names"
            )
            raise click.UsageError(message, ctx)
        return None
    if (given["golden_set"] is None) is (given["suite_revision"] is None):
        raise click.UsageError("--set or --suite-revision says which cases the run has", ctx)
    return RunOfAnswers(
        evaluation_id=evaluation,
        publication_key=key,
        positions=None if given["golden_set"] is None else _positions(app, given["golden_set"]),
        prompt_version=given["prompt_version"],
        awaits_acceptance=given["awaits_acceptance"],
    )


def _positions(app: App, reference: str) -> dict[str, int]:
    """Places of a set's questions, by their ids as JSON spells them."""
    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.core.identity.legacy_bytes import encode_text

    found = resolve_golden_set(reference, app.golden_set_context()).golden_set
    spelt = [encode_text(one.id) for one in found.by_position]
    # An id that is not UTF-8 is no text, and names no case of a file.
    return {one: place for place, one in enumerate(spelt) if isinstance(one, str)}
