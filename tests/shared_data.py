"""Where the shared test collections are, for tests that read real text when it is at hand."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent


def shared_data(*parts: str) -> Path:
    """A path below ``shared/data``, found by ``EVENHAND_SHARED`` or beside the repository.

    The test is skipped where it is missing: the repository does not come with it.
    """
    named = os.environ.get("EVENHAND_SHARED")
    folder = Path(named) if named else _ROOT.parent / "shared"
    path = folder.joinpath("data", *parts)
    if not path.exists():
        pytest.skip(f"needs the shared collection {'/'.join(parts)} (EVENHAND_SHARED)")
    return path
