"""``evenhand events ingest``, ``export`` and ``drain``: events come in, go out, and go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.progress import progress_bar

if TYPE_CHECKING:
    from evenhand.contracts.events import Event

_AT_A_TIME = 1_000
_SHOWN = 20


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--project", required=True, metavar="NAME", help="Id or name of the project.")
@json_option
@quiet_option
@click.pass_context
def ingest(ctx: click.Context, file: Path, *, project: str, as_json: bool, quiet: bool) -> None:
    """Take in the events of FILE: JSON Lines, or Parquet where it ends in .parquet.

    Each is stored once: to ingest a file again, or the rest of one after a crash, adds what is
    missing. What is refused or contradicts leaves its place, a reason and the name of a field.
    """
    from evenhand.adapters.event_lines import count_events, read_events
    from evenhand.usecases import events as verbs

    app = app_of(ctx)
    found = app.database.read(lambda uow: verbs.find_project(uow, project))
    sender = verbs.Sender(project_id=found.id)
    counts: Counter[str] = Counter()
    refused: list[tuple[int, str, str]] = []
    place, iterator = 0, iter(read_events(file))
    with progress_bar("events", count_events(file), quiet=quiet) as progress:
        while block := list(islice(iterator, _AT_A_TIME)):
            results = app.database.run(
                lambda uow, block=block, place=place: verbs.ingest(  # type: ignore[misc]  # bound now
                    uow, block, sender=sender, ids=app.ids, first_place=place
                )
            )
            counts.update(one.status.value for one in results)
            refused += [(one.index, one.code, one.field or "") for one in results if one.code]
            place += len(block)
            progress.advance(len(block))
    told = {name: counts[name] for name in ("stored", "duplicate", "conflict", "refused")}
    if as_json:
        print_json(told)
    else:
        click.echo("  ".join(f"{name} {number}" for name, number in told.items()))
    for index, code, field in refused[:_SHOWN]:
        remark(f"event {index + 1}: {code} at {field}", quiet=quiet)
    if len(refused) > _SHOWN:
        remark(f"and {len(refused) - _SHOWN} more", quiet=quiet)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
@click.pass_context
def export(ctx: click.Context, /, file: Path, **given: Any) -> None:
    """Write stored events to FILE, as JSON Lines, or as Parquet where it ends in .parquet."""
    from evenhand.adapters.formats.event_parquet import SUFFIX, write_events
    from evenhand.adapters.formats.whole_file import writing
    from evenhand.usecases import events as verbs

    if file.exists() and not given["force"]:
        raise click.UsageError("the file is there; --force replaces it", ctx)
    app, named = app_of(ctx), given["project"]

    def work(uow: Any) -> int:
        of = None if named is None else verbs.find_project(uow, named).id
        total = uow.events.count(None, project_id=of)
        with (
            progress_bar("events", total, quiet=given["quiet"]) as progress,
            writing(file) as stream,
        ):
            walked = _told(uow.events.walk(None, project_id=of), progress)
            if file.suffix == SUFFIX:
                return write_events(stream, walked)
            return _write_lines(stream, walked)

    written = app.stored.read(work)
    if given["as_json"]:
        print_json({"written": written})
    else:
        remark(f"wrote {written} events", quiet=given["quiet"])


@click.command()
@click.argument("place")
@click.option(
    "--as",
    "form",
    type=click.Choice(("jsonl", "parquet")),
    default="jsonl",
    show_default=True,
    help="What the files of a folder are.",
)
@json_option
@quiet_option
@click.pass_context
def drain(ctx: click.Context, place: str, *, form: str, as_json: bool, quiet: bool) -> None:
    """Bring the events that the hub emitted to PLACE: a folder, or a postgresql:// address.

    Each arrives, after a crash too, and none twice: a folder gets one file a batch, named by it,
    and a table takes each event once.
    """
    from evenhand.adapters.sinks.files import FolderSink
    from evenhand.adapters.sinks.postgresql import PostgresqlSink
    from evenhand.usecases.emission import drain as drained
    from evenhand.usecases.ports import EventSink

    is_server = place.startswith(("postgresql://", "postgres://"))
    sink: EventSink = PostgresqlSink(place) if is_server else FolderSink(Path(place), f".{form}")
    app = app_of(ctx)
    waiting = app.database.read(lambda uow: uow.event_outbox.count_waiting(sink.name))
    with progress_bar("events", waiting, quiet=quiet) as progress:
        sent = drained(app.database, sink, ids=app.ids, progress=progress)
    if as_json:
        print_json({"sent": sent})
    else:
        click.echo(f"sent {sent} events")


def _told(walked: Iterator[Event], progress: Any) -> Iterator[Event]:
    for number, event in enumerate(walked, 1):
        yield event
        if number % _AT_A_TIME == 0:
            progress.advance(_AT_A_TIME)


def _write_lines(stream: BinaryIO, walked: Iterator[Event]) -> int:
    from evenhand.contracts.decoding import encode_event

    number = 0
    for number, event in enumerate(walked, 1):  # noqa: B007 -- how many there were
        stream.write(encode_event(event) + b"\n")
    return number
