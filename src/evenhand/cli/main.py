"""``evenhand``: the root of the command line, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from evenhand import __version__
from evenhand.cli.exits import Exit, exit_code_of
from evenhand.cli.lazy import Entry, LazyGroup
from evenhand.cli.options import RootFlags
from evenhand.core.errors import EvenhandError

_MAIN = "Evaluate"
_KEEP = "Sets and stored evaluations"
_CHECK = "Identities and checks"
_DATABASE = "Database"

COMMANDS = {
    "init": Entry(
        target="evenhand.cli.init:init",
        help="Write a configuration and an example that runs at once.",
        group=_MAIN,
    ),
    "demo": Entry(
        target="evenhand.cli.demo:demo",
        help="Evaluate three retrieval pipelines over real text.",
        group=_MAIN,
    ),
    "run": Entry(
        target="evenhand.cli.run:run",
        help="Evaluate a retriever on a golden set, store it, compare it.",
        group=_MAIN,
    ),
    "sets": Entry(
        target="evenhand.cli.sets:sets",
        help="List, show, lint, import and export golden sets.",
        group=_KEEP,
    ),
    "evaluations": Entry(
        target="evenhand.cli.evaluations:evaluations",
        help="List, show, export and purge stored evaluations.",
        group=_KEEP,
    ),
    "corpus": Entry(
        target="evenhand.cli.corpus:corpus",
        help="Digest a corpus; say what changed between two.",
        group=_CHECK,
    ),
    "vectors": Entry(
        target="evenhand.cli.vectors:vectors",
        help="Run worked vectors against the installed package.",
        group=_CHECK,
    ),
    "db": Entry(
        target="evenhand.cli.db:db",
        help="Upgrade, downgrade and check the database.",
        group=_DATABASE,
    ),
}


class _Root(LazyGroup):
    entries = COMMANDS


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evenhand")
@click.option("--project", metavar="DIR", help="Look for the project from here upward.")
@click.option("--database-url", metavar="URL", help="Use this database.")
@click.option("--traceback", "show_traceback", is_flag=True, help="Show where an error arose.")
@click.pass_context
def root(
    ctx: click.Context,
    project: str | None,
    database_url: str | None,
    show_traceback: bool,  # noqa: FBT001 -- click's calling convention
) -> None:
    """Say whether a retrieval change helped, and whether two results may be compared at all."""
    ctx.obj = RootFlags(project, database_url)
    ctx.meta["evenhand.traceback"] = show_traceback


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    sys.exit(run_command(sys.argv[1:] if arguments is None else list(arguments)))


def run_command(arguments: list[str]) -> int:
    """Run one command; give its exit code. Messages go to standard error."""
    try:
        result = root.main(arguments, prog_name="evenhand", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (KeyboardInterrupt, click.exceptions.Abort):
        return _say("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has had enough of it; the exit must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PASS
    except Exception as error:  # noqa: BLE001 -- the last place: whatever is left went wrong
        return _went_wrong(error, show_frames="--traceback" in arguments)
    return result if isinstance(result, int) else Exit.PASS


def _went_wrong(error: Exception, *, show_frames: bool) -> Exit:
    if show_frames:
        import traceback  # on use

        # Frames only: a message may repeat a text that must not be shown.
        click.echo("".join(traceback.format_tb(error.__traceback__)), err=True)
    if isinstance(error, EvenhandError):
        return _say(f"error: {error} [{error.code}]", exit_code_of(error))
    return _say(_unexpected(error), Exit.WENT_WRONG)


def _say(text: str, code: Exit) -> Exit:
    click.echo(text, err=True)
    return code


def _unexpected(error: Exception) -> str:
    """Class and place of an error that nobody foresaw; its message could hold content."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f" in {place.tb_frame.f_code.co_name}:{place.tb_lineno}"
    return (
        f"error: unexpected {type(error).__name__}{where}; "
        "evenhand --traceback … shows where it arose"
    )
