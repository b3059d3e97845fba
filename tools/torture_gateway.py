"""Kill a gateway under load, and send it what no client would: no answer without a row, no crash.

    python -m tools.torture_gateway [--kills 10] [--answers 1000] [--bodies 1000000] [--postgresql]

*Kills*: clients ask without a pause. After so many answers the process is killed with SIGKILL; then
every id that was given as an answer must have its row, none may have two, and ``db check`` must
find nothing. The next round starts a process on the same database.

*Bodies*: right ones, and wrong ones of every kind that tests/hub/test_gateway_fuzz.py draws. Each
must be answered as the gateway's description says, with a row.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO, cast
from urllib.parse import urlsplit

import sqlalchemy as sa

from bench.gateway_servers import FAST, register, upstream
from bench.installed_peers import LOOPBACK
from evenhand.bootstrap import App
from evenhand.core.gateway.request import is_public_id
from evenhand.hub.app import TABLE
from evenhand.settings import load_settings
from evenhand.store.engine import create_engine
from evenhand.store.migrate import check
from tests import postgres
from tests.hub.processes import PATIENCE, Process
from tests.hub.test_gateway_fuzz import a_body, answering, ask

CLIENTS: Final = 16
TOGETHER: Final = 64
#: How often the number of rows is looked at, in bodies.
LOOK_EVERY: Final = 100_000
NOBODY: Final = "http://127.0.0.1:1"


@dataclass
class Found:
    """What came of it.

    Attributes:
        killed: processes that died of the signal.
        answered: ids that were given as an answer, in their order.
        statuses: how often each was answered to a body.
        problems: whatever should not be.
    """

    killed: int = 0
    answered: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def kill_under_load(url: str, folder: Path, found: Found, *, kills: int, answers: int) -> None:
    """Start, ask, kill and look, as often as asked.

    Args:
        url: a database of its own, empty.
        folder: where the process runs; errors that it tells are kept there.
        found: what came of it is added here.
        kills: how often.
        answers: after how many answers.
    """
    with upstream() as address:
        token = register(url, address, address)
        for number in range(kills):
            allowed = {"EVENHAND_SERVE_UPSTREAM_ALLOW": LOOPBACK}
            process = Process(folder, "--database-url", url, **allowed)
            load = _Load(process, token, answers)
            try:
                asyncio.run(load.run())
            finally:
                process.close()
            found.killed += load.code == -signal.SIGKILL
            found.answered += load.answered
            found.problems += [f"kill {number}: {one}" for one in load.problems]
            rows = Counter(_rows(url))
            lost = set(found.answered) - set(rows)
            found.problems += [f"kill {number}: {one} was answered and has no row" for one in lost]
            found.problems += [f"kill {number}: {one} twice" for one, n in rows.items() if n > 1]
            found.problems += [f"kill {number}: db check: {one.message}" for one in check(url)]
            print(f"  kill {number + 1}: {len(found.answered)} answered, {len(rows)} rows")
    double = [one for one, number in Counter(found.answered).items() if number > 1]
    found.problems += [f"{one} was given as an answer twice" for one in double]
    # What was in work may have a row and no answer, one a client at most.
    if len(rows) - len(found.answered) > CLIENTS * kills:
        found.problems.append("there are rows that nobody asked for")


class _Load:
    """Clients that ask until the process is killed, which they see to.

    Attributes:
        answered: ids of the answers.
        code: how the process ended.
        problems: answers that should not be.
    """

    def __init__(self, process: Process, token: str, enough: int) -> None:
        self.answered: list[str] = []
        self.code = 0
        self.problems: list[str] = []
        self._process = process
        self._enough = enough
        self._reached = asyncio.Event()
        self._address = urlsplit(process.said["address"])
        body = json.dumps({"model": FAST, "input": "Where is the office?"})
        self._request = (
            f"POST /v1/embeddings HTTP/1.1\r\nHost: {LOOPBACK}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    async def run(self) -> None:
        """Ask, kill, and hear the last answers."""
        clients = [asyncio.create_task(self._ask()) for _ in range(CLIENTS)]
        try:
            async with asyncio.timeout(PATIENCE * 10):
                await self._reached.wait()
        finally:
            self.code = self._process.end(signal.SIGKILL)
        await asyncio.gather(*clients)

    async def _ask(self) -> None:
        reader, writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        try:
            while True:
                writer.write(self._request)
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                headers = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
                await reader.readexactly(int(headers["content-length"]))
                if head.startswith("http/1.1 200 "):
                    self.answered.append(headers["x-request-id"])
                else:
                    self.problems.append(head.splitlines()[0])
                if len(self.answered) >= self._enough or self.problems:
                    self._reached.set()
        except (OSError, asyncio.IncompleteReadError):
            # It was killed.
            self._reached.set()
        finally:
            writer.close()


def send_bodies(url: str, folder: Path, found: Found, *, bodies: int, seed: int) -> None:
    """Send so many bodies to the application itself, whose upstream is a stub.

    Args:
        url: a database of its own, empty.
        folder: for settings.
        found: what came of it is added here.
        bodies: how many.
        seed: of what they hold.
    """
    token = register(url, NOBODY, NOBODY, dimension=1)
    flags = {"database_url": url, "serve_upstream_allow": LOOPBACK}
    parts = App(load_settings(flags, start=folder, environment={}))
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as log:
            asyncio.run(_send(parts, log, token, found, bodies=bodies, seed=seed))
    finally:
        parts.close()


async def _send(
    parts: App, log: TextIO, token: str, found: Found, *, bodies: int, seed: int
) -> None:
    app = parts.hub(log)
    app.state.parts.upstreams.post = answering
    [entry] = [one for one in TABLE.entries if one.path == "/v1/embeddings"]
    described = {200, *entry.possible_problems}
    draw = random.Random(seed)  # noqa: S311 -- bodies, not secrets
    sent = 0
    while sent < bodies and not found.problems:
        some = [a_body(draw, model=FAST) for _ in range(min(TOGETHER, bodies - sent))]
        answers = await asyncio.gather(*(ask(app, token, body) for body in some))
        for body, (status, headers, content) in zip(some, answers, strict=True):
            found.statuses[status] += 1
            wrong = _wrong(status, headers, content, described)
            if wrong:
                found.problems.append(f"{wrong}: {body!r}")
        sent += len(some)
        if sent % LOOK_EVERY < TOGETHER or sent == bodies:
            rows = _count(parts.database_url)
            if rows != sent:
                found.problems.append(f"{rows} rows of {sent} bodies")
            print(f"  {sent} bodies, {rows} rows, {dict(sorted(found.statuses.items()))}")


def _wrong(
    status: int, headers: dict[str, str], content: bytes, described: set[int]
) -> str | None:
    """What is wrong with an answer, None for nothing."""
    if status not in described or status >= 500:
        return f"status {status}"
    if not is_public_id(headers.get("x-request-id", "")):
        return "no public id"
    said = cast(dict[str, object], json.loads(content))
    return None if ("data" in said) is (status == 200) else "another body than its status says"


def _rows(url: str) -> list[str]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.scalars(sa.text("SELECT public_id FROM gateway_request")).all()
    engine.dispose()
    return list(found)


def _count(url: str) -> int:
    engine = create_engine(url)
    with engine.connect() as connection:
        number = connection.scalar(sa.text("SELECT count(*) FROM gateway_request"))
    engine.dispose()
    return int(number or 0)


def main() -> int:
    """Kill and send as often as asked; 0 when nothing was ever wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--answers", type=int, default=1_000, help="before each kill")
    parser.add_argument("--bodies", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true", help="on a throw-away server")
    options = parser.parse_args()
    found = Found()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-gw-")))
        urls = [f"sqlite:///{folder / name}.db" for name in ("kills", "bodies")]
        if options.postgresql:
            cluster = stack.enter_context(postgres.cluster(durable=True))
            urls = [cluster.url(cluster.create()) for _ in urls]
        if options.kills:
            how = {"kills": options.kills, "answers": options.answers}
            kill_under_load(urls[0], folder, found, **how)
        if options.bodies:
            send_bodies(urls[1], folder, found, bodies=options.bodies, seed=options.seed)
    print("\n".join(found.problems))
    print(
        f"killed: {found.killed} of {options.kills}, {len(found.answered)} answered ids;"
        f" bodies: {found.statuses.total()}; {len(found.problems)} problems"
    )
    return 1 if found.problems or found.killed != options.kills else 0


if __name__ == "__main__":
    sys.exit(main())
