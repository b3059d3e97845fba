"""``evenhand serve``: the HTTP API over the store, until it is told to stop."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.core.errors import MissingExtra

if TYPE_CHECKING:
    from evenhand.usecases.access import Issued

#: After how many new objects a hub looks for garbage among them.
_GARBAGE_AFTER: Final = 20_000
_CONSOLE: Final = "/console/"


@click.command()
@click.option("--host", metavar="ADDRESS", help="Listen on this address (default: 127.0.0.1).")
@click.option("--port", metavar="N", help="Listen on this port (default: 8642; 0: a free one).")
@quiet_option
@json_option
@click.pass_context
def serve(
    ctx: click.Context, *, host: str | None, port: str | None, quiet: bool, as_json: bool
) -> None:
    """Serve stored evaluations over HTTP.

    The database is made or brought to this release's schema first, under a lock. Where there
    never was a credential, an operator's token is made and printed, this once. Prints where it
    listens; the log goes to standard error, one JSON object a line. SIGTERM and Ctrl-C let
    requests in work end.
    """
    app = app_of(ctx, serve_host=host, serve_port=port)
    with _starting() as is_started:
        # First, because the optional part may not be installed; then nothing is made.
        try:
            from evenhand.hosting import hub_with_console
            from evenhand.hub import serving
        except ModuleNotFoundError as error:
            raise MissingExtra("evenhand serve", "hub") from error
        with serving.listen(app.settings.serve_host, app.settings.serve_port) as listening:
            issued = app.open_hub()
            served = hub_with_console(app, sys.stderr)
            if not serving.is_loopback(listening):
                remark(_REACHABLE, quiet=quiet)

            def _ready() -> None:
                is_started()
                _tell(serving.address_of(listening), issued, as_json=as_json)

            serving.serve(served, listening, log=sys.stderr, ready=_ready)


@contextmanager
def _starting() -> Iterator[Callable[[], None]]:
    """Look for no garbage until what it gives is called, or the block ends.

    Nearly all that a start makes stays; to look for garbage in it takes a tenth of the time.
    """

    def _started() -> None:
        gc.freeze()
        # What a request makes is gone without it; to look after every 700 objects takes a
        # fourteenth of the time of a busy gateway.
        gc.set_threshold(_GARBAGE_AFTER)
        gc.enable()

    gc.disable()
    try:
        yield _started
    finally:
        gc.enable()


_REACHABLE = (
    "warning: other machines reach this address and tokens cross the network as they are; put a"
    " proxy with TLS in front"
)


def _tell(address: str, issued: Issued | None, *, as_json: bool) -> None:
    token = None if issued is None else issued.token
    if as_json:
        print_json(
            {"address": address, "operator_token": token, "console": f"{address}{_CONSOLE}"}
        )
        return
    if token is not None:
        click.echo(f"operator token, shown this once: {token}")
    click.echo(f"listening on {address}")
    click.echo(f"the console is at {address}{_CONSOLE}")
    sys.stdout.flush()
