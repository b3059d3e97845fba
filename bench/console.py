"""How long until each page of the console begins to arrive, over large evaluations?

A store holds 20 evaluations of a set of 100,000 questions; the console over it runs in a process
of its own. Pages are found by following links, one address of each kind, and asked over HTTP. The
first answer is told beside the median: what is costly to make of rows that never change is made
once.
"""

import http.client
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.console_store import EVALUATIONS, QUESTIONS, build_store

#: Milliseconds to the first byte.
GOAL = 300
ROUNDS = 5
_START = "/console/"
_VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|req_[0-9a-f]{32}|\?.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page: milliseconds to the first byte, asked for the first time and as a median."""

    name: str
    first_ms: float
    median_ms: float
    kib: float
    goal_ms: int = GOAL

    @property
    def missed(self) -> bool:
        """Whether half of the answers began later than the goal says."""
        return self.median_ms > self.goal_ms

    def __str__(self) -> str:
        verdict = "missed" if self.missed else "met"
        return (
            f"  {self.name:38} first {self.first_ms:7.1f} ms  median {self.median_ms:6.1f} ms"
            f"  {self.kib:5.0f} KiB  goal {self.goal_ms} ms: {verdict}"
        )


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where a link leads."""
        address = (dict(attrs).get("href") or "").partition("#")[0] if tag == "a" else ""
        # A file to save is no page.
        if address.startswith("/console") and ".csv" not in address:
            self.found.append(address)


def compare(rounds: int) -> list[Row]:
    """Every page.

    Args:
        rounds: not looked at: a page is asked five times.
    """
    del rounds
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "console.db"
        print(f"  building {EVALUATIONS} evaluations of {QUESTIONS} questions ...")
        build_store(database)
        with _server(database) as reader:
            return list(_pages(reader, ROUNDS))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Somebody who was let in: where to, and by which cookie."""

    host: str
    port: int
    cookie: str


def _pages(reader: _Reader, rounds: int) -> Iterator[Row]:
    waiting, seen, kinds = deque([_START]), {_START}, set[str]()
    while waiting:
        address = waiting.popleft()
        kind = _VARYING.sub(_kind, address)
        if kind in kinds:
            continue
        kinds.add(kind)
        answers = [_ask(reader, address) for _ in range(rounds)]
        body, media = answers[0][1], answers[0][2]
        yield Row(
            name=kind,
            first_ms=answers[0][0],
            median_ms=statistics.median(one[0] for one in answers),
            kib=len(body) / 1024,
        )
        if media.startswith("text/html"):
            links = _Links()
            links.feed(body.decode())
            fresh = [one for one in links.found if one not in seen]
            seen.update(fresh)
            waiting.extend(fresh)


def _kind(found: re.Match[str]) -> str:
    given = found.group()
    if not given.startswith("?"):
        return "*"
    return "?" + "&".join(sorted({one.partition("=")[0] for one in given[1:].split("&")}))


def _ask(reader: _Reader, address: str) -> tuple[float, bytes, str]:
    connection = http.client.HTTPConnection(reader.host, reader.port, timeout=60)
    try:
        connection.connect()
        began = time.perf_counter()
        connection.request("GET", address, headers={"Cookie": reader.cookie})
        answer = connection.getresponse()
        first = answer.read(1)
        took = (time.perf_counter() - began) * 1000
        body = first + answer.read()
        if answer.status != 200:
            message = f"{address}: {answer.status}"
            raise RuntimeError(message)
        return took, body, answer.headers.get("content-type", "")
    finally:
        connection.close()


@contextmanager
def _server(database: Path) -> Iterator[_Reader]:
    command = [sys.executable, "-m", "bench.console_server", f"sqlite:///{database}"]
    process: Any = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        place = urlsplit(address)
        host, port = str(place.hostname), int(place.port or 0)
        yield _Reader(host, port, _let_in(host, port, address))
    finally:
        process.terminate()
        process.communicate()


def _let_in(host: str, port: int, address: str) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        place = urlsplit(address)
        connection.request("GET", f"{place.path}?{place.query}")
        answer = connection.getresponse()
        answer.read()
        return answer.headers["set-cookie"].partition(";")[0]
    finally:
        connection.close()
