"""Where do things that can be made again lie? In ``.evenhand/cache`` of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_STATE: Final = ".evenhand"
_CACHE: Final = "cache"
_PRIVATE: Final = 0o700


def open_cache_folder(project_root: Path) -> Path:
    """The cache folder of a project, made where it is missing.

    It and the state folder around it are for their owner only, and git ignores them.

    Raises:
        OSError: it cannot be made.
    """
    state = project_root / _STATE
    if not state.is_dir():
        state.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        (state / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = state / _CACHE
    folder.mkdir(mode=_PRIVATE, exist_ok=True)
    # Also where an older or a careless hand made it: vectors tell much about their texts.
    folder.chmod(_PRIVATE)
    return folder
