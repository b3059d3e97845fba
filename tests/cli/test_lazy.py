from collections.abc import Mapping
from typing import ClassVar

import click
import pytest

from evenhand.cli.lazy import LazyGroup


class Group(LazyGroup):
    targets: ClassVar[Mapping[str, str]] = {
        "second": "evenhand.cli.db:db",
        "first": "evenhand.cli.nowhere:gone",
        "third": "evenhand.cli.exits:Exit",
    }


CONTEXT = click.Context(Group())


def test_names_are_listed_in_the_tables_order_without_an_import() -> None:
    assert Group().list_commands(CONTEXT) == ["second", "first", "third"]


def test_a_command_is_imported_when_it_is_looked_up() -> None:
    from evenhand.cli.db import db

    assert Group().get_command(CONTEXT, "second") is db
    with pytest.raises(ModuleNotFoundError):
        Group().get_command(CONTEXT, "first")


def test_what_is_no_command_is_a_mistake_in_the_table() -> None:
    with pytest.raises(TypeError, match=r"evenhand\.cli\.exits:Exit"):
        Group().get_command(CONTEXT, "third")


def test_an_unknown_name_is_none() -> None:
    assert Group().get_command(CONTEXT, "fourth") is None
