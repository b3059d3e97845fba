"""``evenhand ui`` in a process of its own: an address that lets one browser in, once."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.typed import Cli

PATIENCE = 60


class Running:
    """A console that runs.

    Attributes:
        said: what it printed once it answered.
    """

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evenhand", "ui", "--json"],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        text = b""
        for line in self._process.stdout:
            text += line
            if line == b"}\n":
                break
        self.said: dict[str, Any] = json.loads(text)

    def end(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path)
    yield made
    assert made.end() == 0


def test_one_time_address_lets_one_browser_in_and_makes_no_store(
    running: Running, tmp_path: Path
) -> None:
    root, entrance = running.said["address"], running.said["one_time_address"]
    with httpx2.Client(timeout=PATIENCE) as browser, httpx2.Client(timeout=PATIENCE) as other:
        outside = other.get(f"{root}/console/")
        entered = browser.get(entrance)
        inside = browser.get(f"{root}/console/")
        again = other.get(entrance)

    assert root.startswith("http://127.0.0.1:")
    assert outside.status_code == 401
    assert (entered.status_code, inside.status_code) == (303, 200)
    assert "Nothing is evaluated yet" in inside.text
    assert again.status_code == 401
    assert not (tmp_path / ".evenhand").exists()


def test_port_that_is_taken_is_named_by_its_option(cli: Cli, running: Running) -> None:
    port = running.said["address"].rpartition(":")[2]
    code = cli.run("ui", "--port", port, "--no-browser")

    assert code == 2
    assert "--port" in cli.err
