"""A hub that is killed while it writes loses nothing that it acknowledged.

A few kills; ``tools/torture_hub.py`` does many.
"""

from pathlib import Path

import pytest

from tools.torture_hub import kill_again_and_again

pytestmark = pytest.mark.on_disk


@pytest.mark.parametrize(
    ("empty_database_url", "kills"),
    [("sqlite", 10), ("postgresql", 2)],
    indirect=["empty_database_url"],
)
def test_a_kill_under_load_loses_no_acknowledged_write(
    empty_database_url: str, kills: int, tmp_path: Path
) -> None:
    found = kill_again_and_again(empty_database_url, tmp_path, kills=kills, seed=1)

    assert found.problems == []
    assert found.killed == kills
    assert found.acknowledged >= kills
