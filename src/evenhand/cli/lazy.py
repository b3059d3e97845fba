"""How does a command line with many commands start quickly? It imports the one that is called.

Help is grouped, and its one-line texts stand in a table beside the names, so that ``--help``
imports no command either. A test compares the table with the commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a command lives and what its one-line help says.

    Attributes:
        target: ``module:attribute``.
        help: first line of the command's help.
        group: heading under which it is listed.
    """

    target: str
    help: str
    group: str


class LazyGroup(click.Group):
    """A click group that imports a command when it is looked up by name."""

    entries: Mapping[str, Entry] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the table's order."""
        del ctx
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None when there is none of that name."""
        del ctx
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(entry.target)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing any."""
        del ctx
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            groups.setdefault(entry.group, []).append((name, entry.help))
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows)
