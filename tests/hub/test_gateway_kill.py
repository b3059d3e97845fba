"""A hub that is killed under load has a row for every id that it gave as an answer."""

import io
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
import sqlalchemy as sa

from evenhand.bootstrap import App
from evenhand.settings import load_settings
from evenhand.store.engine import create_engine
from evenhand.store.migrate import check
from tests.hub.conftest import Hub
from tests.hub.gateway_parts import CLIENT, Served, serve_model
from tests.hub.processes import PATIENCE, Process
from tests.hub.test_serving import start
from tests.upstream_server import ScriptedUpstream, letters, serving

__all__ = ["start"]

pytestmark = pytest.mark.on_disk

#: How many answers there are before a kill; the issue's 10,000 are for `make torture`:
#: tools/torture_gateway.py.
ANSWERS = 1_000
AT_A_TIME = 8


class Load:
    """Clients that ask without a pause until the hub is gone.

    Args:
        address: of the hub.
        token: of the caller.
        enough: how many answers are waited for.
    """

    def __init__(self, address: str, token: str, enough: int) -> None:
        self.answered: list[str] = []
        self._address, self._enough = address, enough
        self._headers = {"Authorization": f"Bearer {token}"}
        self._reached = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(AT_A_TIME)]

    def run_until_enough(self) -> None:
        for thread in self._threads:
            thread.start()
        assert self._reached.wait(PATIENCE * 4)

    def wait(self) -> None:
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        body = {"model": "stable", "input": "a"}
        with httpx2.Client(headers=self._headers, timeout=PATIENCE) as client:
            while True:
                try:
                    answer = client.post(f"{self._address}/v1/embeddings", json=body)
                except httpx2.TransportError:
                    self._reached.set()
                    return
                if answer.status_code == 200:
                    self.answered.append(answer.headers["x-request-id"])
                if len(self.answered) >= self._enough:
                    self._reached.set()


def registered(folder: Path, upstream: ScriptedUpstream) -> tuple[Served, App]:
    """What is behind a hub over the database of a folder."""
    parts = App(load_settings(start=folder, environment={}))
    nobody = cast(Any, None)
    hub = Hub(parts=parts, app=nobody, client=nobody, log=io.StringIO(), tokens={})
    return serve_model(hub, upstream.url), parts


def kept(url: str) -> list[str]:
    """The public id of every row."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.scalars(sa.text("SELECT public_id FROM gateway_request")).all()
    engine.dispose()
    return list(found)


def kill_under_load(start: Callable[..., Process], folder: Path, *, kills: int) -> None:
    """Kill a hub so often, each time after so many answers, and look for each."""
    (folder / "evenhand.toml").write_text('serve_upstream_allow = "127.0.0.1"\n', encoding="utf-8")
    answered: list[str] = []
    with serving(letters) as upstream:
        process = start()
        assert process.said
        served, parts = registered(folder, upstream)
        for number in range(kills):
            if number:
                process = start()
            load = Load(process.said["address"], served.hub.tokens[CLIENT], ANSWERS)
            load.run_until_enough()
            process.end(signal.SIGKILL)
            load.wait()
            answered += load.answered
        parts.close()

    rows = kept(parts.database_url)
    assert len(answered) >= ANSWERS * kills
    assert set(answered) - set(rows) == set()
    assert len(set(answered)) == len(answered)
    assert len(set(rows)) == len(rows)
    # What was in work may have a row and no answer, one a client at most.
    assert len(rows) - len(answered) <= AT_A_TIME * kills
    assert check(parts.database_url) == []


def test_every_answered_id_has_its_row_after_a_kill(
    start: Callable[..., Process], tmp_path: Path
) -> None:
    kill_under_load(start, tmp_path, kills=1)
