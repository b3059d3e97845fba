"""The way of docs/backup.md from a laptop to a hub and back, walked on a real server."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from evenhand.cli.main import run_command
from evenhand.store.archive.rows import archived_tables
from tests import postgres
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "backup.md"
ON_THE_PAGE = "postgresql://evenhand@db.example/hub"


@pytest.fixture
def hub_url(postgres_cluster: postgres.Cluster) -> Iterator[str]:
    name = postgres_cluster.create()
    yield postgres_cluster.url(name)
    postgres_cluster.drop(name)


def test_the_way_to_a_hub_and_back(
    hub_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("init -q", "sets import example/questions.jsonl"):
        assert run_command(shlex.split(command)) == 0
    assert run_command(["run", "example/questions.jsonl", "example", "-q"]) == 0
    commands = [
        line for block in blocks(PAGE, "sh") for line in block.text.splitlines() if line.strip()
    ]
    assert len(commands) >= 7
    printed: dict[str, list[str]] = {}
    for command in commands:
        capfd.readouterr()
        words = shlex.split(command.replace(ON_THE_PAGE, hub_url))
        assert words[0] == "evenhand"
        code = run_command(words[1:])
        output, error = capfd.readouterr()
        assert (command, code) == (command, 0), error
        printed.setdefault(" ".join(words[-3:]), []).append(output)
    laptop, hub = printed["db check --digests"]
    assert laptop == hub
    rows = re.findall(r"^[0-9a-f]{64} +[0-9]+  (\w+)$", laptop, re.MULTILINE)
    assert rows == [table.name for table in archived_tables()]
    assert Path("from-hub.db").exists()
