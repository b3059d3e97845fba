"""``run --hub`` and ``evaluations publish``: what is refused before work, what stays when a hub is away."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.typed import Cli, write_search, write_set
from tests.hub.processes import Process

SHOWN = "evh_op_cli-canary"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address where nobody listens, configured with a token."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("EVENHAND_HUB_URL", url)
        monkeypatch.setenv("EVENHAND_TOKEN", SHOWN)
        yield url


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("--hub", "--no-save"), "--no-save"),
        (("--hub", "--privacy", "none"), "privacy level none"),
        (("--project", "search"), "--hub"),
    ],
)
def test_what_could_not_be_sent_is_refused_before_any_work(
    cli: Cli, nowhere: str, options: tuple[str, ...], rule: str
) -> None:
    assert nowhere
    assert cli.run("run", write_set(), write_search(), *options) == 2
    assert rule in cli.err
    assert cli.stored() == []


@pytest.mark.parametrize("missing", ["EVENHAND_HUB_URL", "EVENHAND_TOKEN"])
def test_without_address_or_token_nothing_runs(
    cli: Cli, nowhere: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(missing)
    for command in (
        ("run", write_set(), write_search(), "--hub"),
        ("evaluations", "publish", "latest"),
    ):
        assert cli.run(*command) == 2
        assert f"{missing} " in cli.err
        assert nowhere not in cli.err
        assert SHOWN not in cli.err
    assert cli.stored() == []


def test_a_hub_that_is_away_leaves_the_result_stored_and_shown(cli: Cli, nowhere: str) -> None:
    assert cli.run("run", write_set(), write_search(), "--hub", "--project", "search") == 5
    assert "Success@1" in cli.out
    assert "[hub_unavailable]" in cli.err
    assert "evenhand evaluations publish ID" in cli.err
    assert len(cli.stored()) == 1

    assert cli.run("evaluations", "publish", "latest", "--project", "search") == 5
    assert cli.out == ""
    for said in (cli.out, cli.err):
        assert nowhere not in said
        assert SHOWN not in said


def test_rankings_are_sent_only_with_the_set_that_they_were_made_on(
    cli: Cli, nowhere: str
) -> None:
    assert nowhere
    typed = write_set()
    assert cli.run("run", typed, write_search()) == 0
    Path(typed).unlink()

    assert cli.run("evaluations", "publish", "latest") == 2
    assert "[not_publishable]" in cli.err
    assert "--set" in cli.err


def test_a_refusal_of_the_hub_is_told_by_its_code_and_the_result_stays(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "hub").mkdir()
    hub = Process(folder / "hub")
    try:
        monkeypatch.setenv("EVENHAND_HUB_URL", hub.said["address"])
        monkeypatch.setenv("EVENHAND_TOKEN", hub.said["operator_token"])
        # Nobody has registered a project: the hub says so by its code.
        assert cli.run("run", write_set(), write_search(), "--hub", "--project", "search") == 5
        assert "project_not_found (404)" in cli.err
        assert cli.run("run", write_set(), write_search(), "--hub") == 5
        assert "project_missing (422)" in cli.err
        monkeypatch.setenv("EVENHAND_TOKEN", SHOWN)
        assert cli.run("evaluations", "publish", "latest") == 5
        assert "bad_credential (401)" in cli.err
        assert SHOWN not in cli.err
    finally:
        hub.close()
    assert len(cli.stored()) == 2
