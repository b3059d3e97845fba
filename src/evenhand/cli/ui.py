"""``evenhand ui``: the console over a project's store, for the one who starts it, until it is ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.core.errors import InvalidSetting, MissingExtra

if TYPE_CHECKING:
    import socket

_LAST_PORT: Final = 65535


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_PORT),
    default=0,
    metavar="N",
    help="Listen on this port (default: a free one).",
)
@click.option("--no-browser", is_flag=True, help="Only print the address, open no browser.")
@quiet_option
@json_option
@click.pass_context
def ui(ctx: click.Context, *, port: int, no_browser: bool, quiet: bool, as_json: bool) -> None:
    """Look at sets, evaluations and comparisons in a browser.

    Listens on this machine only, and prints an address that lets one browser in, once, within
    five minutes; whoever else reaches the port sees nothing. It is opened where there is a screen
    to open it on. The store is looked at as it is, and none is made by looking. SIGTERM and
    Ctrl-C end it.
    """
    app = app_of(ctx)
    try:
        from evenhand.hub import serving
    except ModuleNotFoundError as error:
        raise MissingExtra("evenhand ui", "hub") from error
    from evenhand.settings import LOOPBACK, has_screen

    with _listen(serving.listen, LOOPBACK, port) as listening:
        console = app.laptop_console(_tell_failure, frozenset({LOOPBACK, "localhost"}))
        root = serving.address_of(listening)

        def _ready() -> None:
            address = root + app.console_entrance(console)
            if as_json:
                print_json({"address": root, "one_time_address": address})
            else:
                click.echo(f"open within five minutes, once: {address}")
                sys.stdout.flush()
            if not no_browser and not as_json and has_screen():
                _open(address, quiet=quiet)
            remark("Ctrl-C ends it", quiet=quiet)

        serving.serve(console, listening, log=sys.stderr, ready=_ready)


def _listen(listen: Callable[[str, int], socket.socket], host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except InvalidSetting as error:
        raise InvalidSetting("--port", error.rule) from None


def _open(address: str, *, quiet: bool) -> None:
    import webbrowser

    try:
        is_open = webbrowser.open(address)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        remark("no browser was found; open the address in one", quiet=quiet)


def _tell_failure(error: BaseException) -> None:
    """Class and place of an error that nobody foresaw; its message could hold anything."""
    from evenhand.cli.root import told_place

    remark(f"error: unexpected {type(error).__name__}{told_place(error)}")
