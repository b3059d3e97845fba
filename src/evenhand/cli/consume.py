"""``evenhand consume``: carry out the comparisons that a hub assigned to this project."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import (
    app_of,
    json_option,
    print_json,
    quiet_option,
    remark,
    watch_option,
)

if TYPE_CHECKING:
    from evenhand.sdk import Consumed, HubClient, RetrievalAdapter
    from evenhand.wire.intents import Comparison

_PENDING = "pending"


@click.command()
@click.option(
    "--adapter",
    metavar="MODULE:ATTRIBUTE",
    required=True,
    help="The project's retrieval engine, or a callable that makes it.",
)
@click.option("--comparison", "wanted", metavar="ID", help="Only this one.")
@watch_option
@json_option
@quiet_option
@click.pass_context
def consume(ctx: click.Context, /, adapter: str, wanted: str | None, **given: Any) -> None:
    """Carry out comparisons that a hub assigned.

    Each pending comparison of this service client is claimed, oldest first. The engine's indexes
    are held against what was pinned before anything is embedded; then both sides are asked every
    case through the hub's gateway, and both rankings are published at once. Ctrl-C and SIGTERM
    end a claim as failed, so that nobody waits for it.
    """
    from evenhand.adapters.consumers import load_consumer
    from evenhand.cli.publishing import require_hub

    app = app_of(ctx)
    require_hub(app, quiet=given["quiet"])
    engine = cast("RetrievalAdapter", load_consumer(adapter, app.settings.project_root))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    done: list[Consumed] = []
    with app.open_consumer_hub() as hub:
        for consumed in _until_told(hub, engine, wanted, given["watch"], quiet=given["quiet"]):
            done.append(consumed)
            if not given["as_json"]:
                _show(consumed)
    if given["as_json"]:
        print_json({"comparisons": [one.comparison.model_dump(mode="json") for one in done]})
    if any(one.comparison.state != "completed" for one in done):
        ctx.exit(Exit.WENT_WRONG)


def _until_told(
    hub: HubClient,
    engine: RetrievalAdapter,
    wanted: str | None,
    seconds: int | None,
    *,
    quiet: bool,
) -> Iterator[Consumed]:
    from evenhand.core.errors import EvenhandError

    told = threading.Event()
    while True:
        try:
            yield from _what_is_assigned(hub, engine, wanted, quiet=quiet)
        except EvenhandError as error:
            if seconds is None:
                raise
            remark(f"warning: {error} [{error.code}]", quiet=quiet)
        if seconds is None:
            return
        told.wait(seconds)


def _what_is_assigned(
    hub: HubClient, engine: RetrievalAdapter, wanted: str | None, *, quiet: bool
) -> Iterator[Consumed]:
    from evenhand.core.errors.comparison import AlreadyClaimed, ComparisonNotFound

    assigned = hub.list_assigned(limit=100)
    if wanted is not None and all(one.id != wanted for one in assigned):
        raise ComparisonNotFound
    pending = [one for one in assigned if _is_wanted(one, wanted)]
    if not pending:
        remark("nothing is assigned that waits", quiet=quiet)
    for comparison in pending:
        try:
            yield _consumed(hub, engine, comparison, quiet=quiet)
        except AlreadyClaimed:
            # Another process of this client was quicker.
            remark(f"comparison {comparison.id} was claimed elsewhere", quiet=quiet)


def _is_wanted(comparison: Comparison, wanted: str | None) -> bool:
    return comparison.state == _PENDING and wanted in (None, comparison.id)


def _consumed(
    hub: HubClient, engine: RetrievalAdapter, comparison: Comparison, *, quiet: bool
) -> Consumed:
    from evenhand.cli.progress import progress_bar
    from evenhand.sdk import consume_claim

    session = hub.claim(comparison.id)
    with progress_bar(comparison.id, 2 * len(session.cases), quiet=quiet) as progress:
        return consume_claim(hub, session, engine, advance=lambda: progress.advance(1))


def _show(consumed: Consumed) -> None:
    from evenhand.reports.intents import intent_lines

    for line in intent_lines(consumed.comparison):
        click.echo(line)
