"""How is a folder made for what is written into it?"""

from __future__ import annotations

from pathlib import Path

from evenhand.core.errors import InvalidFile


def make_folder(path: Path) -> None:
    """Make a folder and those above it; one that is there stays as it is.

    Raises:
        InvalidFile: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFile(str(path), _unwritable(error)) from None


def _unwritable(error: OSError) -> str:
    return f"cannot be made: {error.strerror or type(error).__name__}"
