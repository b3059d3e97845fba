"""Where does the golden set lie whose stored results are looked at? A memory of this machine.

A stored result names its set by an identifier, which says nothing of the file or module that it
came from. What a user typed is remembered beside the identifier, so that a command which is
printed later can be typed as it stands. The file holds identifiers and references, no question.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from evenhand.adapters.formats.sets import is_golden_set_path
from evenhand.adapters.formats.whole_file import writing
from evenhand.adapters.modules import is_module_reference

FILE: Final = "golden-sets.json"


class _Seen(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    format: Literal["evenhand.golden-sets/1"]
    sets: dict[str, str]


def remember_set(folder: Path, identifier: str, reference: str) -> None:
    """Note what a set was asked for by; the last one counts.

    Args:
        folder: the project's state folder; where there is none, nothing is remembered.
        identifier: of the set.
        reference: what the user typed: a path, or ``module:attribute``.
    """
    path = Path(reference)
    held = str(path.resolve()) if is_golden_set_path(path) else reference
    known = _read(folder / FILE)
    if known.get(identifier) == held or not folder.is_dir():
        return
    seen = _Seen(format="evenhand.golden-sets/1", sets=known | {identifier: held})
    with writing(folder / FILE, mode=0o600) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(seen, order="sorted")) + b"\n")


def recall_set(folder: Path, identifier: str) -> str | None:
    """What names a set here and now; None where it is not known or no longer there.

    Args:
        folder: the project's state folder.
        identifier: of the set.

    Returns:
        A path, relative to the working directory where it lies below, or ``module:attribute``.
    """
    held = _read(folder / FILE).get(identifier)
    if held is None:
        return None
    path = Path(held)
    if is_golden_set_path(path):
        here = Path.cwd()
        return str(path.relative_to(here)) if path.is_relative_to(here) else held
    return held if is_module_reference(held) else None


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Seen).sets
    except (OSError, msgspec.DecodeError):
        # Only a memory: without it a command names the set by its identifier.
        return {}
