"""``evenhand admin gateway`` as a user types it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evenhand.bootstrap import build_app
from tests.builders import a_credential
from tests.cli.typed import Cli
from tests.gateway_builders import a_gateway_request
from tests.registry_builders import add_shop


@pytest.fixture
def terminal(project_on_database: Cli) -> Cli:
    """Two requests are kept: one of now, one that began 40 days ago."""
    now = datetime.now(UTC)  # noqa: TID251 -- the command asks the clock
    times = (now, now - timedelta(days=40))
    requests = [
        replace(a_gateway_request(number), created_at=at, completed_at=at)
        for number, at in enumerate(times, 1)
    ]
    app = build_app()
    try:
        app.database.run(add_shop)
        app.database.run(lambda uow: uow.credentials.add(a_credential()))
        app.database.run(lambda uow: uow.gateway_requests.add_all(requests))
    finally:
        app.close()
    return project_on_database


@pytest.mark.proves("BP-30")
def test_purge_deletes_what_is_older_than_the_configured_days(terminal: Cli) -> None:
    purge = ("admin", "gateway", "purge", "--yes")

    assert terminal.json(*purge, "--older-than", "45") == {"deleted": 0, "older_than_days": 45}
    with Path("evenhand.toml").open("a", encoding="utf-8") as file:
        file.write("\nretention_gateway_days = 50\n")
    assert terminal.json(*purge) == {"deleted": 0, "older_than_days": 50}
    assert terminal.run(*purge, "--older-than", "30") == 0
    assert terminal.out == "deleted 1 request that began more than 30 days ago\n"


def test_purge_asks_nobody_where_nobody_is(terminal: Cli) -> None:
    assert terminal.run("admin", "gateway", "purge", "--older-than", "1") == 2
    assert "--yes" in terminal.err
    assert terminal.json("admin", "gateway", "purge", "--yes")["deleted"] == 1
