"""``evenhand reviews run``: carry out the reviews that wait at a hub."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

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
    from evenhand.bootstrap import App
    from evenhand.core.review.reviewer import Reviewer
    from evenhand.core.review.usage import Rates
    from evenhand.sdk import ReviewClient
    from evenhand.sdk.reviewing import Bench, Carried

_PRICES = ("price_input", "price_cached", "price_output")


class _Price(click.ParamType[Decimal]):
    name = "price"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        try:
            return Decimal(str(value))
        except InvalidOperation:
            self.fail("is no number", param, ctx)


@click.command()
@click.option(
    "--inputs",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What is judged: the file that was submitted.",
)
@click.option("--practice", required=True, metavar="NAME", help="Name of the practice.")
@click.option("--revision", required=True, metavar="ID", help="Of what the practice asks.")
@click.option("--base-url", metavar="URL", help="Of the one chat endpoint that is asked.")
@click.option("--api-key-env", metavar="NAME", help="Environment variable with its key.")
@click.option(
    "--prompts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Judge by rubric.md, system.md and answer.schema.json of this folder.",
)
@click.option("--price-input", type=_Price(), metavar="PRICE", help="Of a million tokens.")
@click.option("--price-cached", type=_Price(), metavar="PRICE", help="Of those from a cache.")
@click.option("--price-output", type=_Price(), metavar="PRICE", help="Of those that it wrote.")
@click.option(
    "--call-timeout",
    type=click.IntRange(1, 3600),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="Of one call of the endpoint.",
)
@click.option("--worker", default="evenhand", show_default=True, metavar="NAME", help="Who works.")
@click.option("--once", is_flag=True, help="Carry out one review.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Carry out so many.")
@watch_option
@json_option
@quiet_option
@click.pass_context
def run(ctx: click.Context, /, **given: Any) -> None:
    """Carry out reviews that wait at the hub, until none does.

    Each is claimed, its inputs are staged in a folder and digested, judged by the rules or by the
    model that its configuration names, and handed in with what it used. A review of a
    configuration that this worker does not have goes back to wait. Ctrl-C and SIGTERM let the
    review that is begun come to its end; a second one gives it back.

    With --watch a hub that is away for a while is asked again.

    Exit codes: 0; 5 where a review was not carried out, or its output was invalid.
    """
    from evenhand.cli.publishing import require_hub

    _require_sense(ctx, given)
    app = app_of(ctx)
    require_hub(app, quiet=given["quiet"])
    with ExitStack() as opened:
        told = opened.enter_context(_stopping())
        bench = _bench(app, given, told, opened)
        hub = opened.enter_context(app.open_review_hub())
        done = []
        for carried in islice(_until_told(hub, bench, told, given), _most(given)):
            done.append(carried)
            if not given["as_json"]:
                click.echo(
                    f"{carried.job_id}  {carried.end.value}  {carried.error_class or ''}".rstrip()
                )
    _show(ctx, done, given)


def _most(given: dict[str, Any]) -> int | None:
    most: int | None = 1 if given["once"] else given["most"]
    return most


def _require_sense(ctx: click.Context, given: dict[str, Any]) -> None:
    stated = [given[name] is not None for name in _PRICES]
    if any(stated) and not all(stated):
        raise click.UsageError(
            "the three prices belong together; one that is not charged is 0", ctx
        )
    if given["base_url"] is None and (given["api_key_env"] is not None or any(stated)):
        raise click.UsageError("a key and prices belong to an endpoint: --base-url", ctx)
    if given["once"] and (given["most"] is not None or given["watch"] is not None):
        raise click.UsageError("--once is neither --most nor --watch", ctx)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """An event that the first signal sets; the second one interrupts."""
    told = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if told.is_set():
            signal.default_int_handler(number, frame)
        told.set()

    before = {name: signal.signal(name, stop) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _until_told(
    hub: ReviewClient, bench: Bench, told: threading.Event, given: dict[str, Any]
) -> Iterator[Carried]:
    from evenhand.core.errors.database import DatabaseUnavailable
    from evenhand.core.errors.publication import HubUnavailable
    from evenhand.sdk.reviewing import carry_out_reviews

    while True:
        try:
            for carried in carry_out_reviews(hub, bench, is_told_to_stop=told.is_set):
                yield carried
                if carried.is_refusal:
                    return
        except (HubUnavailable, DatabaseUnavailable) as error:
            if given["watch"] is None:
                raise
            remark(f"warning: {error} [{error.code}]", quiet=given["quiet"])
        if given["watch"] is None or told.wait(given["watch"]):
            return


def _bench(app: App, given: dict[str, Any], told: threading.Event, opened: ExitStack) -> Bench:
    from evenhand import __version__
    from evenhand.adapters.formats.review_cases import read_review_cases
    from evenhand.adapters.reviewers.model import ModelReviewer
    from evenhand.adapters.reviewers.rules import RuleReviewer
    from evenhand.adapters.reviewers.scaffolding import read_scaffolding, shipped_scaffolding
    from evenhand.sdk.review_staging import Criteria
    from evenhand.sdk.reviewing import Bench

    prompts = given["prompts"]
    scaffolding = shipped_scaffolding() if prompts is None else read_scaffolding(prompts)
    reviewers: list[Reviewer] = [RuleReviewer(scaffolding, practice=given["practice"])]
    if given["base_url"] is not None:
        endpoint = app.open_chat_endpoint(given["base_url"], given["api_key_env"])
        opened.callback(endpoint.close)
        reviewers.append(
            ModelReviewer(
                endpoint,
                scaffolding,
                practice=given["practice"],
                rates=_rates(given),
                call_seconds=given["call_timeout"],
                pause=told.wait,
            )
        )
    return Bench(
        worker=given["worker"],
        release=f"evenhand {__version__}",
        reviewers=reviewers,
        cases=read_review_cases(given["inputs"]),
        criteria=Criteria(
            practice=given["practice"],
            revision_id=given["revision"],
            text_sha256=scaffolding.text_sha256,
        ),
        clock=app.clock,
    )


def _rates(given: dict[str, Any]) -> Rates | None:
    from evenhand.core.review.usage import Rates

    prices = [given[name] for name in _PRICES]
    if None in prices:
        return None
    return Rates(input=prices[0], cached_input=prices[1], output=prices[2])


def _show(ctx: click.Context, done: list[Carried], given: dict[str, Any]) -> None:
    from evenhand.sdk.reviewing import End

    counts = Counter(one.end for one in done)
    if given["as_json"]:
        print_json(
            {
                "reviews": [_document(one) for one in done],
                "counts": {end.value: count for end, count in counts.items()},
            }
        )
    elif done:
        click.echo("  ".join(f"{end.value} {number}" for end, number in counts.items()))
    else:
        remark("no review waits that may be begun", quiet=given["quiet"])
    if any(one.end not in (End.REVIEWED, End.INSUFFICIENT) for one in done):
        ctx.exit(Exit.WENT_WRONG)


def _document(one: Carried) -> dict[str, object]:
    tokens = None if one.used is None else one.used.tokens
    return {
        "job_id": one.job_id,
        "case_id": one.case_id,
        "end": one.end.value,
        "error_class": one.error_class,
        "calls": None if one.used is None else one.used.calls,
        "tokens": None
        if tokens is None
        else {
            "input": tokens.input,
            "cached_input": tokens.cached_input,
            "output": tokens.output,
        },
    }
