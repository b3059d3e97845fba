"""Kill a process that takes events in and delivers them, again and again: none is lost, none twice.

The process takes the events of files in, block by block, with their way to a sink, and then brings
them to the sink, batch by batch; each step that is committed it tells. At a random step, and a
random moment more, it is killed with SIGKILL. Then whatever it told must be there, nothing may be
in the sink twice, and ``db check`` must find nothing wrong with events; the next process goes on.
At the end one runs undisturbed, and every event must be stored once and delivered once.
Do not edit the checkout meanwhile; every process is a new one that imports it.

    python -m tools.torture_events [--kills 100] [--postgresql] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.store.migrate import check, upgrade
from evenhand.store.uow import open_database
from tests import postgres
from tests.event_builders import event_document
from tests.registry_builders import a_project
from tests.usecases.event_kill_entry import AT_A_TIME, delivered

#: Events of one file; there is one more file with every kill.
EVENTS: Final = 300
MOST_SECONDS_MORE: Final = 0.003
_ENTRY: Final = (sys.executable, "-m", "tests.usecases.event_kill_entry")


@dataclass
class Found:
    """What came of it: kills by what the process did last, events, and problems."""

    killed: Counter[str] = field(default_factory=Counter)
    events: int = 0
    problems: list[str] = field(default_factory=list)


def kill_again_and_again(url: str, place: str, folder: Path, *, kills: int, seed: int) -> Found:
    """Take in, deliver, kill and look, as often as asked.

    Args:
        url: a database of its own; it is brought to this release's schema.
        place: of the sink: a folder, or an address of PostgreSQL.
        folder: where the files of events are made.
        kills: how often.
        seed: of the moments.
    """
    draw = random.Random(seed)  # noqa: S311 -- moments, not secrets
    upgrade(url)
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    database.run(lambda uow: uow.projects.add(a_project()))
    database.close()
    found, told, waiting = Found(), set[str](), list[Path]()
    for number in range(kills):
        waiting.append(_file(folder, number))
        # Half of the steps take in, the other half deliver.
        steps = 2 * len(waiting) * (EVENTS // AT_A_TIME)
        done = _kill_at(url, place, waiting, draw.randrange(steps), draw)
        if done.code == -signal.SIGKILL:
            found.killed[done.steps[-1][0] if done.steps else "start"] += 1
        elif done.code != 0:
            found.problems.append(f"kill {number}: it ended with {done.code}")
        for word, *more in done.steps:
            if word == "taken":
                told |= set(more)
            elif word == "file":
                waiting.remove(Path(more[0]))
        found.problems += [f"kill {number}: {one}" for one in _wrong(url, place, told)]
    command = [*_ENTRY, url, place, *map(str, waiting)]
    last = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if last.returncode != 0:
        found.problems.append(f"undisturbed it ended with {last.returncode}")
    found.events = kills * EVENTS
    everything = {f"evt_{number}" for number in range(found.events)}
    found.problems += _wrong(url, place, everything)
    missing = everything - set(delivered(place))
    found.problems += [f"{one} was never delivered" for one in sorted(missing)]
    return found


@dataclass(frozen=True)
class _Ended:
    """The return code of a process, and the steps that it told of, in words."""

    code: int
    steps: list[list[str]]


def _kill_at(url: str, place: str, files: list[Path], step: int, draw: random.Random) -> _Ended:
    """A process that was killed after so many steps and a random moment."""
    process = subprocess.Popen(
        [*_ENTRY, url, place, *map(str, files)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None  # noqa: S101 -- it was asked for
    steps = []
    with process.stdout:
        for line in process.stdout:
            steps.append(line.split())
            if len(steps) > step:
                break
        time.sleep(draw.uniform(0, MOST_SECONDS_MORE))
        process.kill()
        # What it told before the signal came counts as well.
        steps += [line.split() for line in process.stdout if line.endswith("\n")]
    return _Ended(code=process.wait(), steps=steps)


def _wrong(url: str, place: str, told: set[str]) -> list[str]:
    """What is wrong now; whatever was told of must be stored."""
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    stored = database.read(
        lambda uow: [one.event_id for one in uow.events.walk(None, project_id=None)]
    )
    database.close()
    sent = Counter(delivered(place))
    return [
        *(f"{one} was told of and is lost" for one in sorted(told - set(stored))),
        *(f"{one} is stored {times} times" for one, times in Counter(stored).items() if times > 1),
        *(f"{one} is delivered {times} times" for one, times in sent.items() if times > 1),
        *(f"{one} is delivered and not stored" for one in sorted(set(sent) - set(stored))),
        *(f"db check: {one.message}" for one in check(url) if one.code.startswith("event")),
    ]


def _file(folder: Path, number: int) -> Path:
    path = folder / f"events-{number}.jsonl"
    numbers = range(number * EVENTS, (number + 1) * EVENTS)
    path.write_bytes(b"\n".join(msgspec.json.encode(event_document(one)) for one in numbers))
    return path


def main() -> int:
    """Kill as often as asked; 0 when nothing was ever wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--postgresql", action="store_true", help="on a throw-away server")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-events-")))
        url, place = f"sqlite:///{folder / 'file.db'}", str(folder / "sink")
        if options.postgresql:
            cluster = stack.enter_context(postgres.cluster(durable=True))
            url = cluster.url(cluster.create())
            place = cluster.url(cluster.create()).replace("+psycopg", "")
        found = kill_again_and_again(url, place, folder, kills=options.kills, seed=options.seed)
    print("\n".join(found.problems))
    while_at = ", ".join(f"{times} after {word}" for word, times in sorted(found.killed.items()))
    print(
        f"killed: {found.killed.total()} of {options.kills} ({while_at}); {found.events} events,"
        f" {len(found.problems)} problems"
    )
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
