"""Which options does a retriever have? Decodes a configuration's table, strictly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from evenhand.adapters.system import version_of
from evenhand.core.errors import InvalidSetting

Options = TypeVar("Options", bound=msgspec.Struct)


def read_options(name: str, options: Mapping[str, object], kind: type[Options]) -> Options:
    """The options of a retriever, as its own struct, which must forbid unknown names.

    Args:
        name: the retriever's name, for messages.
        options: as TOML gives them.
        kind: what they become.

    Raises:
        InvalidSetting: an unknown option, or a value of another type.
    """
    try:
        return msgspec.convert(dict(options), type=kind)
    except msgspec.ValidationError as error:
        raise InvalidSetting(_table(name), str(error)) from None


def require_number(
    name: str, value: float, *, low: float = -math.inf, high: float = math.inf
) -> float:
    """A finite number within its range, both ends included.

    Raises:
        InvalidSetting: it is not.
    """
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidSetting(name, _range(low, high))
    return value


def execution_of_evenhand() -> str:
    """Execution label of the built-in retrievers: the code that runs is Evenhand's own."""
    return f"evenhand:{version_of('evenhand')}"


def _table(name: str) -> str:
    return f"retrievers.{name}"


def _range(low: float, high: float) -> str:
    if low == -math.inf:
        return "must be a finite number"
    if high == math.inf:
        return f"must be a finite number of at least {low:g}"
    return f"must be a number from {low:g} to {high:g}"
