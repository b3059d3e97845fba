"""``evenhand events``: take in, give out, ask, deliver, verify and delete."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.events_moving import drain, export, ingest
from evenhand.cli.exits import Exit
from evenhand.cli.options import app_of, json_option, print_json, print_lines
from evenhand.cli.purging import confirm_deletion, purge_options
from evenhand.cli.report_files import require_report_files
from evenhand.core.errors import InvalidValue

if TYPE_CHECKING:
    from evenhand.contracts.trusted import TrustedAnswer, Window
    from evenhand.usecases.ports import UnitOfWork

_ACTOR = "command line"


@click.group()
def events() -> None:
    """Ingest, export, query, deliver, verify and delete events.

    An event is one final result; evenhand contract show says what it holds.
    """


events.add_command(ingest)
events.add_command(export)
events.add_command(drain)


@events.command()
@click.argument("question")
@click.option("--start", required=True, metavar="TIME", help="The first instant, in UTC with Z.")
@click.option("--end", required=True, metavar="TIME", help="The first instant behind it.")
@click.option(
    "--parquet",
    type=click.Path(exists=True, path_type=Path),
    metavar="PLACE",
    help="Ask exported Parquet, a file or a folder, instead of the database.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the answer as a page with bars too.",
)
@json_option
@click.pass_context
def query(ctx: click.Context, /, question: str, **given: Any) -> None:
    """Ask a reviewed QUESTION of the contract over a half-open window.

    Groups stand by benchmark and review stratum first, what is unknown is a group of its own, and
    there is no total. A query whose text is not the reviewed one is not asked.
    """
    from evenhand.contracts.trusted import Window, answer_document

    require_report_files(ctx)
    window = Window(start=_instant("start", given["start"]), end=_instant("end", given["end"]))
    answer = _answer(ctx, question, window, given["parquet"])
    if given["report"] is not None:
        _write_page(answer, given["report"])
    if given["as_json"]:
        print_json(answer_document(answer))
        return
    from evenhand.reports.events import answer_lines

    print_lines(answer_lines(answer))


@events.command()
@click.option("--project", required=True, metavar="NAME", help="Id or name at the hub.")
@json_option
@click.pass_context
def verify(ctx: click.Context, *, project: str, as_json: bool) -> int:
    """Walk the contract's checklist against a running hub, and print each point.

    The hub is the one of EVENHAND_HUB_URL, with an operator's token in EVENHAND_TOKEN. What is
    sent lies on 2000-01-01, under an account of its own, and is deleted at the end. Exit code 1
    where a point does not hold.
    """
    from evenhand.adapters.event_hub import EventHub
    from evenhand.usecases.event_checklist import walk_checklist

    app = app_of(ctx)
    hub = EventHub(*app.require_hub(), project)
    ctx.call_on_close(hub.close)
    points = list(walk_checklist(hub, app.ids.new().replace("-", "")))
    if as_json:
        print_json([{"id": one.id, "asks": one.asks, "problem": one.problem} for one in points])
    else:
        for one in points:
            state = "holds" if one.problem is None else "fails"
            why = "" if one.problem is None else f": {one.problem}"
            click.echo(f"{state}  {one.id}  {one.asks}{why}")
    return Exit.PASS if all(one.problem is None for one in points) else Exit.FINDING


@events.command()
@click.argument("account")
@click.option("--project", metavar="NAME", help="Only in this project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def delete(
    ctx: click.Context, account: str, *, project: str | None, yes: bool, as_json: bool
) -> None:
    """Delete every event of an ACCOUNT, the pseudonym; files that were exported stay."""
    from evenhand.cli.registering import ACTOR
    from evenhand.usecases import event_keeping
    from evenhand.usecases import events as verbs

    app = app_of(ctx)
    confirm_deletion(ctx, "Delete every event of this account?", yes=yes)

    def work(uow: UnitOfWork) -> int:
        of = None if project is None else verbs.find_project(uow, project).id
        return event_keeping.delete_account(uow, account, project_id=of, actor=ACTOR, ids=app.ids)

    _tell(app.database.run(work), as_json=as_json)


@events.command()
@purge_options
@json_option
@click.pass_context
def purge(ctx: click.Context, *, older_than: int | None, yes: bool, as_json: bool) -> None:
    """Delete events, and traces of refusals, that came more than so many days ago."""
    from evenhand.usecases import event_keeping

    app = app_of(ctx)
    days = app.settings.retention_days if older_than is None else older_than
    confirm_deletion(ctx, f"Delete events that came more than {days} days ago?", yes=yes)
    deleted = app.database.run(
        lambda uow: event_keeping.purge(uow, days=days, actor=_ACTOR, ids=app.ids)
    )
    _tell(deleted, as_json=as_json)


def _answer(
    ctx: click.Context, question: str, window: Window, parquet: Path | None
) -> TrustedAnswer:
    if parquet is None:
        from evenhand.usecases import events as verbs

        return app_of(ctx).stored.read(lambda uow: verbs.answer(uow, question, window))
    from evenhand.adapters.queries.parquet import over_parquet
    from evenhand.contracts.trusted import ask, load_question

    asked = load_question(question)
    with over_parquet(parquet) as execute:
        return ask(asked, window, execute)


def _write_page(answer: TrustedAnswer, path: Path) -> None:
    from evenhand.adapters.formats.whole_file import writing
    from evenhand.reports.event_chart import build_answer_view
    from evenhand.reports.html import render_answer_html

    page = render_answer_html(build_answer_view(answer))
    with writing(path) as stream:
        stream.write(page.encode())


def _instant(name: str, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.utcoffset() != timedelta(0):
        option = f"--{name}"
        raise InvalidValue(option, "must be a time in UTC such as 2026-07-29T00:00:00Z")
    return found


def _tell(deleted: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"deleted": deleted})
        return
    from evenhand.reports.numbers import count

    click.echo(f"deleted {count(deleted, 'event')}")
