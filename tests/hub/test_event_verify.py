"""``evenhand events verify`` against a hub in a process of its own."""

import json
from pathlib import Path

import httpx2
import pytest

from evenhand.cli.main import run_command
from tests.hub.processes import Process


@pytest.mark.proves("E-33", "E-35", "E-36", "E-37")
def test_verify_walks_the_checklist_against_a_running_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    process = Process(tmp_path, "--database-url", f"sqlite:///{tmp_path / 'file.db'}")
    try:
        address, token = process.said["address"], process.said["operator_token"]
        headers = {"Authorization": f"Bearer {token}"}
        body = {"name": "shop"}
        made = httpx2.post(f"{address}/api/v1/projects", json=body, headers=headers)
        assert made.status_code == 201
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("EVENHAND_HUB_URL", address)
        monkeypatch.setenv("EVENHAND_TOKEN", token)

        assert run_command(["events", "verify", "--project", "shop"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[:2] for line in lines] == [
            ["holds", "E-33"],
            ["holds", "E-34"],
            ["holds", "E-35"],
            ["holds", "E-36"],
            ["holds", "E-37"],
            ["holds", "E-32"],
        ]
        assert run_command(["events", "verify", "--project", "none", "--json"]) == 1
        points = json.loads(capsys.readouterr().out)
        assert points[0]["problem"] == "the hub answered with status 404"
    finally:
        process.end()
        process.close()
