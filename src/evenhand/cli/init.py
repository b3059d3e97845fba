"""``evenhand init``: a commented configuration and an example that runs at once."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import click

from evenhand.cli.options import json_option, print_json, quiet_option, remark
from evenhand.core.errors import InvalidFile
from evenhand.reports.safe_text import encodable, shown_text

#: File in the package → where it goes below the folder.
_FILES = {
    "evenhand.toml": "evenhand.toml",
    "example_retriever.py.txt": "example_retriever.py",
    "corpus.jsonl": "example/corpus.jsonl",
    "questions.jsonl": "example/questions.jsonl",
}
_NEXT = """\
  evenhand run example/questions.jsonl example     evaluate the example retriever
  evenhand run example/questions.jsonl example     again: now there is something to compare with
  evenhand sets lint example/questions.jsonl --corpus example/corpus.jsonl
Then edit example_retriever.py and evenhand.toml until they are your own."""


@click.command
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
@json_option
@quiet_option
def init(folder: Path, *, as_json: bool, quiet: bool) -> None:
    """Write a configuration and an example that runs at once.

    They go into FOLDER, by default the working directory: evenhand.toml, ten example questions
    with their corpus, and an example retriever. Nothing is overwritten: when one of the files is
    there already, nothing at all is written.
    """
    targets = {source: folder / target for source, target in _FILES.items()}
    _require_free(folder, list(targets.values()))
    source_folder = resources.files("evenhand.demo").joinpath("starter")
    _write(
        {target: source_folder.joinpath(source).read_bytes() for source, target in targets.items()}
    )
    if as_json:
        print_json({"written": [encodable(str(target), "utf-8") for target in targets.values()]})
    else:
        for target in targets.values():
            click.echo(f"wrote {_shown(target)}")
    where = "Next:" if folder == Path() else f"Next, in {_shown(folder)}:"
    remark(f"{where}\n{_NEXT}", quiet=quiet)


def _require_free(folder: Path, targets: list[Path]) -> None:
    # A link that leads nowhere is there, too: writing would follow it.
    present = [_shown(target) for target in targets if target.exists() or target.is_symlink()]
    if present:
        raise click.UsageError(_present(present))
    shared = folder / "pyproject.toml"
    if shared.is_file() and _is_configured(shared):
        raise click.UsageError(
            "[tool.evenhand] in pyproject.toml configures this folder, and an evenhand.toml would "
            "take its place; nothing was written"
        )


def _is_configured(shared: Path) -> bool:
    try:
        tool = tomllib.loads(shared.read_text(encoding="utf-8", errors="replace")).get("tool")
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(tool, dict) and "evenhand" in tool


def _write(contents: dict[Path, bytes]) -> None:
    """Write every file, or leave nothing behind."""
    written: list[Path] = []
    try:
        for target, content in contents.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                written.append(target)
                stream.write(content)
    except OSError as error:
        for target in written:
            target.unlink(missing_ok=True)
        raise InvalidFile(_shown(target), _unwritable(error)) from None


def _shown(path: Path) -> str:
    return shown_text(str(path), limit=None)


def _present(present: list[str]) -> str:
    return f"already there, so nothing was written: {', '.join(present)}"


def _unwritable(error: OSError) -> str:
    return f"cannot be written: {error.strerror or type(error).__name__}"
