"""What do single events gain from a commit that many share, at 64 connections?

Both ways are one application with its checks and statements in a server process of its own, over
SQLite with ``synchronous = FULL``: once with the hub's writer, which commits together what waits,
and once as a plain threaded endpoint that commits each (`transactions_server`). A lean client
sends one event after the other over each connection, no two alike (`gateway_load`).
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import events_servers as servers
from bench import processes
from bench.events_data import Row, Used, compared, make_events
from bench.transactions import EACH, TOGETHER
from evenhand.contracts.decoding import event_document

CONNECTIONS = 64
WARM_SECONDS, SECONDS = 1.0, 3.0
#: How many times as fast as one commit each.
GOAL = 3.0
_MARK = "999999999999"
_CREATED = 201


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A server that takes events."""

    process: subprocess.Popen[str]
    address: str
    token: str


def compare(rounds: int) -> list[Row]:
    """Both ways, one after the other in each round."""
    found: dict[str, list[Used]] = {EACH: [], TOGETHER: []}
    for _ in range(rounds):
        for way, each in found.items():
            with tempfile.TemporaryDirectory(prefix="evenhand-events-") as folder:
                each.append(_measure(way, Path(folder)))
    name = f"single posts, {CONNECTIONS} connections"
    return [compared(name, EACH, found[TOGETHER], found[EACH], goal=GOAL)]


def _measure(way: str, folder: Path) -> Used:
    url = f"sqlite:///{folder / 'hub.db'}"
    with _serving(way, url, folder) as server:
        told, cpu = _load(server)
        held = processes.memory_mib(server.process.pid)
    number = told["requests"]
    if told["wrong_count"]:
        print(*told["wrong"], sep="\n", file=sys.stderr)
        raise SystemExit("a post was not answered with 201")
    with closing(sqlite3.connect(folder / "hub.db")) as store:
        [stored] = store.execute("SELECT COUNT(*) FROM event").fetchone()
    if stored < number:
        raise SystemExit("a post that was answered has no row")
    return Used(wall=told["seconds"] / number * 1e6, cpu=cpu / number * 1e6, mib=held)


def _load(server: _Way) -> tuple[dict[str, Any], float]:
    [event] = make_events(1, "post")
    ids = {"event_id": f"evt_{_MARK}", "evaluation_id": f"eval_{_MARK}"}
    asked = {
        "url": f"{server.address}/api/v1/events",
        "body": event_document(event) | ids,
        "token": server.token,
        "connections": CONNECTIONS,
        "warm": WARM_SECONDS,
        "seconds": SECONDS,
        "mark": _MARK,
        "status": _CREATED,
    }
    command = [sys.executable, str(Path(__file__).with_name("gateway_load.py")), json.dumps(asked)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as load:
        assert load.stdin is not None and load.stdout is not None  # noqa: S101, PT018 -- pipes
        load.stdout.readline()
        before = processes.cpu_seconds(server.process.pid)
        print("go", file=load.stdin, flush=True)
        told: dict[str, Any] = json.loads(load.stdout.readline())
        return told, processes.cpu_seconds(server.process.pid) - before


@contextmanager
def _serving(way: str, url: str, folder: Path) -> Iterator[_Way]:
    token = servers.register(url)
    with (folder / "errors.txt").open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.transactions_server", way, url],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None  # noqa: S101 -- it is a pipe
    try:
        address = process.stdout.readline().strip()
        yield _Way(process=process, address=address, token=token)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
