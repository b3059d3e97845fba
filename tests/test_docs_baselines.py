"""Each command of docs/baselines.md, executed in the order of the page."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from evenhand.cli.main import run_command

PAGE = Path(__file__).parent.parent / "docs" / "baselines.md"
COMMANDS = re.findall(r"^\$ evenhand (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_command_of_the_page_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert len(COMMANDS) >= 8
    for command in COMMANDS:
        code = run_command(shlex.split(command))
        assert (command, code) == (command, 0), capfd.readouterr().err
    names = {path.name for path in tmp_path.iterdir()}
    assert "baseline.json" in names
