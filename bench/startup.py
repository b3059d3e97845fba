"""How long until the command line answers, beside a bare interpreter and a peer?"""

import resource
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BIN = Path(sys.executable).parent
BARE = "bare interpreter"
COMMANDS = {
    BARE: [sys.executable, "-c", "pass"],
    "import evenhand": [sys.executable, "-c", "import evenhand"],
    "evenhand --help": [str(BIN / "evenhand"), "--help"],
    "evenhand run --help": [str(BIN / "evenhand"), "run", "--help"],
    "ir_measures --help": [str(BIN / "ir_measures"), "--help"],
}
GOALS = {"import evenhand": 2.0, "evenhand --help": 4.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One command: CPU seconds (user and system), and how many bare interpreters that is."""

    name: str
    cpu_seconds: float
    ratio: float
    goal: float | None

    @property
    def missed(self) -> bool:
        """Whether there is a goal and the ratio is above it."""
        return self.goal is not None and self.ratio > self.goal

    def __str__(self) -> str:
        verdict = ""
        if self.goal is not None:
            verdict = f"  goal {self.goal:.0f} ×: {'missed' if self.missed else 'met'}"
        return f"  {self.name:20} {self.cpu_seconds * 1000:7.1f} ms {self.ratio:6.2f} ×{verdict}"


def compare(rounds: int) -> list[Row]:
    """CPU time of each command, interleaved; CPU is steadier than the clock on the wall."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            seconds[name].append(_cpu_seconds(command))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    return [
        Row(
            name=name,
            cpu_seconds=median,
            ratio=median / medians[BARE],
            goal=GOALS.get(name),
        )
        for name, median in medians.items()
    ]


def _cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
