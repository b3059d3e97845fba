"""Options and small habits that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

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


def watch_option(command: Command) -> Command:
    """``--watch``: a worker that finds nothing to do looks again, instead of ending."""
    return click.option(
        "--watch",
        metavar="SECONDS",
        type=click.IntRange(1, 3600),
        help="Look again after so many seconds, until it is told to stop.",
    )(command)


def app_of(ctx: click.Context, **flags: str | None) -> App:
    """The wired parts of this run, with the settings that this command's flags give.

    They are closed when the command ends.

    Raises:
        InvalidSetting: a setting is malformed.
    """
    from evenhand.bootstrap import build_app
    from evenhand.settings import load_settings

    root = ctx.obj if isinstance(ctx.obj, RootFlags) else RootFlags()
    app = build_app(load_settings({**root.flags, **flags}, start=root.start))
    for variable, alike in app.settings.unheeded.items():
        remark(f"warning: {_no_setting(variable, alike)}", quiet=bool(ctx.params.get("quiet")))
    ctx.call_on_close(app.close)
    return app


def _no_setting(variable: str, alike: Sequence[str]) -> str:
    from evenhand.reports.safe_text import shown_text

    near = f"; near it: {', '.join(alike)}" if alike else ""
    return f"{shown_text(variable)} is in the environment and is no setting{near}"


class RootFlags:
    """What was given before the command's name.

    Attributes:
        start: where to look for the project, None for the working directory.
        flags: settings by name; None means not given.
        show_frames: whether an error shows where it arose.
    """

    def __init__(self) -> None:
        """Nothing was given."""
        self.start: Path | None = None
        self.flags: dict[str, str | None] = {}
        self.show_frames = False

    def set(self, project: str | None, database_url: str | None, *, show_frames: bool) -> None:
        """Take what the root's options say."""
        from pathlib import Path

        self.start = None if project is None else Path(project)
        self.flags = {"database_url": database_url}
        self.show_frames = show_frames


def print_json(document: object) -> None:
    """One JSON document and a line feed on standard output."""
    import msgspec

    encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.flush()


def print_lines(lines: Iterable[str]) -> None:
    """Lines on standard output, none wider than the terminal; each brings its own indent."""
    from evenhand.reports import terminal_lines
    from evenhand.reports.terminal_page import make_console

    terminal_lines.print_lines(lines, make_console(sys.stdout))


def remark(text: str, *, quiet: bool = False) -> None:
    """A line of talk on standard error."""
    if not quiet:
        click.echo(text, err=True)
