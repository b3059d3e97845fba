"""How long until a hub gives its first answer, on an empty folder and on a store that is there?"""

import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Seconds to the first answer.
GOAL = 1.5
COMMAND = (sys.executable, "-m", "evenhand", "serve", "--port", "0", "--json")
EMPTY, THERE = "empty folder", "store is there"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of start: seconds on the wall to the first answer, CPU seconds, peak memory."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_mib: float
    goal: float = GOAL

    @property
    def missed(self) -> bool:
        """Whether the first answer came later than the goal says."""
        return self.seconds > self.goal

    def __str__(self) -> str:
        verdict = "missed" if self.missed else "met"
        return (
            f"  {self.name:16} {self.seconds:5.2f} s  CPU {self.cpu_seconds:5.2f} s"
            f"  {self.peak_mib:4.0f} MiB  goal {self.goal} s: {verdict}"
        )


def compare(rounds: int) -> list[Row]:
    """Medians of both kinds, one after the other in each round."""
    found: dict[str, list[tuple[float, float, float]]] = {EMPTY: [], THERE: []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for name in found:
                found[name].append(_first_answer(Path(folder)))
    return [
        Row(name=name, seconds=wall, cpu_seconds=cpu, peak_mib=peak)
        for name, values in found.items()
        for wall, cpu, peak in [map(statistics.median, zip(*values, strict=True))]
    ]


def _first_answer(folder: Path) -> tuple[float, float, float]:
    began = time.perf_counter()
    process = subprocess.Popen(
        COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        said = json.loads(b"".join(_document(process)))
        urllib.request.urlopen(f"{said['address']}/readyz").read()  # noqa: S310 -- of loopback
        took = time.perf_counter() - began
        cpu, peak = _used(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
    return took, cpu, peak


def _document(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None  # noqa: S101 -- it is a pipe
    for line in process.stdout:
        yield line
        if line == b"}\n":
            return


def _used(process: int) -> tuple[float, float]:
    """CPU seconds and peak MiB so far, as Linux tells them."""
    place = Path("/proc") / str(process)
    fields = (place / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    status = (place / "status").read_text(encoding="utf-8")
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return ticks / 100, int(peak) / 1024
