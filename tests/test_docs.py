"""The documentation against the program: what it names is there, what it shows happens."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from evenhand.adapters.retrievers.context import read_configs
from evenhand.cli.main import run_command
from evenhand.cli.root import root
from evenhand.core import errors
from evenhand.settings import load_settings
from tests.docs_pages import (
    NAMES,
    PAGES,
    ROOT,
    Block,
    Step,
    blocks,
    commands,
    forget_imports,
    missing,
    perform,
    prose,
    steps,
)
from tests.error_classes import error_classes

DOCS = ROOT / "docs"
ERRORS = error_classes()
NAMES_OF_ERRORS = {one.__name__ for one in ERRORS}
#: Executed elsewhere, because a hub has to be there.
WITH_HUB = ("publish.md",)
EXECUTED = [
    page
    for page in PAGES
    if page.name not in WITH_HUB and any(isinstance(one, Step) for one in steps(page))
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is the working directory, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    forget_imports(tmp_path)


# What is shown happens.


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_every_command_of_a_page_does_what_the_page_shows(page: Path, place: Path) -> None:
    for step in steps(page):
        forget_imports(place)
        if isinstance(step, Block):
            Path(step.name).write_text(step.text, encoding="utf-8")
            continue
        printed = perform(step)
        assert (step.command, missing(step, printed)) == (step.command, []), "\n".join(printed)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_of_a_page_runs(page: Path, place: Path) -> None:
    assert run_command(["init", "-q"]) == 0
    names: dict[str, Any] = {"my_search": lambda question, limit: [], "my_function": None}
    for block in blocks(page, "python"):
        code = compile(block.text, page.name, "exec")
        if not block.name:
            exec(code, names)  # noqa: S102 -- our own page
    assert place.exists()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_toml_and_json_of_a_page_can_be_read(page: Path) -> None:
    for block in blocks(page, "toml"):
        tomllib.loads(block.text)
    for block in blocks(page, "json"):
        for line in block.text.splitlines():
            json.loads(line)


def test_golden_questions_of_the_docs_are_a_golden_set(place: Path) -> None:
    (block,) = blocks(DOCS / "golden-sets.md", "json")
    (place / "set.jsonl").write_text(block.text, encoding="utf-8")

    assert run_command(["sets", "show", "set.jsonl"]) == 0


def test_the_retriever_tables_of_the_docs_are_settings(place: Path) -> None:
    tables = [block for block in blocks(DOCS / "retrievers.md", "toml") if "use =" in block.text]
    assert len(tables) >= 4
    for block in tables:
        (place / "evenhand.toml").write_text(block.text, encoding="utf-8")
        assert read_configs(load_settings(start=place, environment={}).retrievers)


# What is named is there.


def command_at(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words name, and the words behind its name."""
    found: click.Command = root
    rest = _without_root_options(words)
    while isinstance(found, click.Group) and rest:
        inner = found.get_command(click.Context(found), rest[0])
        if inner is None:
            break
        found, rest = inner, rest[1:]
    return found, rest


def _without_root_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        takes_value = words[0] in ("--project", "--database-url")
        words = words[2 if takes_value else 1 :]
    return words


LINES = [
    pytest.param(line, id=f"{name}: {line}")
    for page, name in zip(PAGES, NAMES, strict=True)
    for line in dict.fromkeys(commands(page))
]


@pytest.mark.parametrize("line", LINES)
def test_every_command_line_is_one_that_the_program_takes(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    command, rest = command_at([word for word in words if word not in ("…", "...")])
    if isinstance(command, click.Group):
        # A name in capitals stands for any.
        assert not rest or rest[0].startswith("-") or rest[0].isupper(), rest[0]
        return
    context = click.Context(command, help_option_names=["-h", "--help"])
    # Only the words are read: no value is looked at and nothing is run.
    values, extra, _ = command.make_parser(context).parse_args(list(rest))
    assert extra == []
    wanted = [one for one in command.params if isinstance(one, click.Argument) and one.required]
    if " " in line.strip() and rest and not rest[0].startswith("-") and "…" not in line:
        assert [one.name for one in wanted if values.get(one.name or "") is None] == []


def every_command(
    command: click.Command = root, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(click.Context(command)):
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        yield from every_command(inner, (*path, name))


COMMANDS = dict(every_command())
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_each_of_its_options_is_documented(path: tuple[str, ...]) -> None:
    assert f"evenhand {' '.join(path)}" in TEXT
    options = [one for one in COMMANDS[path].params if isinstance(one, click.Option)]
    assert [one.opts for one in options if not any(f"{name}" in TEXT for name in one.opts)] == []


def test_the_page_of_commands_holds_the_help_of_every_command() -> None:
    # In an interpreter of its own: a command keeps the help option of its first call, and another
    # test may have called it without the names that the program gives.
    code = "from tools.commands_page import page; import sys; sys.stdout.write(page())"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert (DOCS / "commands.md").read_text(encoding="utf-8") == made, (
        "run: python -m tools.commands_page"
    )


def test_every_setting_is_documented_with_its_variable_and_default(place: Path) -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    rows = {
        cells[0].strip("`"): cells
        for line in text.splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 5
    }
    settings = load_settings(start=place, environment={})

    for name in settings.sources:
        assert rows[name][1] == f"`EVENHAND_{name.upper()}`"
    assert "retrievers" in rows
    for name in ("depth", "jobs", "retention_days"):
        assert rows[name][3] == f"`{getattr(settings, name)}`"
    assert rows["max_failed_share"][3] == f"`{float(settings.max_failed_share)}`"
    assert set(rows) - {"setting", "---"} == {*settings.sources, "retrievers"}


def stated_codes() -> set[str]:
    """Every code that an error class has or that an error is raised with."""
    found = {one.code for one in ERRORS}
    # The tree in the docstring names the codes that are made elsewhere, too.
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"[ │├└─]*(?:[A-Z]\w+)?(?: \(.*\))?  +([a-z_, ]+)", line):
            found |= {code for code in match[1].strip(", ").split(", ") if "_" in code}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_error(node):
                found |= {
                    word.value.value
                    for word in node.keywords
                    if word.arg == "code"
                    and isinstance(word.value, ast.Constant)
                    and isinstance(word.value.value, str)
                }
    return found


def _is_error(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name in NAMES_OF_ERRORS


def test_every_code_of_an_error_is_documented_and_no_other() -> None:
    text = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    table = text.partition("## Codes of errors")[2]
    listed = {
        code
        for line in table.splitlines()
        if line.startswith("| `")
        for code in re.findall(r"`([a-z_]+)`", line.split("|")[1])
    }

    assert listed == stated_codes()


def test_every_exit_code_is_documented() -> None:
    from evenhand.cli.exits import Exit

    text = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \|", text, re.MULTILINE) == [str(int(one)) for one in Exit]


LINKS = [
    pytest.param(page, target, id=f"{page.name}: {target}")
    for page in [*PAGES, *sorted((DOCS / "adr").glob("*.md"))]
    for target in dict.fromkeys(re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")))
    if "://" not in target
]


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_every_relative_link_leads_somewhere(page: Path, target: str) -> None:
    path, _, anchor = target.partition("#")
    found = page if not path else (page.parent / path).resolve()

    assert found.exists()
    if anchor:
        headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {
            re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings
        }


def test_every_page_is_reachable_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        waiting += [(page.parent / one).resolve() for one in targets if "://" not in one]

    assert {page.name for page in PAGES} <= {page.name for page in seen}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_line_of_prose_is_one_sentence(page: Path) -> None:
    lines = [
        line
        for line in prose(page).splitlines()
        if line and not line.startswith(("|", "#", "!", "- ", "[", "<")) and not line[0].isdigit()
    ]
    text = [re.sub(r"`[^`]*`", "x", line) for line in lines]

    assert [line for line in text if re.search(r"[a-z)][.?!] [A-Z]", line)] == []
