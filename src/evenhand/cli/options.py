"""Options and small habits that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from evenhand.bootstrap import App

Command = TypeVar("Command", bound=Callable[..., object])


def json_option(command: Command) -> Command:
    """``--json``: the result as one JSON document on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(
        command
    )


def quiet_option(command: Command) -> Command:
    """``-q``: no progress and no talk on standard error."""
    return click.option("-q", "--quiet", is_flag=True, help="No progress, no remarks.")(command)


def app_of(ctx: click.Context, **flags: str | None) -> App:
    """The wired parts of this run, with the settings that this command's flags give.

    They are closed when the command ends.

    Raises:
        InvalidSetting: a setting is malformed.
    """
    from evenhand.bootstrap import build_app
    from evenhand.settings import load_settings

    if ctx.obj is None or not isinstance(ctx.obj, RootFlags):
        app = build_app(load_settings(flags))
    else:
        app = build_app(load_settings({**ctx.obj.flags, **flags}, start=ctx.obj.start))
    ctx.call_on_close(app.close)
    return app


class RootFlags:
    """What was given before the command's name."""

    def __init__(self, project: str | None, database_url: str | None) -> None:
        """Hold the root's flags."""
        from pathlib import Path

        self.start = None if project is None else Path(project)
        self.flags: dict[str, str | None] = {"database_url": database_url}


def print_json(document: object) -> None:
    """One JSON document and a line feed on standard output."""
    import msgspec

    encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.flush()


def remark(text: str, *, quiet: bool = False) -> None:
    """A line of talk on standard error."""
    if not quiet:
        click.echo(text, err=True)
