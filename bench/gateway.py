"""What does the gateway cost, beside LiteLLM's proxy and MLflow's gateway, and beside no evidence?

A server on loopback gives constant vectors (`gateway_upstream`), a lean client asks for them
(`gateway_load`), and between them stands one gateway after the other, each a process of its own:
the hub as `evenhand serve` runs it, with a row for every request (SQLite with ``synchronous =
FULL``; a PostgreSQL server that flushes each commit), LiteLLM's proxy without a database, and
MLflow's gateway. All of them share the machine's cores with client and server, so
what counts first is the CPU of the gateway's processes per request, as `/proc` tells it.

The hub's route of the fast model has the upstream's own name for it, so that the hub passes bodies
on byte for byte; where a route is called otherwise it writes the request anew.

Every gateway's answers are compared with the upstream's own vectors before anything is measured,
and while it is measured each answer must be as long as that one was.

Ratios are medians over the rounds, of what was measured in the same round. A gateway is started
fewer times than there are rounds, so each figure says how many it is the median of.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import gateway_servers as servers
from bench import processes
from bench.gateway_answers import Sizes
from bench.gateway_servers import Gateway, Maker
from bench.installed_peers import PeerMissingError
from tests import postgres

CONNECTIONS = (64, 16, 1)
TEXT = "Where is the office?"
TEXTS = [f"Where is office number {number} of them all?" for number in range(64)]
WARM_SECONDS = 1.0
SECONDS = 2.0
#: How long the upstream takes where it takes long.
WAIT_SECONDS = 0.02
STARTS = 3

HUB, HUB_PG = "hub, SQLite", "hub, PostgreSQL"
BARE, BARE_PG = "hub, SQLite, no rows", "hub, PostgreSQL, no rows"
LITELLM, MLFLOW, DIRECT = "LiteLLM", "MLflow", "no gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of one gateway.

    Attributes:
        what: is measured, and where.
        name: of the gateway.
        value: median over its runs.
        runs: how many there were.
        unit: of it.
        ratio: median of the value's part of that of the peer in the same round.
        peer: name of the other; None where nothing is compared.
        goal: of the ratio, or of the value where there is no peer; None for none.
        at_least: whether the goal is the least rather than the most.
    """

    what: str
    name: str
    value: float
    runs: int
    unit: str
    ratio: float | None = None
    peer: str | None = None
    goal: float | None = None
    at_least: bool = False

    @property
    def missed(self) -> bool:
        """Whether there is a goal and it is missed."""
        if self.goal is None:
            return False
        found = self.value if self.ratio is None else self.ratio
        return found < self.goal if self.at_least else found > self.goal

    def __str__(self) -> str:
        said = f"  {self.what:34} {self.name:26} {self.value:10.3f} {self.unit:4}"
        said += f" of {self.runs:2}"
        if self.ratio is not None:
            said += f"  {self.ratio:8.4f} × {self.peer}"
            if self.ratio < 1:
                said += f" (1/{1 / self.ratio:.1f})"
        if self.goal is not None:
            sign = "≥" if self.at_least else "≤"
            said += f"  goal {sign} {self.goal:.4g}: {'missed' if self.missed else 'met'}"
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One gateway under one load: of the seconds that were measured."""

    a_second: float
    p50_ms: float
    cpu_ms: float


#: Kind of figure → its rounds, by gateway.
Rounds = dict[str, dict[str, list[float]]]


def compare(rounds: int) -> list[Row]:
    """Every gateway that is installed, under every load, one after the other in each round."""
    found: Rounds = defaultdict(lambda: defaultdict(list))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-gateway-")))
        fast = stack.enter_context(servers.upstream())
        slow = stack.enter_context(servers.upstream(wait=WAIT_SECONDS))
        makers = _makers(stack, folder, fast, slow)
        for _ in range(min(rounds, STARTS) - 1):
            for name, make in makers.items():
                with make() as gateway:
                    found["first answer"][name].append(gateway.seconds_to_answer)
        running: dict[str, Gateway] = {}
        for name, make in makers.items():
            running[name] = stack.enter_context(make())
            found["first answer"][name].append(running[name].seconds_to_answer)
        running[DIRECT] = Gateway(url=f"{fast}/v1/embeddings", slow_url=f"{slow}/v1/embeddings")
        for value in (TEXT, TEXTS):
            if running[HUB].answer(value) != running[DIRECT].answer(value):
                raise SystemExit("the hub's answer is not the upstream's, byte for byte")
        sizes = Sizes(running[DIRECT])
        for at in range(rounds):
            _one_round(running, found, sizes)
            print(f"  round {at + 1} of {rounds} done", file=sys.stderr, flush=True)
    return _rows(found)


def _makers(stack: ExitStack, folder: Path, fast: str, slow: str) -> dict[str, Maker]:
    """How each gateway that is there is started."""
    urls = {HUB: f"sqlite:///{folder / 'hub.db'}", BARE: f"sqlite:///{folder / 'bare.db'}"}
    try:
        cluster = stack.enter_context(postgres.cluster(durable=True))
        urls |= {name: cluster.url(cluster.create()) for name in (HUB_PG, BARE_PG)}
    except postgres.PostgresMissingError as error:
        print(f"  PostgreSQL was not measured: {error}")
    made = {
        name: servers.hub(folder, url, fast, slow, keeps=name in (HUB, HUB_PG))
        for name, url in urls.items()
    }
    for name, peer in ((LITELLM, servers.litellm), (MLFLOW, servers.mlflow)):
        try:
            made[name] = peer(folder, fast, slow)
        except PeerMissingError as error:
            print(f"  {name} was not measured: {error}")
    return made


def _one_round(running: Mapping[str, Gateway], found: Rounds, sizes: Sizes) -> None:
    for connections in CONNECTIONS:
        for name, gateway in running.items():
            measured = _measure(gateway, connections, sizes)
            found[f"CPU, {connections}"][name].append(measured.cpu_ms)
            found[f"a second, {connections}"][name].append(measured.a_second)
            found[f"p50, {connections}"][name].append(measured.p50_ms)
    for connections in (16, 1):
        for name in (DIRECT, HUB, HUB_PG, LITELLM, MLFLOW):
            if name in running:
                measured = _measure(running[name], connections, sizes, is_slow=True)
                found[f"p50 over 20 ms, {connections}"][name].append(measured.p50_ms)
    for name in (HUB, LITELLM, MLFLOW):
        if name in running:
            measured = _measure(running[name], 4, sizes, value=TEXTS)
            found["CPU, 64 inputs"][name].append(measured.cpu_ms)
    for name, gateway in running.items():
        if gateway.process is not None:
            found["memory"][name].append(processes.memory_mib(gateway.process.pid))


def _measure(
    gateway: Gateway,
    connections: int,
    sizes: Sizes,
    *,
    value: object = TEXT,
    is_slow: bool = False,
) -> Measured:
    asked = {
        "url": gateway.slow_url if is_slow else gateway.url,
        "body": gateway.body(value, is_slow=is_slow),
        "token": gateway.token,
        "connections": connections,
        "warm": WARM_SECONDS,
        "seconds": SECONDS,
        "expected": sizes.of(gateway, value, is_slow=is_slow),
    }
    command = [sys.executable, str(Path(__file__).parent / "gateway_load.py"), json.dumps(asked)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as load:
        assert load.stdin is not None and load.stdout is not None  # noqa: S101, PT018 -- pipes
        load.stdout.readline()
        before = _cpu(gateway)
        print("go", file=load.stdin, flush=True)
        told = json.loads(load.stdout.readline())
        used = _cpu(gateway) - before
    if told["wrong_count"]:
        print(*told["wrong"], sep="\n", file=sys.stderr)
        raise SystemExit("a gateway gave something else than vectors")
    return Measured(
        a_second=told["requests"] / told["seconds"],
        p50_ms=told["p50_ms"],
        cpu_ms=used / told["requests"] * 1000,
    )


def _cpu(gateway: Gateway) -> float:
    return 0.0 if gateway.process is None else processes.cpu_seconds(gateway.process.pid)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Goal:
    """What a figure of a gateway is compared with."""

    what: str
    name: str
    peer: str
    goal: float
    at_least: bool = False


GOALS = (
    _Goal(what="CPU, 64", name=HUB, peer=LITELLM, goal=1 / 35),
    _Goal(what="CPU, 64", name=HUB, peer=MLFLOW, goal=1 / 4),
    _Goal(what="a second, 64", name=HUB, peer=LITELLM, goal=30, at_least=True),
    _Goal(what="a second, 16", name=HUB, peer=LITELLM, goal=14, at_least=True),
    _Goal(what="a second, 1", name=HUB, peer=LITELLM, goal=5, at_least=True),
    _Goal(what="p50 over 20 ms, 16", name=HUB, peer=DIRECT, goal=1.08),
    _Goal(what="p50 over 20 ms, 1", name=HUB, peer=DIRECT, goal=1.08),
    _Goal(what="a second, 64", name=HUB, peer=BARE, goal=0.55, at_least=True),
    _Goal(what="a second, 64", name=HUB_PG, peer=BARE_PG, goal=0.5, at_least=True),
    _Goal(what="CPU, 64 inputs", name=HUB, peer=LITELLM, goal=1 / 60),
    _Goal(what="memory", name=HUB, peer=LITELLM, goal=0.3),
    _Goal(what="first answer", name=HUB, peer=LITELLM, goal=0.2),
)
#: Seconds that the hub may take to its first answer.
FIRST_ANSWER = 1.5
UNITS = {"CPU": "ms", "a second": "/s", "p50": "ms", "memory": "MiB", "first answer": "s"}


def _rows(found: Rounds) -> list[Row]:
    """Every figure, and behind those that have a goal what it is compared with."""
    rows: list[Row] = []
    for what, by_name in found.items():
        unit = next(unit for begin, unit in UNITS.items() if what.startswith(begin))
        for name, values in by_name.items():
            row = {"what": what, "name": name, "value": statistics.median(values)}
            row |= {"runs": len(values), "unit": unit}
            if what.startswith("CPU") and name == DIRECT:
                continue
            goals = [one for one in GOALS if (one.what, one.name) == (what, name)]
            met = [_compared(row, one, by_name) for one in goals if one.peer in by_name]
            if (what, name) == ("first answer", HUB):
                rows.append(Row(**row, goal=FIRST_ANSWER))
            elif not met:
                rows.append(Row(**row))
            rows += met
    return rows


def _compared(row: dict, goal: _Goal, by_name: Mapping[str, list[float]]) -> Row:
    pairs = zip(by_name[goal.name], by_name[goal.peer], strict=True)
    return Row(
        **row,
        ratio=statistics.median(one / other for one, other in pairs),
        peer=goal.peer,
        goal=goal.goal,
        at_least=goal.at_least,
    )
