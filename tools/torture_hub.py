"""Kill a hub that is writing, again and again: what it acknowledged must be there afterwards.

Several clients make tokens over HTTP, one after the other, and note each that was acknowledged.
At a random moment the process is killed with SIGKILL. Then every acknowledged token must be
stored, nothing may be stored that nobody asked for, and ``db check`` must find nothing; the next
round starts a process on the same database.

    python -m tools.torture_hub [--kills 200] [--postgresql] [--seed 1]
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import signal
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.store.migrate import check, upgrade
from evenhand.store.uow import open_database
from evenhand.usecases import access
from tests import postgres
from tests.hub.processes import PATIENCE, Process

CLIENTS: Final = 8
#: A kill comes at most after so many acknowledgements of its round, and so many seconds more.
MOST_ACKNOWLEDGED: Final = 60
MOST_SECONDS_MORE: Final = 0.02


@dataclass
class Found:
    """What came of it: processes that died of the signal, acknowledged writes, and problems."""

    killed: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


def kill_again_and_again(url: str, folder: Path, *, kills: int, seed: int) -> Found:
    """Start, write, kill and look, as often as asked.

    Args:
        url: a database of its own; it is brought to this release's schema.
        folder: where the process runs; errors that it tells are kept there.
        kills: how often.
        seed: of the moments.
    """
    draw = random.Random(seed)  # noqa: S311 -- moments, not secrets
    upgrade(url)
    found = Found()
    token = _operator_token(url)
    acknowledged: set[str] = set()
    known = _stored(url)
    for number in range(kills):
        writers = _Writers(token, prefix=f"r{number}")
        code = _kill_while_writing(url, folder, writers, draw)
        if code == -signal.SIGKILL:
            found.killed += 1
        else:
            found.problems.append(f"kill {number}: it was not killed but ended with {code}")
        acknowledged |= set(writers.acknowledged)
        stored = _stored(url)
        lost = acknowledged - stored
        unasked = stored - known - writers.asked
        found.problems += [f"kill {number}: {name} was acknowledged and is lost" for name in lost]
        found.problems += [f"kill {number}: {name} is stored unasked" for name in unasked]
        found.problems += [f"kill {number}: db check: {one.message}" for one in check(url)]
        found.problems += [f"kill {number}: {one}" for one in writers.problems]
        known = stored
    found.acknowledged = len(acknowledged)
    return found


class _Writers:
    """Clients that write until the hub is gone.

    Attributes:
        asked: names for which a token was asked.
        acknowledged: those that were answered with 201, in the order of the answers.
        problems: answers that should not be.
    """

    def __init__(self, token: str, *, prefix: str) -> None:
        self.asked: set[str] = set()
        self.acknowledged: list[str] = []
        self.problems: list[str] = []
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._prefix = prefix
        self._changed = threading.Condition()

    def start(self, address: str) -> list[threading.Thread]:
        """Begin to write; the threads end with the hub."""
        threads = [
            threading.Thread(target=self._write, args=(address, number))
            for number in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        return threads

    def wait_for(self, number: int) -> None:
        """Until so many were acknowledged, or one was not."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self.acknowledged) >= number or self.problems, PATIENCE
            )

    def _write(self, address: str, client: int) -> None:
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
        number = 0
        try:
            while True:
                number += 1
                self._ask(connection, f"{self._prefix}-c{client}-{number}")
        except (OSError, http.client.HTTPException):
            # It was killed.
            connection.close()

    def _ask(self, connection: http.client.HTTPConnection, name: str) -> None:
        with self._changed:
            self.asked.add(name)
        body = json.dumps({"name": name, "role": "viewer"})
        connection.request("POST", "/api/v1/credentials", body, self._headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        with self._changed:
            if answer.status == http.client.CREATED:
                self.acknowledged.append(told["credential"]["name"])
            else:
                self.problems.append(f"{name} was answered with {answer.status}")
            self._changed.notify_all()


def _kill_while_writing(url: str, folder: Path, writers: _Writers, draw: random.Random) -> int:
    """The return code of a process that was killed at a random moment."""
    process = Process(folder, "--database-url", url)
    try:
        threads = writers.start(process.said["address"])
        writers.wait_for(draw.randrange(MOST_ACKNOWLEDGED))
        time.sleep(draw.uniform(0, MOST_SECONDS_MORE))
        code = process.end(signal.SIGKILL)
    finally:
        process.close()
    for thread in threads:
        thread.join(PATIENCE)
    return code


def _operator_token(url: str) -> str:
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    issued = database.run(
        lambda uow: access.create(
            uow,
            name="torture",
            role=Role.OPERATOR,
            actor=Actor(kind=ActorKind.COMMAND_LINE),
            ids=UuidV7Ids(),
            secrets=SystemSecrets(),
        )
    )
    database.close()
    return issued.token


def _stored(url: str) -> set[str]:
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    found = database.read(lambda uow: access.list_credentials(uow, with_ended=True))
    database.close()
    return {one.name for one in found}


def main() -> int:
    """Kill as often as asked; 0 when every kill was one and nothing was ever wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--postgresql", action="store_true", help="on a throw-away server")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-hub-")))
        url = f"sqlite:///{folder / 'file.db'}"
        if options.postgresql:
            cluster = stack.enter_context(postgres.cluster(durable=True))
            url = cluster.url(cluster.create())
        found = kill_again_and_again(url, folder, kills=options.kills, seed=options.seed)
    print("\n".join(found.problems))
    print(
        f"killed: {found.killed} of {options.kills}; {found.acknowledged} acknowledged writes,"
        f" {len(found.problems)} problems"
    )
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
