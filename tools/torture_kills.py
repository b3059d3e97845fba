"""Kill ``evenhand run`` again and again; afterwards the database must be whole.

Half of the kills come from hooks between the statements of the store (``tools/kill_at.py``), half
at random moments, each on a database that does not exist yet and on one that holds results. After
each kill ``evenhand db check`` must find nothing, and no evaluation may be there in part; then the
same command must succeed.

Only a process that died of SIGKILL counts. A run that ended before its random moment is drawn
again, a hook that did not kill is a problem: otherwise a command that cannot even start would
pass. Do not edit the checkout meanwhile; every command is a new process that imports it.

    python tools/torture_kills.py [--hooks 25] [--random 25] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

KILL_AT = Path(__file__).with_name("kill_at.py")
COMMAND = ("run", "example/questions.jsonl", "example", "-q")
DATABASE = Path(".evenhand") / "evenhand.db"
EXIT_WENT_WRONG = 5
REDRAWS = 20


@dataclass(frozen=True)
class Project:
    """A folder with a configuration, a set and a retriever; its database may be absent."""

    folder: Path

    def evenhand(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "evenhand", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def kill_at(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the command under test with the hook."""
        return subprocess.run(
            [sys.executable, KILL_AT, *options, "--", *COMMAND],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def kill_after(self, seconds: float) -> int:
        """Start the command under test and kill it at a moment; gives its return code."""
        process = subprocess.Popen(
            [sys.executable, "-m", "evenhand", *COMMAND],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def steps(self) -> int:
        """How many steps the command takes when nobody disturbs it."""
        counted = self.folder / "steps.txt"
        ended = self.kill_at("--count", str(counted))
        if ended.returncode != 0:
            raise SystemExit(ended.stderr)
        return int(counted.read_text(encoding="utf-8"))

    def seconds(self) -> float:
        """How long the command takes when nobody disturbs it."""
        started = time.perf_counter()
        ended = self.evenhand(*COMMAND)
        if ended.returncode != 0:
            raise SystemExit(ended.stderr)
        return time.perf_counter() - started

    def stored(self) -> int:
        """How many evaluations there are."""
        listed = self.evenhand("evaluations", "list", "--json")
        return len(json.loads(listed.stdout))


def problems_after(project: Project, before: int) -> list[str]:
    """What is wrong after a kill; ``before`` evaluations were there when the command began."""
    checked = project.evenhand("db", "check")
    # A kill may come before there is a database, or before its one transaction that makes it.
    absent = checked.returncode == EXIT_WENT_WRONG and "[database_absent]" in checked.stderr
    if absent and before == 0:
        return []
    if checked.returncode != 0:
        return [f"db check: {checked.stdout}{checked.stderr}"]
    now = project.stored()
    if now not in (before, before + 1):
        return [f"{before} evaluations before, {now} after"]
    again = project.evenhand(*COMMAND)
    if again.returncode != 0 or project.stored() != now + 1:
        return [f"the next run failed: {again.stderr}"]
    return []


def copy_of(template: Path, folder: Path) -> Project:
    """A project of its own for one kill."""
    shutil.copytree(template, folder)
    return Project(folder)


def prepare(folder: Path) -> tuple[Path, Path]:
    """Two templates: a project without a database, and one whose database holds two results."""
    empty = folder / "empty"
    empty.mkdir()
    Project(empty).evenhand("init")
    filled = folder / "filled"
    shutil.copytree(empty, filled)
    for _ in range(2):
        Project(filled).seconds()
    return empty, filled


def random_kill(
    template: Path, folder: Path, seconds: float, draw: random.Random
) -> tuple[Project, float, int]:
    """A project whose command was killed at a random moment; gives moment and return code too.

    A machine that others use is sometimes quicker than when the command was timed, so a command
    that ended first is drawn again from a shorter span.
    """
    span = seconds
    for attempt in range(REDRAWS):
        project = copy_of(template, folder.with_name(f"{folder.name}-{attempt}"))
        moment = draw.uniform(0.0, span)
        code = project.kill_after(moment)
        if code == -signal.SIGKILL:
            break
        span = moment
    return project, moment, code


def main() -> int:
    """Kill and look, as often as asked; 0 when every kill was one and nothing was ever wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hooks", type=int, default=25)
    parser.add_argument("--random", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)  # noqa: S311 -- moments, not secrets
    killed: Counter[str] = Counter()
    problems: list[str] = []

    with tempfile.TemporaryDirectory(prefix="evenhand-kills-") as name:
        folder = Path(name)
        templates = prepare(folder)
        held = [Project(one).stored() if (one / DATABASE).exists() else 0 for one in templates]
        steps = [copy_of(one, folder / f"steps-{at}").steps() for at, one in enumerate(templates)]
        seconds = [
            copy_of(one, folder / f"seconds-{at}").seconds() for at, one in enumerate(templates)
        ]
        print(f"held: {held}, steps: {steps}, seconds: {[round(one, 2) for one in seconds]}")
        for number in range(options.hooks + options.random):
            kind = number % 2
            place = folder / f"kill-{number}"
            if number < options.hooks:
                # Spread over all steps, so that each stretch of the run is hit.
                at = 1 + number * steps[kind] // options.hooks
                project = copy_of(templates[kind], place)
                code = project.kill_at("--at", str(at)).returncode
                manner, what = "at a hook", f"at step {at} of {steps[kind]}"
            else:
                project, moment, code = random_kill(templates[kind], place, seconds[kind], draw)
                manner, what = "at random", f"after {moment:.3f} s"
            if code == -signal.SIGKILL:
                killed[manner] += 1
                found = problems_after(project, held[kind])
            else:
                found = [f"it was not killed but ended with {code}"]
            problems += [f"kill {number}, {what}, {templates[kind].name}: {one}" for one in found]
            shutil.rmtree(project.folder)
    print("\n".join(problems))
    counted = ", ".join(f"{number} {manner}" for manner, number in sorted(killed.items()))
    print(f"killed: {counted}; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
