"""How many small writes does a hub take, and how late is the latest? Against one commit each.

Sixteen threads make tokens (a credential and its entry of the audit, as `POST /api/v1/credentials`
does): once through the hub's writer, which commits together what waits, and once each in a
transaction of its own from a pool of sixteen connections. SQLite with ``synchronous = FULL``, and
a PostgreSQL server of its own that flushes each commit.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.migrate import upgrade
from evenhand.store.uow import Database, open_database
from evenhand.store.writer import Writer
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork, UnitOfWorkRunner
from tests import postgres

CALLERS = 16
WRITES_EACH = 40
TOGETHER, EACH = "group commit", "one commit each"
#: Database → least throughput and most p99, both as parts of one commit each; None: no goal.
GOALS: dict[str, tuple[float | None, float]] = {"SQLite": (2.0, 0.7), "PostgreSQL": (None, 0.5)}


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

    def record(self) -> dict[str, object]:
        """The row as it is stored."""
        return asdict(self)

    def __str__(self) -> str:
        said = (
            f"  {self.name:28} {self.writes_a_second:6.0f} /s  p50 {self.p50_ms:6.1f} ms"
            f"  p99 {self.p99_ms:6.1f} ms"
        )
        if self.throughput_ratio is None or self.p99_ratio is None:
            return said
        said += f"  throughput {self.throughput_ratio:.2f} ×, p99 {self.p99_ratio:.2f} ×"
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
            rows += _compare_on(name, url, rounds)
    return rows


def _compare_on(name: str, url: str, rounds: int) -> list[Row]:
    ways: dict[str, Callable[[str], UnitOfWorkRunner]] = {EACH: _each, TOGETHER: _together}
    found: dict[str, list[Measured]] = {way: [] for way in ways}
    for at in range(-1, rounds):
        for way, opened in ways.items():
            with _open(opened(url)) as runner:
                measured = _measure(runner, f"{way[:3]}-{at + 1}")
            if at >= 0:
                # The first round of each warms what is cached.
                found[way].append(measured)
    throughput_goal, p99_goal = GOALS[name]
    pairs = list(zip(found[TOGETHER], found[EACH], strict=True))
    together = _row(f"{name}, {TOGETHER}", found[TOGETHER])
    return [
        _row(f"{name}, {EACH}", found[EACH]),
        Row(
            **{key: value for key, value in together.record().items() if value is not None},
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


def _each(url: str) -> Database:
    return open_database(url, clock=SystemClock(), ids=UuidV7Ids())


def _together(url: str) -> Writer:
    return Writer(_each(url))


@contextmanager
def _open(runner: UnitOfWorkRunner) -> Iterator[UnitOfWorkRunner]:
    try:
        yield runner
    finally:
        runner.close()


def _measure(runner: UnitOfWorkRunner, prefix: str) -> Measured:
    ids, secrets, actor = UuidV7Ids(), SystemSecrets(), Actor(kind=ActorKind.COMMAND_LINE)
    waits: list[list[float]] = [[] for _ in range(CALLERS)]
    # Everybody has a connection before the clock runs.
    ready = threading.Barrier(CALLERS + 1)

    def caller(number: int) -> None:
        runner.read(lambda uow: uow.credentials.has_any())
        ready.wait()
        for at in range(WRITES_EACH):
            make = partial(
                access.create,
                name=f"{prefix}-{number}-{at}",
                role=Role.VIEWER,
                actor=actor,
                ids=ids,
                secrets=secrets,
            )
            began = time.perf_counter()
            while not _is_made(runner, make):
                """One that waited too long for the lock asks again, and waits on."""
            waits[number].append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    together = [one for each in waits for one in each]
    if len(together) != CALLERS * WRITES_EACH:
        raise SystemExit("a caller failed")
    return Measured(len(together) / took, together)


def _is_made(runner: UnitOfWorkRunner, make: Callable[[UnitOfWork], object]) -> bool:
    try:
        runner.run(make)
    except DatabaseUnavailable:
        return False
    return True
