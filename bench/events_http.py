"""How fast are batches of a thousand events taken over HTTP, beside those who take what is alike?

One connection sends batch after batch to one server after the other: the hub, MLflow's tracking
server with `log-batch` and with OTLP, and Phoenix with OTLP, each with the store that it has by
itself. The clock stops when a batch is durable: at the answer, and with Phoenix, which answers
before, when its rows are there. Each answer is looked at, and rows are counted after each round.
OTLP is sent in both forms, a trace for each event and one for the batch: results are traces of
their own, and a peer takes one large trace in less time.
"""

from __future__ import annotations

import http.client
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from bench import events_servers as servers
from bench import processes
from bench.events_data import Row, Used, compared
from bench.events_servers import BATCH, Taker
from bench.installed_peers import PeerMissingError

HUB = "hub, batches of 1,000"
#: Peer → how many times as fast the hub has to be.
GOALS = {
    "MLflow log-batch": 5.0,
    "MLflow OTLP, a trace each": 50.0,
    "MLflow OTLP, one trace": 50.0,
    "Phoenix OTLP, a trace each": 150.0,
    "Phoenix OTLP, one trace": 150.0,
}
#: More rounds of what takes seconds tell nothing more.
MOST_ROUNDS = 5
_Maker = Callable[[Path, int], AbstractContextManager[Taker]]


def compare(rounds: int) -> list[Row]:
    """The hub and each peer that is installed, one after the other in each round."""
    rounds = min(rounds, MOST_ROUNDS)
    makers: dict[str, _Maker] = {
        HUB: servers.hub,
        "MLflow log-batch": partial(servers.mlflow, traces=None),
        "MLflow OTLP, a trace each": partial(servers.mlflow, traces="each"),
        "MLflow OTLP, one trace": partial(servers.mlflow, traces="one"),
        "Phoenix OTLP, a trace each": partial(servers.phoenix, traces="each"),
        "Phoenix OTLP, one trace": partial(servers.phoenix, traces="one"),
    }
    found: dict[str, list[Used]] = {}
    with ExitStack() as stack:
        takers: dict[str, Taker] = {}
        for name, make in makers.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-")))
            try:
                takers[name] = stack.enter_context(make(folder, rounds + 1))
            except PeerMissingError as error:
                print(f"  {name} was not measured: {error}")
                continue
            found[name] = []
            _measure(takers[name])
        for _ in range(rounds):
            for name, taker in takers.items():
                found[name].append(_measure(taker))
    return [
        compared(HUB, name, found[HUB], found[name], goal=goal)
        for name, goal in GOALS.items()
        if name in found
    ]


def _measure(taker: Taker) -> Used:
    bodies = [next(taker.bodies) for _ in range(taker.at_once)]
    number = BATCH * taker.at_once
    expected = taker.count() + number
    address = urlsplit(taker.url)
    connection = http.client.HTTPConnection(address.netloc, timeout=processes.PATIENCE)
    connection.connect()
    cpu, began = processes.cpu_seconds(taker.process.pid), time.perf_counter()
    answers = [_answer(connection, address.path, body, taker) for body in bodies]
    wall = time.perf_counter() - began
    while taker.count() < expected:
        time.sleep(0.02)
        wall = time.perf_counter() - began
        if wall > processes.PATIENCE:
            raise SystemExit("a batch that was answered does not arrive")
    cpu = processes.cpu_seconds(taker.process.pid) - cpu
    connection.close()
    for status, answer in answers:
        if not taker.is_right(status, answer):
            print(status, answer[:200], file=sys.stderr)
            raise SystemExit("a batch was not taken")
    if taker.count() != expected:
        raise SystemExit("there are other rows than were sent")
    held = processes.memory_mib(taker.process.pid)
    return Used(wall=wall / number * 1e6, cpu=cpu / number * 1e6, mib=held)


def _answer(
    connection: http.client.HTTPConnection, path: str, body: bytes, taker: Taker
) -> tuple[int, bytes]:
    connection.request("POST", path, body, taker.headers)
    answer = connection.getresponse()
    return answer.status, answer.read()
