"""How does a case say what it expects, and how is a miss worded?

A vector file is outside data, so cases stay plain mappings here: a key that is not there raises
``KeyError``, which ``check`` reports as a case that cannot be run. Nothing has a default, so a
misspelt expectation cannot pass unseen.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Case: TypeAlias = Mapping[str, Any]
"""One case as decoded from JSON."""

CaseCheck: TypeAlias = Callable[[Case, Case], Iterator[str]]
"""Runs one case, given the case and the file's defaults; yields what did not come out."""

_LONGEST = 200


def compare(what: str, expected: object, actual: object) -> Iterator[str]:
    """One line where two values differ; true is not 1, and 1 is not 1.0."""
    if type(expected) is not type(actual) or expected != actual:
        yield f"{what}: expected {_short(expected)}, got {_short(actual)}"


def compare_refusal(run: Callable[[], object], error: type[Exception]) -> Iterator[str]:
    """One line where something that is to be refused is done.

    Args:
        run: what should be refused.
        error: how; any other exception passes through.
    """
    if accepts(run, error):
        yield f"expected {error.__name__}, but nothing was refused"


def accepts(run: Callable[[], object], refusal: type[Exception]) -> bool:
    """Whether something is done rather than refused with the given error."""
    try:
        run()
    except refusal:
        return False
    return True


def raw(text: str) -> bytes:
    """The bytes of a Base64 field."""
    return base64.b64decode(text, validate=True)


def spelt(value: Mapping[str, str]) -> bytes:
    """The bytes of a text field that is spelt ``{"utf8": …}`` or ``{"b64": …}``."""
    ((spelling, text),) = value.items()
    if spelling == "utf8":
        return text.encode("utf-8")
    if spelling == "b64":
        return raw(text)
    raise KeyError(spelling)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
