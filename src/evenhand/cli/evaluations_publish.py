"""``evenhand evaluations publish``: a stored result goes to the hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option
from evenhand.cli.publishing import PROJECT_HELP

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.retrieval.golden import GoldenSet


@click.command()
@click.argument("reference")
@click.option("--project", metavar="NAME", help=PROJECT_HELP)
@click.option("--set", "golden_set", metavar="SET", help="The set it ran on, where it is needed.")
@json_option
@quiet_option
@click.pass_context
def publish(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Send a stored evaluation to the hub at hub_url, which scores it anew.

    What was kept at the level full goes as rankings, with questions and labels of its golden
    set; what was kept below it, or came of a run file, as ranks of judged documents by position,
    with no id and no text. To send the same one again stores nothing twice.
    """
    from evenhand.cli.publishing import require_hub, send
    from evenhand.reports.publications import answer_document, answer_lines
    from evenhand.usecases import evaluations as verbs
    from evenhand.wire.sending import needs_set

    app = app_of(ctx)
    require_hub(app, quiet=given["quiet"])
    kept = app.stored.read(lambda uow: verbs.find_everything(uow, reference))
    asked = None
    if needs_set(kept.record, kept.rankings):
        asked = _set_that_ran(app, given["golden_set"], kept.record.set_identifier)
    answer = send(app, kept, golden_set=asked, project=given["project"])
    if given["as_json"]:
        print_json({"id": kept.record.id, "hub": answer_document(answer)})
        return
    for line in answer_lines(answer):
        click.echo(line)


def set_at_hand(app: App, reference: str | None, identifier: str) -> GoldenSet | None:
    """The set to join: the one asked for, else an imported one, else none."""
    if reference is not None:
        from evenhand.adapters.golden_sets import resolve_golden_set

        return resolve_golden_set(reference, app.golden_set_context()).golden_set
    return app.stored.read(lambda uow: uow.golden_sets.find(identifier))


def _set_that_ran(app: App, reference: str | None, identifier: str) -> GoldenSet | None:
    """The set asked for, an imported one, or the file that this set was asked for by before."""
    found = set_at_hand(app, reference, identifier)
    if found is not None:
        return found
    from evenhand.adapters.formats.sets import is_golden_set_path, read_golden_set
    from evenhand.adapters.seen_sets import recall_set
    from evenhand.core.errors import EvenhandError

    seen = recall_set(app.settings.state_folder, identifier)
    if seen is None or not is_golden_set_path(Path(seen)):
        # A module is not loaded: to send a stored result runs nobody's code.
        return None
    try:
        return read_golden_set(Path(seen), split=None).golden_set
    except EvenhandError:
        return None
