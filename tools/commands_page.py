"""Write docs/commands.md: the help of every command, as the program prints it.

Usage: python -m tools.commands_page
"""

from collections.abc import Iterator
from pathlib import Path

import click

from evenhand.cli.help_page import COMMANDS, help_page
from evenhand.cli.root import root

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
HEAD = """\
# Commands

`evenhand COMMAND --help` prints what stands here.
Data goes to standard output, talk to standard error; `--json` gives one JSON document.
The [exit codes](exit-codes.md) are those of every command, and flags win over [settings](settings.md).
"""
WIDTH = 80


def page() -> str:
    """The page, made from the commands."""
    parts = [HEAD, _block(help_page())]
    for heading, rows in COMMANDS.items():
        parts.append(f"## {heading}\n")
        for name in rows:
            command = root.get_command(click.Context(root), name) or root
            for path, found in _leaves(command, (name,)):
                parts += [f"### evenhand {' '.join(path)}\n", _block(_help(path, found))]
    return "\n".join(parts)


def _leaves(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _leaves(inner, (*path, name))


def _help(path: tuple[str, ...], command: click.Command) -> str:
    context = click.Context(
        command,
        info_name=f"evenhand {' '.join(path)}",
        help_option_names=["-h", "--help"],
        terminal_width=WIDTH,
        max_content_width=WIDTH,
    )
    return command.get_help(context)


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
