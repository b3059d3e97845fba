"""What do a process and those that it started use? As Linux tells it, for servers of any make."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 120


def tree(process: int) -> list[int]:
    """A process and all that came of it and are still there."""
    found = [process]
    for one in found:
        for thread in _there(Path(f"/proc/{one}/task")):
            try:
                found += map(int, (thread / "children").read_text(encoding="ascii").split())
            except OSError:
                continue
    return found


def cpu_seconds(process: int) -> float:
    """User and system seconds so far, of a tree of processes."""
    ticks = 0
    for one in tree(process):
        try:
            told = Path(f"/proc/{one}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        fields = told.rpartition(")")[2].split()
        # Its own, and of children that have ended.
        ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def memory_mib(process: int) -> float:
    """What a tree of processes holds, pages that several share counted once."""
    kib = 0
    for one in tree(process):
        try:
            told = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue
        [size] = [line.split()[1] for line in told.splitlines() if line.startswith("Pss:")]
        kib += int(size)
    return kib / 1024


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a session, and whatever it started."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something is so; the process must not end before."""
    began = time.perf_counter()
    while not is_so():
        if process.poll() is not None:
            raise SystemExit(" ".join((*process.args, "has ended")))
        if time.perf_counter() - began > PATIENCE:
            raise SystemExit(" ".join((*process.args, "does not answer")))
        time.sleep(0.005)


def _there(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
