"""The console stands beside another application, and is made when its first page is asked for."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from evenhand.console.beside import Beside


@pytest.fixture
def made() -> list[str]:
    """What was made, in order."""
    return []


@pytest.fixture
def client(made: list[str]) -> TestClient:
    def _open() -> Any:
        made.append("console")
        return PlainTextResponse("console")

    return TestClient(Beside(_open, PlainTextResponse("other")))


@pytest.mark.parametrize("path", ["/", "/api/v1/audit", "/consoles", "/Console/", "/x/console/"])
def test_what_is_no_page_goes_to_the_other_and_makes_no_console(
    client: TestClient, made: list[str], path: str
) -> None:
    assert (client.get(path).text, made) == ("other", [])


def test_pages_go_to_one_console(client: TestClient, made: list[str]) -> None:
    found = [client.get(path).text for path in ("/console", "/console/", "/console/x")]

    assert (found, made) == (["console"] * 3, ["console"])


def test_a_hub_s_start_pays_for_no_templates(tmp_path: Path) -> None:
    code = (
        "import io, sys, evenhand.hosting as hosting\n"
        "from evenhand.bootstrap import App\n"
        "from evenhand.settings import load_settings\n"
        "url = 'sqlite:///' + sys.argv[1]\n"
        "parts = App(load_settings({'database_url': url}, environment={}))\n"
        "parts.open_hub()\n"
        "hosting.hub_with_console(parts, io.StringIO())\n"
        "parts.close()\n"
        "print([name for name in ('jinja2', 'evenhand.console.app') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "hub.db")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "[]"
