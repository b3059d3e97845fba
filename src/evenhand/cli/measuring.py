"""Which measures did a user ask for? Options of the commands that score, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from evenhand.core.scoring.measures import Measure

Command = TypeVar("Command", bound=Callable[..., object])


def primary_option(command: Command) -> Command:
    """``--measure``: what decides; `primary_of` reads it."""
    return click.option(
        "--measure",
        metavar="NAME",
        help="What decides, such as nDCG@10 (default Success@1 of the hits protocol).",
    )(command)


def measures_option(command: Command) -> Command:
    """``-m``, repeatable: graded measures to compute; `measures_of` reads it."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="NAME",
        multiple=True,
        help="A graded measure such as nDCG@10 or AP(rel=2); repeatable.",
    )(command)


def primary_of(typed: str | None) -> str | Measure | None:
    """What decides a comparison: a rate of the hits protocol, or a graded measure.

    A name that both have, such as Success@1, is the rate.

    Args:
        typed: the name, None where nobody gave one.

    Raises:
        InvalidSetting: no measure has this name, or it has no mean that could be compared.
    """
    from evenhand.core.comparison.comparison import read_primary

    return read_primary(typed)


def measures_again(measures: Sequence[Measure]) -> tuple[str, ...]:
    """The options that ask for the same measures once more."""
    return tuple(part for one in measures for part in ("-m", str(one)))


def measures_of(typed: Sequence[str]) -> tuple[Measure, ...]:
    """Graded measures by their names, each once, in the order given.

    Raises:
        InvalidSetting: no measure has one of these names.
    """
    from evenhand.core.scoring.measure_names import parse_measures

    return parse_measures(typed)
