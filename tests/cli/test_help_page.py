"""The page of ``evenhand --help`` against the commands, which it does not import."""

import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from evenhand.cli.help_page import COMMANDS, OPTIONS, help_page
from evenhand.cli.root import root

ROWS = {name: row for rows in COMMANDS.values() for name, row in rows.items()}


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every command that does something."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*path, name))


def at(path: tuple[str, ...]) -> click.Command:
    found: click.Command = root
    for name in path:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found


PATHS = list(commands(root))


@pytest.mark.parametrize("name", ROWS)
def test_the_page_says_of_a_command_what_its_own_help_says_first(name: str) -> None:
    _, says = ROWS[name]

    assert at((name,)).get_short_help_str(limit=200).rstrip(".") == says.rstrip(".")
    assert f"  {name}" in help_page()
    assert says in help_page()


def test_the_page_lists_the_options_that_there_are() -> None:
    context = click.Context(root, help_option_names=["-h", "--help"])
    records = [one.get_help_record(context) for one in root.get_params(context)]

    assert dict(record for record in records if record is not None) == OPTIONS


def test_commands_stand_under_their_headings_with_the_main_job_first() -> None:
    headings = [line[:-1] for line in help_page().splitlines() if line.endswith(":")]

    assert headings == ["Options", *COMMANDS]
    assert next(iter(COMMANDS)) == "Evaluate"
    assert {"init", "demo", "run"} <= COMMANDS["Evaluate"].keys()
    assert root.list_commands(click.Context(root)) == list(ROWS)


def test_the_page_fits_any_terminal_of_80_columns() -> None:
    assert help_page().isascii()
    assert max(map(len, help_page().splitlines())) <= 80


def test_click_shows_the_very_same_page() -> None:
    assert root.get_help(click.Context(root)) == help_page()


def loaded_by(*arguments: str) -> list[str]:
    """The modules that a command loads, in a process of its own."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from evenhand.cli.main import run_command\n"
        f"run_command({list(arguments)!r})\n"
        "loaded = set(sys.modules) - before; import json\n"
        "print(json.dumps(sorted(loaded)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return names


def test_the_page_is_there_without_click_or_any_command() -> None:
    loaded = loaded_by("--help")

    assert [name for name in loaded if name.startswith("evenhand")] == [
        "evenhand",
        "evenhand.cli",
        "evenhand.cli.help_page",
        "evenhand.cli.main",
    ]
    assert {"click", "typing", "dataclasses", "pathlib"}.isdisjoint(loaded)


def test_a_command_is_imported_alone() -> None:
    loaded = loaded_by("db", "--help")

    assert "evenhand.cli.db" in loaded
    others = {target.partition(":")[0] for name, (target, _) in ROWS.items() if name != "db"}
    assert others.isdisjoint(loaded)


@pytest.mark.parametrize("path", [("run",), ("evaluations",), ("init",), ("demo",), ("sets",)])
def test_help_of_a_command_loads_no_database_and_no_arrays(path: tuple[str, ...]) -> None:
    assert {"sqlalchemy", "numpy", "rich", "jinja2", "yaml"}.isdisjoint(loaded_by(*path, "-h"))


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_gives_json(path: tuple[str, ...]) -> None:
    names = {name for parameter in at(path).params for name in parameter.opts}

    assert "--json" in names


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_and_option_says_what_it_does(path: tuple[str, ...]) -> None:
    command = at(path)
    options = [one for one in command.params if isinstance(one, click.Option)]

    assert command.help
    assert [one.name for one in options if not one.help] == []
    assert all(one.help is not None and one.help.endswith((".", ")", '"')) for one in options)


def test_an_unknown_name_is_no_command() -> None:
    assert root.get_command(click.Context(root), "nope") is None


@pytest.mark.proves("G-13")
def test_the_help_of_run_says_how_a_declared_series_begins() -> None:
    text = " ".join((at(("run",)).help or "").split())

    assert "run once to record the identity (the state is then unknown)" in text
    assert "and again for the strict check" in text
