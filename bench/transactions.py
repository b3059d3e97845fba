"""How many small writes does a hub take, and how late is the latest? Against one commit each.

Sixteen connections make tokens with `POST /api/v1/credentials`: a look at who asks, a row, and its
entry of the audit in the same transaction, which is as large as the claim or the progress of a
comparison. Both ways are the same application, checks and statements in a server process of its
own: once with the hub's writer, which commits together what waits, and once as a plain threaded
endpoint, where each request commits for itself in its own thread, from a pool of fifteen
connections. SQLite with ``synchronous = FULL``, and a PostgreSQL server of its own that flushes
each commit. An endpoint is what a client waits for, so the goals are for these rows. The rows
"in process" are the same without HTTP: sixteen threads that call the use case, which shows the
writer by itself.

Whoever is told that the database is busy asks again and waits on: its wait is counted whole.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.migrate import upgrade
from evenhand.store.uow import Database, open_database
from evenhand.store.writer import Writer
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from tests import postgres

CALLERS = 16
WRITES_EACH = 40
TOGETHER, EACH = "group commit", "one commit each"
#: Database → least throughput and most p99, both as parts of one commit each; None: no goal.
GOALS: dict[str, tuple[float | None, float]] = {"SQLite": (2.0, 0.7), "PostgreSQL": (None, 0.5)}
#: Makes one write for a caller, by the number of the caller and of the write.
Write = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One database: medians of writes a second and of the p99, and the ratios to one commit each.

    Attributes:
        name: of the database and the way.
        writes_a_second: of all callers together.
        p50_ms: of one caller's wait.
        p99_ms: the same.
        throughput_ratio: median over the rounds; None for the way that is compared with.
        p99_ratio: the same.
        throughput_goal: the least; None without one.
        p99_goal: the most; None without one.
    """

    name: str
    writes_a_second: float
    p50_ms: float
    p99_ms: float
    throughput_ratio: float | None = None
    p99_ratio: float | None = None
    throughput_goal: float | None = None
    p99_goal: float | None = None

    @property
    def missed(self) -> bool:
        """Whether one of the goals is missed."""
        slow = self.throughput_goal is not None and (self.throughput_ratio or 0) < (
            self.throughput_goal
        )
        late = self.p99_goal is not None and (self.p99_ratio or 0) > self.p99_goal
        return slow or late

    def __str__(self) -> str:
        said = (
            f"  {self.name:40} {self.writes_a_second:6.0f} /s  p50 {self.p50_ms:6.1f} ms"
            f"  p99 {self.p99_ms:6.1f} ms"
        )
        if self.throughput_ratio is None or self.p99_ratio is None:
            return said
        said += f"  throughput {self.throughput_ratio:.2f} ×, p99 {self.p99_ratio:.2f} ×"
        if self.p99_goal is None:
            return said
        wanted = [] if self.throughput_goal is None else [f"≥ {self.throughput_goal} ×"]
        wanted.append(f"p99 ≤ {self.p99_goal} ×")
        return f"{said}  goal {', '.join(wanted)}: {'missed' if self.missed else 'met'}"


@dataclass(frozen=True, slots=True)
class Measured:
    """One round: writes a second, and the waits of all callers in milliseconds."""

    writes_a_second: float
    waits_ms: list[float]

    @property
    def p50_ms(self) -> float:
        """Of the waits."""
        return statistics.median(self.waits_ms)

    @property
    def p99_ms(self) -> float:
        """Of the waits."""
        return statistics.quantiles(self.waits_ms, n=100)[-1]


def compare(rounds: int) -> list[Row]:
    """Both ways on both databases, one after the other in each round."""
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {"SQLite": f"sqlite:///{folder / 'file.db'}"}
        try:
            cluster = stack.enter_context(postgres.cluster(durable=True))
            urls["PostgreSQL"] = cluster.url(cluster.create())
        except postgres.PostgresMissingError as error:
            print(f"  PostgreSQL was not measured: {error}")
        for name, url in urls.items():
            upgrade(url)
            served = partial(_serve, url=url, token=_operator_token(url), folder=folder)
            rows += _compare_on(name, served, rounds, goals=GOALS[name])
            called = partial(_call, url=url)
            rows += _compare_on(f"{name} in process", called, rounds, goals=(None, None))
    return rows


def _compare_on(
    name: str,
    opened: Callable[[str, str], AbstractContextManager[Write]],
    rounds: int,
    *,
    goals: tuple[float | None, float | None],
) -> list[Row]:
    found: dict[str, list[Measured]] = {EACH: [], TOGETHER: []}
    for at in range(-1, rounds):
        for way, measured in found.items():
            with opened(way, f"{name[-3:].lower()}-{way[:3]}-{at + 1}") as write:
                # The first of each warms what is cached, and everybody has a connection.
                _measure(write, first=0, number=4)
                result = _measure(write, first=4, number=WRITES_EACH)
            if at >= 0:
                measured.append(result)
    pairs = list(zip(found[TOGETHER], found[EACH], strict=True))
    throughput_goal, p99_goal = goals
    return [
        _row(f"{name}, {EACH}", found[EACH]),
        replace(
            _row(f"{name}, {TOGETHER}", found[TOGETHER]),
            throughput_ratio=statistics.median(
                one.writes_a_second / other.writes_a_second for one, other in pairs
            ),
            p99_ratio=statistics.median(one.p99_ms / other.p99_ms for one, other in pairs),
            throughput_goal=throughput_goal,
            p99_goal=p99_goal,
        ),
    ]


def _row(name: str, found: list[Measured]) -> Row:
    return Row(
        name=name,
        writes_a_second=statistics.median(one.writes_a_second for one in found),
        p50_ms=statistics.median(one.p50_ms for one in found),
        p99_ms=statistics.median(one.p99_ms for one in found),
    )


def _measure(write: Write, *, first: int, number: int) -> Measured:
    waits: list[list[float]] = [[] for _ in range(CALLERS)]
    ready = threading.Barrier(CALLERS + 1)

    def caller(who: int) -> None:
        ready.wait()
        for at in range(first, first + number):
            began = time.perf_counter()
            write(who, at)
            waits[who].append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=caller, args=(who,)) for who in range(CALLERS)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    together = [one for each in waits for one in each]
    if len(together) != CALLERS * number:
        raise SystemExit("a caller failed")
    return Measured(len(together) / took, together)


@contextmanager
def _serve(way: str, prefix: str, *, url: str, token: str, folder: Path) -> Iterator[Write]:
    """Writes over HTTP, to a server process of its own; a connection for each caller."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.transactions_server", way, url],
        stdout=subprocess.PIPE,
        stderr=(folder / "errors.txt").open("ab"),
        text=True,
    )
    assert process.stdout is not None  # noqa: S101 -- it is a pipe
    connections: list[http.client.HTTPConnection] = []
    try:
        address = urlsplit(process.stdout.readline().strip()).netloc
        connections += (http.client.HTTPConnection(address, timeout=120) for _ in range(CALLERS))
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

        def write(who: int, at: int) -> None:
            body = json.dumps({"name": f"{prefix}-{who}-{at}", "role": Role.VIEWER.value})
            status = http.client.SERVICE_UNAVAILABLE
            while status == http.client.SERVICE_UNAVAILABLE:
                connections[who].request("POST", "/api/v1/credentials", body, headers)
                answer = connections[who].getresponse()
                answer.read()
                status = answer.status
            if status != http.client.CREATED:
                why = f"a write was answered with {status}"
                raise RuntimeError(why)

        yield write
    finally:
        for connection in connections:
            connection.close()
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def _call(way: str, prefix: str, *, url: str) -> Iterator[Write]:
    """Writes by calls of the use case in this process; a thread for each caller."""
    database = _open(url)
    runner = Writer(database) if way == TOGETHER else database
    ids, secrets, actor = UuidV7Ids(), SystemSecrets(), Actor(kind=ActorKind.COMMAND_LINE)

    def write(who: int, at: int) -> None:
        make = partial(
            access.create,
            name=f"{prefix}-{who}-{at}",
            role=Role.VIEWER,
            actor=actor,
            ids=ids,
            secrets=secrets,
        )
        while not _is_made(runner, make):
            """One that waited too long for the lock asks again, and waits on."""

    try:
        yield write
    finally:
        runner.close()


def _is_made(runner: Writer | Database, make: Callable[[UnitOfWork], object]) -> bool:
    try:
        runner.run(make)
    except DatabaseUnavailable:
        return False
    return True


def _open(url: str) -> Database:
    return open_database(url, clock=SystemClock(), ids=UuidV7Ids())


def _operator_token(url: str) -> str:
    database = _open(url)
    issued = database.run(
        partial(
            access.create,
            name="bench",
            role=Role.OPERATOR,
            actor=Actor(kind=ActorKind.COMMAND_LINE),
            ids=UuidV7Ids(),
            secrets=SystemSecrets(),
        )
    )
    database.close()
    return issued.token
