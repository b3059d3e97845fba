"""What do the commands that delete have in common? Days, and a question before anything goes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])

_MOST_DAYS = 999_999_999


def purge_options(command: Command) -> Command:
    """``--older-than`` and ``--yes``."""
    older_than = click.option(
        "--older-than",
        type=click.IntRange(1, _MOST_DAYS),
        metavar="DAYS",
        help="Instead of the configured days.",
    )
    return older_than(click.option("--yes", is_flag=True, help="Do not ask.")(command))


def confirm_deletion(ctx: click.Context, question: str, *, yes: bool) -> None:
    """Ask whoever is there, unless they said yes before.

    Raises:
        UsageError: nobody is there.
    """
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError("nobody is there to confirm it; --yes does not ask", ctx)
    click.confirm(question, abort=True, err=True)
