"""``evenhand vectors``: is this installation's arithmetic that of the worked vectors?"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from evenhand.core.errors import InvalidFile
from evenhand.usecases.vectors.check import FileResult, check_file, total


@click.group()
def vectors() -> None:
    """Check this installation against worked vectors."""


@vectors.command()
@click.argument(
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, readable=True, path_type=Path),
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.pass_context
def check(ctx: click.Context, directory: Path, *, as_json: bool) -> None:
    """Run every vector file (*.json) of DIR.

    Exits with 0 when every case comes out, 1 when one does not, and 2 when a file cannot be read
    or is of no known kind: nothing is skipped in silence.
    """
    results: list[FileResult] = []
    refused: list[InvalidFile] = []
    for path in sorted(directory.glob("*.json")):
        try:
            results.append(check_file(path.name, _read(path)))
        except InvalidFile as error:
            refused.append(error)
    if not results and not refused:
        message = f"no vector file (*.json) in {directory}"
        raise click.UsageError(message, ctx)
    click.echo(_as_json(results, refused) if as_json else _as_text(results))
    for refusal in refused:
        click.echo(f"error: {refusal}", err=True)
    if refused:
        ctx.exit(2)
    if any(result.failed for result in results):
        ctx.exit(1)


def _read(path: Path) -> object:
    try:
        document: object = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InvalidFile(path.name, error.strerror or "cannot be read") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(path.name, "is not JSON") from error
    return document


def _as_text(results: list[FileResult]) -> str:
    lines: list[str] = []
    for result in results:
        lines.append(f"{result.file}: {result.passed} of {result.cases} passed")
        lines.extend(f"  {failure.name}: {failure.why}" for failure in result.failed)
    passed, cases = total(results)
    lines.append(f"total: {passed} of {cases} passed")
    return "\n".join(lines)


def _as_json(results: list[FileResult], refused: list[InvalidFile]) -> str:
    passed, cases = total(results)
    return msgspec.json.encode(
        {
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
            "refused": [{"file": error.file, "why": error.rule} for error in refused],
        }
    ).decode()
