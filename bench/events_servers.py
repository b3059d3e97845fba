"""How is each server that takes events started, what is it sent, and what does it hold then?

The peers have environments of their own beside this one (`make bench` builds them from
`bench/peers/`), and each keeps what comes in the store that it has by itself, which is a file of
SQLite for all three.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import processes
from bench.events_data import make_events
from bench.installed_peers import LOOPBACK, free_port, installed
from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids
from evenhand.contracts.decoding import encode_event
from evenhand.core.access.roles import Actor, ActorKind, Capability, Role
from evenhand.core.registry.binding import Stage
from evenhand.store.migrate import upgrade
from evenhand.store.uow import open_database
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import bindings, projects, service_clients

#: Nothing of this machine's settings, and nothing goes out.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "PHOENIX_TELEMETRY_ENABLED": "false",
    "DO_NOT_TRACK": "true",
}
#: Events of one request.
BATCH = 1_000
#: Batches that one measurement sends to those that take tens of milliseconds for one.
HUB_AT_ONCE, METRICS_AT_ONCE = 10, 4
_JSON, _PROTOBUF = "application/json", "application/x-protobuf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """A server that takes batches.

    Attributes:
        process: it.
        url: that batches are sent to.
        headers: of a request.
        bodies: the batches, one after the other.
        store: the file that it keeps them in.
        table: of the file, a row for each event.
        at_once: how many batches one measurement sends.
        is_right: whether an answer says that the batch was taken.
    """

    process: subprocess.Popen[bytes]
    url: str
    headers: dict[str, str]
    bodies: Iterator[bytes]
    store: Path
    table: str
    at_once: int
    is_right: Callable[[int, bytes], bool] = field(default=lambda status, _: status == 200)

    def count(self) -> int:
        """How many events its store holds."""
        with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as connection:
            query = f"SELECT COUNT(*) FROM {self.table}"  # noqa: S608 -- of this file
            [number] = connection.execute(query).fetchone()
            return int(number)


@contextmanager
def hub(folder: Path, times: int) -> Iterator[Taker]:
    """`evenhand serve` over SQLite with ``synchronous = FULL``."""
    store = folder / "hub.db"
    url = f"sqlite:///{store}"
    token = register(url)

    def _command(port: int) -> list[str]:
        options = ["--database-url", url, "serve", "--port", str(port), "--json"]
        return [sys.executable, "-m", "evenhand", *options]

    with _running(folder, _command, "/readyz") as (process, address):
        yield Taker(
            process=process,
            url=f"{address}/api/v1/events",
            headers={"Authorization": f"Bearer {token}", "Content-Type": _JSON},
            bodies=(_batch("h", number) for number in range(times * HUB_AT_ONCE)),
            store=store,
            table="event",
            at_once=HUB_AT_ONCE,
            is_right=_all_stored,
        )


@contextmanager
def mlflow(folder: Path, times: int, *, traces: str | None) -> Iterator[Taker]:
    """MLflow's tracking server with one worker, in a store that it makes beside itself.

    Args:
        folder: empty.
        times: how often it is measured.
        traces: it is sent spans, with a trace for ``each`` or ``one`` for a batch; None for
            metrics of one run, which have a number, a time and a step, and so less than an event.
    """
    program = installed("mlflow", "mlflow")

    def _command(port: int) -> list[str]:
        where = ["--host", LOOPBACK, "--port", str(port), "--workers", "1"]
        return [str(program), "server", *where]

    # It starts its server by its name.
    variables = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    with _running(folder, _command, "/health", variables) as (process, address):
        api = f"{address}/api/2.0/mlflow"
        experiment = _asked(f"{api}/experiments/create", {"name": "bench"})["experiment_id"]
        common: dict[str, Any] = {"process": process, "store": folder / "mlflow.db"}
        if traces is not None:
            yield Taker(
                url=f"{address}/v1/traces",
                headers={"Content-Type": _PROTOBUF, "x-mlflow-experiment-id": experiment},
                bodies=_spans("mlflow", folder, "m", times, traces),
                table="spans",
                at_once=1,
                **common,
            )
            return
        made = _asked(f"{api}/runs/create", {"experiment_id": experiment, "start_time": 0})
        run = made["run"]["info"]["run_id"]
        yield Taker(
            url=f"{api}/runs/log-batch",
            headers={"Content-Type": _JSON},
            bodies=(_metrics(run, number) for number in range(times * METRICS_AT_ONCE)),
            table="metrics",
            at_once=METRICS_AT_ONCE,
            **common,
        )


@contextmanager
def phoenix(folder: Path, times: int, *, traces: str) -> Iterator[Taker]:
    """Phoenix, in a store that it makes in its folder; it answers before it has stored.

    Args:
        folder: empty.
        times: how often it is measured.
        traces: as `mlflow`.
    """
    program = installed("phoenix", "phoenix")
    grpc = free_port()

    def _command(port: int) -> list[str]:
        variables["PHOENIX_PORT"] = str(port)
        return [str(program), "serve"]

    variables = {
        "PHOENIX_HOST": LOOPBACK,
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_WORKING_DIR": str(folder),
    }
    with _running(folder, _command, "/healthz", variables) as (process, address):
        yield Taker(
            process=process,
            url=f"{address}/v1/traces",
            headers={"Content-Type": _PROTOBUF},
            bodies=_spans("phoenix", folder, "x", times, traces),
            store=folder / "phoenix.db",
            table="spans",
            at_once=1,
        )


def register(url: str) -> str:
    """The token of a client that may send events, of a database that is made here."""
    upgrade(url)
    with closing(open_database(url, clock=SystemClock(), ids=UuidV7Ids())) as database:
        return database.run(_registered)


def _registered(uow: UnitOfWork) -> str:
    by: dict[str, Any] = {"actor": Actor(kind=ActorKind.COMMAND_LINE), "ids": UuidV7Ids()}
    project = projects.create(uow, name="bench", **by)
    binding = bindings.create(
        uow,
        project_id=project.id,
        name="events",
        capability=Capability.EVENT,
        stage=Stage.STABLE,
        **by,
    )
    client = service_clients.create(uow, binding_id=binding.id, name="load", **by)
    issued = access.create(
        uow,
        name="load",
        role=Role.SERVICE_CLIENT,
        client_id=client.id,
        secrets=SystemSecrets(),
        **by,
    )
    return issued.token


@contextmanager
def _running(
    folder: Path,
    command: Callable[[int], list[str]],
    path: str,
    variables: dict[str, str] | None = None,
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server and its address, once it answers, for the time of a block."""
    port = free_port()
    address = f"http://{LOOPBACK}:{port}"
    arguments = command(port)
    with (folder / "errors.txt").open("ab") as errors:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env={**ENVIRONMENT, "HOME": str(folder), **(variables or {})},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    try:
        processes.wait_until(lambda: _answers(address + path), process)
        yield process, address
    finally:
        processes.end(process)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=processes.PATIENCE) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def _asked(url: str, body: object) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310 -- of loopback
        url, json.dumps(body).encode(), {"Content-Type": _JSON}
    )
    with urllib.request.urlopen(request, timeout=processes.PATIENCE) as answer:  # noqa: S310
        told: dict[str, Any] = json.load(answer)
    return told


def _batch(mark: str, number: int) -> bytes:
    events = b",".join(map(encode_event, make_events(BATCH, f"{mark}{number}-")))
    return b'{"events":[' + events + b"]}"


def _metrics(run: str, number: int) -> bytes:
    metrics = [
        {
            "key": "retrieval_score",
            "value": one.retrieval_score,
            "timestamp": int(one.timestamp_utc.timestamp() * 1e3),
            "step": number * BATCH + place,
        }
        for place, one in enumerate(make_events(BATCH, f"l{number}-"))
    ]
    return json.dumps({"run_id": run, "metrics": metrics}).encode()


def _spans(peer: str, folder: Path, mark: str, batches: int, traces: str) -> Iterator[bytes]:
    program = [str(installed(peer, "python")), str(Path(__file__).with_name("events_spans.py"))]
    place = folder / "spans"
    place.mkdir()
    lines = b"\n".join(_batch(mark, number) for number in range(batches))
    subprocess.run([*program, str(place), traces], input=lines, check=True, env=ENVIRONMENT)
    return ((place / str(number)).read_bytes() for number in range(batches))


def _all_stored(status: int, answer: bytes) -> bool:
    results: Sequence[dict[str, Any]] = json.loads(answer).get("results", ())
    stored = sum(one["status"] == "stored" for one in results)
    return status == 200 and stored == BATCH
