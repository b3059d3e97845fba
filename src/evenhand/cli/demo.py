"""``evenhand demo``: the main job on real text, in a folder of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.options import RootFlags, json_option, print_json, quiet_option, remark
from evenhand.cli.progress import tracker
from evenhand.demo.project import DEFAULT_FOLDER

if TYPE_CHECKING:
    from evenhand.demo.run import DemoResult


@click.command
@click.option(
    "--folder",
    default=DEFAULT_FOLDER,
    show_default=True,
    type=click.Path(path_type=Path),
    help="Where everything goes; made when absent.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Only minilm or only wordllama; by default the better one, and both are compared.",
)
@json_option
@quiet_option
@click.pass_context
def demo(
    ctx: click.Context, folder: Path, model: str | None, *, as_json: bool, quiet: bool
) -> None:
    """Evaluate three retrieval pipelines over real text.

    One comparison is refused, and the reason is shown. The corpus is the documentation of the
    running Python's standard library, the questions are written by hand. FOLDER becomes a project
    like any other: its evenhand.toml names the pipelines, so that `evenhand run stdlib.jsonl bm25`
    works there, and a second demo is compared with the first. Then a hub is served on this machine
    and asked whether the other model is better; a consumer in FOLDER carries the comparison out.
    Nothing outside FOLDER is touched.
    """
    from evenhand.demo.run import run_demo
    from evenhand.demo.talk import Talk

    flags = ctx.obj.flags if isinstance(ctx.obj, RootFlags) else {}
    result = run_demo(
        folder,
        Talk(tell=lambda text: remark(text, quiet=quiet), track=tracker(quiet=quiet)),
        model=model,
        flags=flags,
    )
    if as_json:
        print_json(_document(result))
        return
    _show(result)
    _show_models(result)
    if shutil.which("evenhand") is None:
        # `make demo` runs it out of a virtual environment that nobody activated.
        click.echo(f"evenhand is not on the PATH here; it is {Path(sys.argv[0])}")
    click.echo(f"Report: {result.page}")


def _document(result: DemoResult) -> dict[str, object]:
    from evenhand.reports.as_json import evaluation_document
    from evenhand.reports.subject import fresh_subject

    models = result.models
    return {
        "report": str(result.page),
        "models": None
        if models is None
        else {
            "comparison": models.comparison.model_dump(mode="json"),
            "differs": models.differs,
        },
        "results": [
            evaluation_document(
                fresh_subject(one.entry.evaluation, one.entry.record), one.comparison
            )
            for one in result.evaluated
        ],
    }


def _show_models(result: DemoResult) -> None:
    from evenhand.demo.models import CANDIDATE, CURRENT
    from evenhand.reports.intents import intent_lines

    if result.models is None:
        return
    click.echo()
    click.echo(f"Two models, compared through a hub: current {CURRENT}, candidate {CANDIDATE}")
    for line in intent_lines(result.models.comparison):
        click.echo(f"  {line}")
    differs = ", ".join(result.models.differs) or "none"
    click.echo(
        f"  numbers that a direct evaluation of the same indexes gives otherwise: {differs}"
    )
    click.echo()


def _show(result: DemoResult) -> None:
    from evenhand.demo.previous import against_previous
    from evenhand.reports.terminal_collection import print_collection
    from evenhand.reports.terminal_page import Page, make_console

    console = make_console(sys.stdout)
    page = Page(console)
    page.line("Against the previous run in this folder", style="bold")
    for one in result.evaluated:
        page.line(f"{one.entry.name}: {against_previous(one.comparison)}", indent=2, hang=2)
    page.blank()
    print_collection(result.report, console)
