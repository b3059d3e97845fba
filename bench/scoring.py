"""How fast is ``evenhand score`` beside the tools that people score runs with, and in what memory?

Whole cold processes: paths of judgements and a run in, the values of seven measures for each
query and their means out, ours with a digest of each input of more than 8 MiB, made as it is read
(of a smaller one it is made when it is asked for). Processes are interleaved, a ratio is the
median of the ratios inside each round, and before anything is timed our values are compared with
pytrec_eval's, bit by bit. Inputs are made once and kept in a folder of the user's cache.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from bench.scoring_data import SIZES, inputs
from bench.scoring_peers import MEASURES

BIN = Path(sys.executable).parent
PEERS = Path(__file__).with_name("scoring_peers.py")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evenhand-bench"
FEWEST_ROUNDS = 5
OURS = "evenhand"

#: How many times faster than a peer; above 1 is faster.
GOALS = {
    "small": {"pytrec_eval": 2.5},
    "S": {"pytrec_eval": 4.7, "trec_eval": 4.0},
    "S shuffled": {"pytrec_eval": 2.5},
    "M": {"pytrec_eval": 8.0, "ir_measures": 14.0},
    "M re-scored": {"pytrec_eval": 50.0},
    "XL": {"pytrec_eval": 10.0},
}
PEAK_MIB = {"M": 128.0}
#: Of the largest run: of its memory to that for its judged rows alone, which is what the judgements
#: ask for: 950,000 of 40,000,000 rows.
PEAK_RATIO = {"XL": 1.1}
JUDGED = "judged rows"
SECONDS = {"small": 0.05}
#: ranx takes 6 GiB for M, and a minute.
WITHOUT_RANX = {"M", "XL"}
ROUNDS = {"XL": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """One process: seconds on the wall, seconds of CPU, highest memory."""

    wall: float
    cpu: float
    peak_mib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One tool on one input.

    Attributes:
        name: of the input.
        tool: ours or a peer's name.
        wall_seconds, cpu_seconds, peak_mib: medians.
        wall_ratio, cpu_ratio: of this tool's time to ours, medians of the ratios in each round.
        goal: what is asked for, in words; empty where nothing is.
        missed: whether that is not met.
    """

    name: str
    tool: str
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    wall_ratio: float
    cpu_ratio: float
    goal: str = ""
    missed: bool = False
    rounds: list[Took] = field(default_factory=list)

    def __str__(self) -> str:
        verdict = f"  {self.goal}: {'missed' if self.missed else 'met'}" if self.goal else ""
        return (
            f"  {self.name:12} {self.tool:12} {self.wall_seconds:7.3f} s {self.cpu_seconds:7.3f} s"
            f" of CPU {self.peak_mib:6.0f} MiB {self.wall_ratio:6.2f} × {self.cpu_ratio:6.2f} ×"
            f" of CPU{verdict}"
        )


def compare(rounds: int) -> list[Row]:
    """All sizes but the largest, and scoring again from judged hits."""
    return [
        row for name in ("small", "S", "S shuffled", "M") for row in _compare_size(name, rounds)
    ]


def compare_xl(rounds: int) -> list[Row]:
    """The largest, which takes 2.4 GB of disk and minutes of each peer: one round."""
    return _compare_size("XL", rounds)


def _compare_size(name: str, rounds: int) -> list[Row]:
    qrels, run = map(str, inputs(SIZES[name], CACHE))
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        commands = {OURS: _ours(qrels, run), **_peers(name, qrels, run)}
        _require_equal(commands, Path(folder))
        if name == "M":
            hits = str(Path(folder) / "hits")
            kept = [*_ours(qrels, run), "--write-hits", hits]
            subprocess.run(kept, check=True, capture_output=True)
            commands["re-scored"] = _ours(hits)
        if name in PEAK_RATIO:
            judged = _judged_rows(qrels, run, Path(folder) / "judged.run")
            commands[JUDGED] = _ours(qrels, judged)
        took: dict[str, list[Took]] = {tool: [] for tool in commands}
        for _ in range(ROUNDS.get(name, max(FEWEST_ROUNDS, rounds // 3))):
            for tool, command in commands.items():
                took[tool].append(_run(command, Path(folder) / "out"))
    rows = [_row(name, tool, seconds, took[OURS]) for tool, seconds in took.items()]
    if JUDGED in took:
        rows[0] = _bounded(rows[0], statistics.median(one.peak_mib for one in took[JUDGED]))
    if "re-scored" in took:
        rows.append(_row("M re-scored", "pytrec_eval", took["pytrec_eval"], took["re-scored"]))
    return rows


def _judged_rows(qrels: str, run: str, path: Path) -> str:
    """The rows of a run whose document is judged, as a file; minutes for the largest."""
    with Path(qrels).open("rb") as lines:
        judged = {(query, document) for query, _, document, _ in map(bytes.split, lines)}
    with Path(run).open("rb") as lines, path.open("wb") as kept:
        for line in lines:
            query, _, document, _ = line.split(b" ", 3)
            if (query, document) in judged:
                kept.write(line)
    return str(path)


def _bounded(row: Row, peak_mib: float) -> Row:
    """The row with its memory held against that for the judged rows alone."""
    most = PEAK_RATIO[row.name]
    return replace(
        row,
        goal=f"at most {most} × the {peak_mib:.0f} MiB for its judged rows alone",
        missed=row.peak_mib > most * peak_mib,
    )


def _ours(*paths: str) -> list[str]:
    asked = [word for name in MEASURES for word in ("-m", name)]
    return [str(BIN / "evenhand"), "score", *paths, *asked, "-q", "--json"]


def _peers(name: str, qrels: str, run: str) -> dict[str, list[str]]:
    wanted = ["pytrec_eval", "ir_measures", *([] if name in WITHOUT_RANX else ["ranx"])]
    found = {
        peer: [sys.executable, str(PEERS), peer, qrels, run] for peer in wanted if find_spec(peer)
    }
    if binary := os.environ.get("TREC_EVAL"):
        asked = ("ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10", "success.1,3")
        flags = [word for one in asked for word in ("-m", one)]
        found["trec_eval"] = [binary, "-q", "-c", *flags, qrels, run]
    return found


def _require_equal(commands: dict[str, list[str]], folder: Path) -> None:
    """Every value is pytrec_eval's, to the last bit; also warms the cache of files and of ranx."""
    found = {}
    for tool, command in commands.items():
        if tool in (OURS, "pytrec_eval"):
            _run(command, folder / "out")
            found[tool] = json.loads((folder / "out").read_bytes())["per_query"]
        elif tool == "ranx":
            _run(command, folder / "out")
    for name in MEASURES:
        if found[OURS][name] != found["pytrec_eval"][name]:
            sys.exit(f"values of {name} differ from pytrec_eval's")


def _run(command: Sequence[str], out: Path) -> Took:
    begun = time.perf_counter()
    with out.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Took(
        wall=time.perf_counter() - begun,
        cpu=used.ru_utime + used.ru_stime,
        peak_mib=used.ru_maxrss / 1024,
    )


def _row(name: str, tool: str, took: list[Took], ours: list[Took]) -> Row:
    wall = statistics.median(one.wall / mine.wall for one, mine in zip(took, ours, strict=True))
    cpu = statistics.median(one.cpu / mine.cpu for one, mine in zip(took, ours, strict=True))
    seconds = statistics.median(one.wall for one in took)
    peak = statistics.median(one.peak_mib for one in took)
    goal, missed = "", False
    if tool == OURS and name in PEAK_MIB:
        goal, missed = f"at most {PEAK_MIB[name]:.0f} MiB", peak > PEAK_MIB[name]
    elif tool == OURS and name in SECONDS:
        goal, missed = f"at most {SECONDS[name]} s", seconds > SECONDS[name]
    elif tool in GOALS[name]:
        goal, missed = f"goal {GOALS[name][tool]} ×", wall < GOALS[name][tool]
    return Row(
        name=name,
        tool=tool,
        wall_seconds=seconds,
        cpu_seconds=statistics.median(one.cpu for one in took),
        peak_mib=peak,
        wall_ratio=wall,
        cpu_ratio=cpu,
        goal=goal,
        missed=missed,
        rounds=took,
    )
