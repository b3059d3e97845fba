"""``evenhand init``: a commented configuration and an example that runs at once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from evenhand.cli.options import print_json, remark

#: File in the package → where it goes below the folder.
_FILES = {
    "evenhand.toml": "evenhand.toml",
    "example_retriever.py.txt": "example_retriever.py",
    "corpus.jsonl": "example/corpus.jsonl",
    "questions.jsonl": "example/questions.jsonl",
}
_NEXT = """\
Next, in {folder}:
  evenhand run example/questions.jsonl example     evaluate the example retriever
  evenhand run example/questions.jsonl example     again: now there is something to compare with
  evenhand sets lint example/questions.jsonl --corpus example/corpus.jsonl
Then edit example_retriever.py and evenhand.toml until they are your own."""


@click.command
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def init(folder: Path, *, as_json: bool) -> None:
    """Write evenhand.toml, ten example questions and an example retriever into FOLDER.

    Nothing is overwritten: when one of the files is there already, nothing at all is written.
    """
    targets = {source: folder / target for source, target in _FILES.items()}
    present = [str(target) for target in targets.values() if target.exists()]
    if present:
        raise click.UsageError(_present(present))
    source_folder = resources.files("evenhand.demo").joinpath("starter")
    for source, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source_folder.joinpath(source).read_bytes())
    if as_json:
        print_json({"written": [str(target) for target in targets.values()]})
        return
    for target in targets.values():
        click.echo(f"wrote {target}")
    remark(_NEXT.format(folder=folder))


def _present(present: list[str]) -> str:
    return f"already there, so nothing was written: {', '.join(present)}"
