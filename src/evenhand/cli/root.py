"""The root of the command line, and the one place where errors become exit codes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import ClassVar

import click

from evenhand import __version__
from evenhand.cli.exits import Exit, exit_code_of
from evenhand.cli.help_page import COMMANDS, OPTIONS, help_page
from evenhand.cli.lazy import LazyGroup
from evenhand.cli.options import RootFlags
from evenhand.cli.streams import OutputLost
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.evaluation import EvaluationFailed, NothingScored
from evenhand.core.errors.retrieval import CodeFailed


class _Root(LazyGroup):
    targets: ClassVar[Mapping[str, str]] = {
        name: target for rows in COMMANDS.values() for name, (target, _) in rows.items()
    }

    def get_help(self, ctx: click.Context) -> str:
        del ctx
        return help_page()


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evenhand", help=OPTIONS["--version"])
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help=OPTIONS["--project DIR"],
)
@click.option("--database-url", metavar="URL", help=OPTIONS["--database-url URL"])
@click.option("--traceback", "show_frames", is_flag=True, help=OPTIONS["--traceback"])
@click.pass_obj
def root(
    flags: RootFlags,
    project: str | None,
    database_url: str | None,
    show_frames: bool,  # noqa: FBT001 -- click's calling convention
) -> None:
    """Take what stands before the command; the text of the help is a page of its own."""
    flags.set(project, database_url, show_frames=show_frames)


def invoke(arguments: list[str]) -> int:
    """Run one command; give its exit code. Messages go to standard error.

    Args:
        arguments: what stands behind ``evenhand``.
    """
    flags = RootFlags()
    try:
        result = root.main(arguments, prog_name="evenhand", standalone_mode=False, obj=flags)
        # Here, where it can still be said that it failed.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except click.Abort as error:
        if isinstance(error.__cause__, EOFError):
            # Click takes it for the end of what somebody types; it is a file that ended early.
            return _went_wrong(error.__cause__, flags)
        return _say("interrupted", Exit.INTERRUPTED)
    except KeyboardInterrupt:
        return _say("interrupted", Exit.INTERRUPTED)
    except BaseException as error:  # noqa: BLE001 -- the last place: whatever is left went wrong
        return _went_wrong(error, flags)
    return result if isinstance(result, int) else Exit.PASS


def explain(error: Exception) -> Exit:
    """Say what went wrong in a command that nothing stood before; give its exit code."""
    return _went_wrong(error, RootFlags())


def _went_wrong(error: BaseException, flags: RootFlags) -> Exit:
    from evenhand.reports.safe_text import shown_lines, shown_text

    if flags.show_frames:
        click.echo("\n".join(_frames(error)), err=True)
    if isinstance(error, OutputLost):
        return _say(f"error: {error}", Exit.WENT_WRONG)
    if isinstance(error, EvenhandError):
        said = f"error: {shown_text(str(error), limit=None)} [{error.code}]"
        code = exit_code_of(error)
    else:
        said = f"error: unexpected {type(error).__name__}{told_place(error)}"
        code = Exit.WENT_WRONG
    if not flags.show_frames:
        said += _hint(error)
    if isinstance(error, EvenhandError) and error.lines is not None:
        said += f"\n{shown_lines(error.lines)}"
    return _say(said, code)


def _hint(error: BaseException) -> str:
    """What would show where an error in somebody's own code arose."""
    if isinstance(error, NothingScored) and not error.is_judged:
        # Nothing failed that could be looked for.
        return ""
    if isinstance(error, EvaluationFailed):
        return "; evenhand --traceback run … --strict shows where it arose"
    is_told = isinstance(error, EvenhandError) and not isinstance(error, CodeFailed)
    return "" if is_told else "; evenhand --traceback … shows the way there"


def _say(text: str, code: Exit) -> Exit:
    click.echo(text, err=True)
    return code


def _frames(error: BaseException) -> Iterator[str]:
    """Where an error and its causes arose, the first cause first.

    Neither a message nor a line of source is shown: either may hold content or a secret.
    """
    import traceback

    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _frames(cause)
    yield f"{type(error).__name__}, most recent call last:"
    for frame in traceback.extract_tb(error.__traceback__):
        if "/click/" not in frame.filename:
            yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'


def told_place(error: BaseException) -> str:
    """File and line of an error that nobody foresaw, whose message could hold anything."""
    import sysconfig
    import traceback
    from pathlib import Path

    frames = traceback.extract_tb(error.__traceback__)
    # Where somebody's code, or ours, called a library; in the library it is seldom to be found.
    libraries = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
    own = [frame for frame in frames if not frame.filename.startswith(libraries)]
    found = (own or frames)[-1:]
    return "".join(f" in {Path(one.filename).name}:{one.lineno}" for one in found)
