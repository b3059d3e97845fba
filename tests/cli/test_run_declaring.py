"""How a user's own retriever comes to a declaration: flags, and lines pasted."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.cli.typed import Cli, write_search, write_set


def pasted(output: str) -> str:
    """The lines that a verdict shows for pasting, their open values filled in."""
    lines = [line[4:] for line in output.splitlines() if line.startswith("    ")]
    start = next(n for n, line in enumerate(lines) if line.startswith("# in "))
    chosen = [lines[start]]
    for line in lines[start + 1 :]:
        if not re.match(r"\[|\w+ = ", line):
            break
        chosen.append(line)
    return "\n".join(re.sub(r'"<[^"]*>"', '"stated-1"', line) for line in chosen)


CONFIGURATIONS = [
    pytest.param("evenhand.toml", "# mine\n", "evenhand.toml", id="evenhand.toml"),
    pytest.param("pyproject.toml", '[project]\nname = "x"\n', "pyproject.toml", id="pyproject"),
    pytest.param(None, "", "evenhand.toml", id="no file yet"),
]


@pytest.mark.proves("G-13", "BP-25")
@pytest.mark.parametrize(("file", "content", "named"), CONFIGURATIONS)
def test_pasted_lines_give_a_plain_function_a_comparable_second_run(
    cli: Cli, file: str | None, content: str, named: str
) -> None:
    Path("evenhand.toml").unlink()
    if file is not None:
        Path(file).write_text(content, encoding="utf-8")
    run = ("run", write_set(), write_search())
    assert cli.run(*run) == 0
    lines = pasted(cli.out)
    assert lines.startswith(f"# in {named}\n")

    Path(named).write_text(f"{content}{lines}\n", encoding="utf-8")

    states = [cli.json(*run)["verdict"]["state"] for _ in range(2)]
    # The name that the configuration gives is the one that was typed, so the series goes on.
    assert states == ["unknown", "comparable"]


def test_a_configured_retriever_is_told_only_the_lines_that_its_table_lacks(cli: Cli) -> None:
    table = '[retrievers.mine]\nuse = "search:find"\nmodel = "m-1"\nchunking = "c-1"\n'
    Path("evenhand.toml").write_text(table, encoding="utf-8")
    write_search()
    run = ("run", write_set(), "mine")
    assert cli.run(*run) == 0
    lines = pasted(cli.out)
    assert lines.splitlines()[0] == "# in evenhand.toml, under [retrievers.mine]"
    assert sorted(tomllib.loads(lines)) == ["corpus", "pipeline"]

    Path("evenhand.toml").write_text(table + lines, encoding="utf-8")
    assert [cli.json(*run)["verdict"]["state"] for _ in range(2)] == ["unknown", "comparable"]


def test_labels_given_by_flags_are_filled_into_the_lines_to_paste(cli: Cli) -> None:
    assert cli.run("run", write_set(), write_search(), "--corpus", "c-7") == 0
    assert 'corpus = "c-7"' in pasted(cli.out)
    assert "lacks model, chunking, pipeline: its provenance is unknown" in cli.err


def test_nothing_is_to_be_pasted_where_everything_is_declared(cli: Cli) -> None:
    name = write_set()
    write_search()
    assert cli.run("run", name, "search:find") == 0
    table = {"corpus": "c", "model": "m", "chunking": "n", "pipeline": "p", "use": "search:find"}
    lines = "\n".join(f'{key} = "{value}"' for key, value in table.items())
    Path("evenhand.toml").write_text(f'[retrievers."search:find"]\n{lines}\n', encoding="utf-8")

    assert cli.run("run", name, "search:find") == 0
    assert "Unknown" in cli.out
    assert "paste" not in cli.out


@pytest.mark.parametrize(
    ("corpus", "kind"), [("docs.jsonl", "Digested here:"), ("docs-2026", "Declared:")]
)
def test_a_corpus_named_by_a_path_is_digested_here_and_one_by_a_label_is_declared(
    cli: Cli, corpus: str, kind: str
) -> None:
    line = '{"_id": "d1", "title": "", "text": "One."}\n'
    Path("docs.jsonl").write_text(line, encoding="utf-8")
    labels = ("--model", "m-1", "--chunking", "c-1", "--pipeline", "p-1")

    assert cli.run("run", write_set(), write_search(), "--corpus", corpus, *labels) == 0

    kinds = [line for line in cli.out.splitlines() if line.endswith(":") and line[0] != " "]
    assert kind in kinds
    assert ("Digested here:" in kinds) == (corpus == "docs.jsonl")
    assert ("Declared by the retriever" in cli.out) == (corpus == "docs-2026")
