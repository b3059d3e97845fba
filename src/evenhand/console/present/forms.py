"""What do the macros of ``parts/forms.html`` draw? A fact, whether something is in use, a choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evenhand.core.registry.registered import Changeable

_IN_USE: Final = "in use"
_OUT_OF_USE: Final = "out of use"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView:
    """One fact.

    Attributes:
        name: what it is.
        text: its value, short where it is long.
        whole: what is copied; empty where nothing is to be copied.
        address: where it leads; empty for nowhere.
    """

    name: str
    text: str
    whole: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UseView:
    """Whether something is in use.

    Attributes:
        key: ``active`` or ``inactive``, for styles.
        word: for people.
    """

    key: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a list.

    Attributes:
        value: what is sent.
        text: what is read.
        is_chosen: whether it was chosen before.
    """

    value: str
    text: str
    is_chosen: bool


def use_view(one: Changeable) -> UseView:
    """Whether it is in use."""
    return UseView(key=one.state, word=_IN_USE if one.active else _OUT_OF_USE)


def options(pairs: Iterable[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    """Choices of a list, in the order given.

    Args:
        pairs: what is sent and what is read of each.
        chosen: what was chosen before is sent as this.
    """
    return tuple(
        Option(value=value, text=text, is_chosen=value == chosen) for value, text in pairs
    )
