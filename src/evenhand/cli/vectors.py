"""``evenhand vectors``: does this installation's arithmetic agree with the worked vectors?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import json_option, print_json, remark
from evenhand.core.errors import InvalidFile

if TYPE_CHECKING:
    from evenhand.usecases.vectors.check import FileResult


@click.group()
def vectors() -> None:
    """Run worked vectors against the installed package."""


@vectors.command()
@click.argument(
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@json_option
@click.pass_context
def check(ctx: click.Context, directory: Path, *, as_json: bool) -> None:
    """Run every vector file (*.json) of DIR.

    The exit code is 0 when every case comes out, 1 when one does not, and 2 when a file cannot
    be read or is of no known kind: nothing is skipped in silence.
    """
    results, refused = _check_files(directory)
    if as_json:
        print_json(_document(results, refused))
    else:
        _print_results(results)
    for refusal in refused:
        remark(f"error: {refusal}")
    if refused:
        ctx.exit(Exit.USAGE)
    if any(result.failed for result in results):
        ctx.exit(Exit.FINDING)


def _check_files(directory: Path) -> tuple[list[FileResult], list[InvalidFile]]:
    from evenhand.usecases.vectors.check import check_file

    results: list[FileResult] = []
    refused: list[InvalidFile] = []
    try:
        paths = sorted(path for path in directory.iterdir() if path.suffix == ".json")
    except OSError as error:
        raise InvalidFile(str(directory), error.strerror or "cannot be read") from error
    if not paths:
        raise InvalidFile(str(directory), "has no vector file (*.json)")
    for path in paths:
        try:
            results.append(check_file(path.name, _read(path)))
        except InvalidFile as error:
            refused.append(error)
    return results, refused


def _read(path: Path) -> object:
    import msgspec

    try:
        document: object = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InvalidFile(path.name, error.strerror or "cannot be read") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(path.name, "is not JSON") from error
    return document


def _print_results(results: list[FileResult]) -> None:
    from evenhand.reports.safe_text import shown_id, shown_text
    from evenhand.usecases.vectors.check import total

    for result in results:
        click.echo(f"{result.file}: {result.passed} of {result.cases} passed")
        for failure in result.failed:
            click.echo(f"  {shown_id(failure.name)}: {shown_text(failure.why, limit=None)}")
    passed, cases = total(results)
    click.echo(f"total: {passed} of {cases} passed")


def _document(results: list[FileResult], refused: list[InvalidFile]) -> dict[str, object]:
    from evenhand.usecases.vectors.check import total

    passed, cases = total(results)
    return {
        "passed": passed,
        "cases": cases,
        "files": [
            {
                "file": result.file,
                "passed": result.passed,
                "cases": result.cases,
                "failed": result.failed,
            }
            for result in results
        ],
        "refused": [{"file": refusal.file, "why": refusal.rule} for refusal in refused],
    }
