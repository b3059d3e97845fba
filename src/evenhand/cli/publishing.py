"""How does a result that is stored get to a hub? Shared by ``run --hub`` and ``evaluations publish``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import remark
from evenhand.core.errors import EvenhandError

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
    from evenhand.reports.evaluation_document import EvaluationDocument
    from evenhand.usecases.evaluations import Kept
    from evenhand.usecases.ports import HubAnswer

PROJECT_HELP: Final = "Project of the hub, by name or id (default: the service client's own)."


def require_hub(app: App, *, quiet: bool) -> None:
    """Refuse before any work what could not be sent at its end.

    Raises:
        InvalidSetting: no hub or no token is configured.
    """
    app.require_hub()
    url = app.settings.hub_url or ""
    if url.startswith("http://") and not _stays_here(url):
        remark(
            "warning: the token and the result cross the network as they are; use https://",
            quiet=quiet,
        )


def send(app: App, kept: Kept, *, golden_set: GoldenSet | None, project: str | None) -> HubAnswer:
    """Send a stored result; what is stored here stays as it is.

    Args:
        app: the wired parts.
        kept: everything that is stored of it.
        golden_set: the set at hand, None where there is none.
        project: of the hub, by name or id.

    Raises:
        InvalidSetting: no hub or no token is configured.
        NotPublishable: too little was kept, or the set is needed and not at hand.
        HubRefused, HubUnavailable: the hub did not take it.
    """
    from evenhand.wire.sending import evaluation_body

    body = evaluation_body(
        kept.record, kept.outcomes, kept.rankings, golden_set=golden_set, project=project
    )
    hub = app.open_result_hub()
    try:
        return hub.publish(body)
    finally:
        hub.close()


def require_sendable(ctx: click.Context, app: App, given: dict[str, Any]) -> None:
    """Refuse before any work of ``run --hub`` what could not be sent at its end.

    Raises:
        InvalidSetting: as `require_hub`.
    """
    if not app.settings.privacy.keeps_outcomes:
        raise click.UsageError("--hub: privacy level none keeps nothing that could be sent", ctx)
    require_hub(app, quiet=given["quiet"])


def send_fresh(
    app: App, evaluation: Evaluation, record: EvaluationRecord, given: dict[str, Any]
) -> HubAnswer | EvenhandError | None:
    """What the hub said of a result that was just stored, or why it said nothing.

    Returns:
        None where nobody asked for it to be sent. An error is not raised, so that the result is
        shown first.
    """
    from evenhand.usecases.evaluations import find_everything

    if not given["is_sent"]:
        return None
    kept = app.stored.read(lambda uow: find_everything(uow, record.id))
    try:
        return send(app, kept, golden_set=evaluation.golden_set, project=given["project"])
    except EvenhandError as error:
        return error


def with_answer(document: EvaluationDocument, answer: HubAnswer | None) -> EvaluationDocument:
    """A document that also tells what the hub said, where it was asked."""
    if answer is None:
        return document
    from msgspec.structs import replace

    from evenhand.reports.publications import answer_document

    return replace(document, hub=answer_document(answer))


def print_answer(answer: HubAnswer | None) -> None:
    """What the hub said, under what was shown; nothing where it was not asked."""
    if answer is None:
        return
    from evenhand.reports.publications import answer_lines

    click.echo()
    for line in answer_lines(answer):
        click.echo(line)


def _stays_here(url: str) -> bool:
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
