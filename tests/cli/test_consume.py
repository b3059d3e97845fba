"""``consume``: what is refused before a hub is asked, and a hub that is away."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.typed import Cli

ENGINE = """
class Engine:
    consumer_revision_sha256 = "e" * 64

    def open_index(self, index_ref):
        raise LookupError
"""
SHOWN = "evh_sc_cli-canary"


@pytest.fixture
def engine(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    # A name of its own: a module stays imported for the rest of the session.
    name = f"engine_{abs(hash(request.node.name))}"
    Path(f"{name}.py").write_text(ENGINE, encoding="utf-8")
    return f"{name}:Engine"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address where nobody listens, configured with a token."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("EVENHAND_HUB_URL", url)
        monkeypatch.setenv("EVENHAND_TOKEN", SHOWN)
        yield url


def test_without_a_hub_nothing_is_loaded(cli: Cli) -> None:
    assert cli.run("consume", "--adapter", "no_such_module:engine") == 2
    assert "EVENHAND_HUB_URL" in cli.err


@pytest.mark.parametrize("adapter", ["engine", "no_such_module:engine", "json:dumps"])
def test_what_is_no_engine_is_refused(cli: Cli, nowhere: str, adapter: str) -> None:
    assert nowhere
    assert cli.run("consume", "--adapter", adapter) in (2, 5)
    assert "--adapter" in cli.err
    assert SHOWN not in cli.err


@pytest.mark.proves("C-49")
def test_a_hub_that_is_away_is_told_without_address_or_token(
    cli: Cli, nowhere: str, engine: str
) -> None:
    assert cli.run("consume", "--adapter", engine) == 5
    assert "hub_unavailable" in cli.err
    assert nowhere not in cli.err
    assert SHOWN not in cli.err
    # What was not stored here cannot be sent again from here.
    assert "evaluations publish" not in cli.err


@pytest.mark.parametrize("seconds", ["0", "3601", "often"])
def test_a_watch_has_a_range(cli: Cli, nowhere: str, engine: str, seconds: str) -> None:
    assert nowhere
    assert cli.run("consume", "--adapter", engine, "--watch", seconds) == 2
