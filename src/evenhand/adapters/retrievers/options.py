"""Which options does a retriever have? Decodes a configuration's table, strictly."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from evenhand.adapters.retrievers.context import option_name
from evenhand.adapters.system import version_of
from evenhand.core.errors import InvalidSetting

Options = TypeVar("Options", bound=msgspec.Struct)

_NO_OPTIONS: Final = "is not an option: what is called here has none"
_PATH: Final = re.compile(r" - at `\$\.(\w+)[^`]*`")


def read_options(name: str, options: Mapping[str, object], kind: type[Options]) -> Options:
    """The options of a retriever, as its own struct, which must forbid unknown names.

    Args:
        name: the retriever's name, for messages.
        options: as TOML gives them.
        kind: what they become.

    Raises:
        InvalidSetting: an option that is unknown or missing, or a value of another type; names
            the option and never its value.
    """
    known = kind.__struct_fields__
    for option in options:
        if option not in known:
            raise InvalidSetting(option_name(name, option), _unknown(known))
    for option in kind.__struct_fields__[: len(known) - len(kind.__struct_defaults__)]:
        if option not in options:
            raise InvalidSetting(option_name(name, option), "is missing")
    try:
        return msgspec.convert(dict(options), type=kind)
    except msgspec.ValidationError as error:
        option = _option_of(error)
        raise InvalidSetting(option_name(name, option), _rule(error, kind, option)) from None


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


def _unknown(known: Sequence[str]) -> str:
    return f"is not an option; the options are {', '.join(known)}" if known else _NO_OPTIONS


def _option_of(error: msgspec.ValidationError) -> str:
    found = _PATH.search(str(error))
    return "" if found is None else found[1]


def _rule(error: msgspec.ValidationError, kind: type[msgspec.Struct], option: str) -> str:
    hint = get_type_hints(kind).get(option)
    if get_origin(hint) is Literal:
        # The library's own message would repeat the value.
        return f"must be one of {', '.join(map(str, get_args(hint)))}"
    return _PATH.sub("", str(error))


def _range(low: float, high: float) -> str:
    if low == -math.inf:
        return "must be a finite number"
    if high == math.inf:
        return f"must be a finite number of at least {low:g}"
    return f"must be a number from {low:g} to {high:g}"
