"""Are the statistics of differences right, and how fast are they beside scipy's and ranx's?

Right first: false verdicts over pairs of equal legs, and coverage of both intervals, from a
fixed seed. By default there are fewer pairs and sets than ``--full`` draws; every goal is then
held with three binomial standard errors of so many, and the table says how much that is.
Then speed over 50,000 questions. scipy draws fewer sign flips than we do, as it takes a minute
otherwise; its time is scaled, as it grows with their number. ranx is measured where the extra
``[bench]`` is installed.
"""

import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec

import numpy as np

from bench import paired_simulations as simulations
from bench.paired_populations import BASE_RATES, Floats, equal_legs, graded, hit_tables
from evenhand.core.scoring.intervals import mean_interval
from evenhand.core.scoring.significance import RESAMPLES, randomisation_test

HIGHEST_FALSE = 0.05
LOWEST_COVERAGE = 0.93
#: Where fewer sets than this are given an interval, the refusal has picked unusual ones, and
#: coverage among them says more about the picking. Shown, not judged.
JUDGED_FROM = 0.25
SHOWN_FROM = 0.02

SPEED_QUESTIONS = 50_000
SPEED_ROUNDS = 5
QUICK_ROUNDS = 3
SCIPY_SHARE = 20
LIMIT_MIB = 64
GOALS = {"scipy permutation_test": 200.0, "ranx randomisation": 50.0, "scipy bootstrap BCa": 12.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is simulated.

    Attributes:
        pairs: of equal legs, for each population and number of questions.
        sets: for which an interval is made, likewise.
        is_full: whether a row is held to its goal as it stands. A row is held as a whole, over
            all its n; a single n may scatter.
    """

    pairs: int
    sets: int
    is_full: bool = False

    @property
    def false_scatter(self) -> float:
        """Three standard errors of a share of pairs that lies at the goal."""
        return 3 * math.sqrt(HIGHEST_FALSE * (1 - HIGHEST_FALSE) / self.pairs)

    @property
    def coverage_scatter(self) -> float:
        """Three standard errors of a coverage that lies at the goal."""
        return 3 * math.sqrt(LOWEST_COVERAGE * (1 - LOWEST_COVERAGE) / self.sets)


QUICK = Size(pairs=1_500, sets=1_000)
FULL = Size(pairs=10_000, sets=4_000, is_full=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        name: what was looked at.
        text: how it is shown.
        missed: whether there is a goal and it is not met.
        values: the numbers, by what they are.
    """

    name: str
    text: str
    missed: bool = False
    values: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"  {self.name:34} {self.text}{'  missed' if self.missed else ''}"


def compare(rounds: int, *, is_full: bool = False) -> list[Row]:
    """False verdicts and coverage, on all cores; then speed and memory, alone."""
    size = FULL if is_full else QUICK
    simulated = [_size_row(size)]
    with ProcessPoolExecutor() as pool:
        for heading, simulate, subjects in SIMULATIONS:
            simulated.append(_heading(heading))
            simulated += pool.map(partial(simulate, size), range(subjects))
    return [*simulated, *_speed(min(rounds, SPEED_ROUNDS if is_full else QUICK_ROUNDS)), _memory()]


def _size_row(size: Size) -> Row:
    return Row(
        name="simulated, full" if size.is_full else "simulated, --full for more",
        text=f"{size.pairs} pairs (3 standard errors {100 * size.false_scatter:.2f} points), "
        f"{size.sets} sets ({100 * size.coverage_scatter:.2f} points)",
        values={"pairs": size.pairs, "sets": size.sets},
    )


def _heading(name: str) -> Row:
    return Row(name=name, text=" ".join(f"{n:>12}" for n in simulations.QUESTIONS))


def _false_hits(size: Size, index: int) -> Row:
    """The highest share over the correlations of the legs."""
    asked = [table for table in hit_tables((0.0,)) if table.current == BASE_RATES[index]]
    return _false_row(
        f"base rate {BASE_RATES[index]}",
        size,
        lambda n: max(simulations.false_hit_verdicts(one, n, size.pairs) for one in asked),
    )


def _false_graded(size: Size, index: int) -> Row:
    population = list(equal_legs())[index]
    return _false_row(
        population.name,
        size,
        partial(simulations.false_graded_verdicts, population, pairs=size.pairs),
    )


def _false_row(name: str, size: Size, share: Callable[[int], float]) -> Row:
    # All n of a row together are so many more pairs.
    whole = 0.0 if size.is_full else size.false_scatter / math.sqrt(len(simulations.QUESTIONS))
    found = {n: share(n) for n in simulations.QUESTIONS}
    return Row(
        name=name,
        text=" ".join(f"{100 * value:10.2f} %" for value in found.values()),
        missed=statistics.mean(found.values()) > HIGHEST_FALSE + whole
        or max(found.values()) > HIGHEST_FALSE + size.false_scatter,
        values={f"n={n}": value for n, value in found.items()},
    )


def _hit_coverage(size: Size, index: int) -> Row:
    """The lowest coverage over differences and correlations."""
    tables = hit_tables((0.0, -0.02, -0.06, -0.1))
    asked = [table for table in tables if table.current == BASE_RATES[index]]
    found = {
        n: min(simulations.hit_coverage(one, n, size.sets) for one in asked)
        for n in simulations.QUESTIONS
    }
    return Row(
        name=f"base rate {BASE_RATES[index]}",
        text=" ".join(f"{100 * value:10.2f} %" for value in found.values()),
        missed=min(found.values()) < LOWEST_COVERAGE - _room(size),
        values={f"n={n}": value for n, value in found.items()},
    )


def _room(size: Size, given: float = 1.0) -> float:
    """How far a coverage may lie below the goal: the fewer intervals were given, the further."""
    return 0.0 if size.is_full else size.coverage_scatter / math.sqrt(given)


def _graded_coverage(size: Size, index: int) -> Row:
    """Coverage and, in brackets, the share of sets that were given an interval."""
    population = list(graded())[index]
    cells, values, missed = [], {}, False
    for n in simulations.QUESTIONS:
        coverage, given = simulations.graded_coverage(population, n, size.sets)
        values[f"n={n} given"] = given
        if given < SHOWN_FROM:
            cells.append(f"{'-':>12}")
            continue
        values[f"n={n}"] = coverage
        cells.append(f"{100 * coverage:5.1f} ({100 * given:3.0f}%)")
        missed |= given >= JUDGED_FROM and coverage < LOWEST_COVERAGE - _room(size, given)
    return Row(name=population.name, text=" ".join(cells), missed=missed, values=values)


SIMULATIONS: tuple[tuple[str, Callable[[Size, int], Row], int], ...] = (
    ("false verdicts on hits, n", _false_hits, len(BASE_RATES)),
    ("false verdicts on graded values, n", _false_graded, len(list(equal_legs()))),
    ("coverage of Newcombe's interval, n", _hit_coverage, len(BASE_RATES)),
    ("coverage of the graded interval, n", _graded_coverage, len(list(graded()))),
)


def _speed(rounds: int) -> list[Row]:
    """Interleaved runs; the smaller of the ratios of CPU time and of the clock on the wall."""
    differences = np.random.default_rng(simulations.SEED).normal(0.001, 0.3, SPEED_QUESTIONS)
    ours: dict[str, Callable[[], object]] = {
        "randomisation": lambda: randomisation_test(differences),
        "interval": lambda: mean_interval(differences),
    }
    peers = _peers(differences)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in (*ours, *peers)}
    for _ in range(rounds):
        for name, run in (ours | peers).items():
            taken[name].append(_seconds(run))
    medians = {
        name: tuple(statistics.median(column) for column in zip(*times, strict=True))
        for name, times in taken.items()
    }
    shares = {"scipy permutation_test": SCIPY_SHARE}
    rows = [
        Row(
            name=f"{name}, {SPEED_QUESTIONS} questions",
            text=f"{medians[name][0]:.3f} s of CPU, median of {rounds}",
        )
        for name in ours
    ]
    for name in peers:
        own = medians["interval" if "BCa" in name else "randomisation"]
        scale = shares.get(name, 1)
        ratio = min(scale * peer / mine for peer, mine in zip(medians[name], own, strict=True))
        rows.append(
            Row(
                name=name,
                text=f"{scale * medians[name][0]:.2f} s of CPU, {ratio:.0f} ×"
                f"  goal {GOALS[name]:.0f} ×",
                missed=ratio < GOALS[name],
                values={"ratio": ratio, "cpu_seconds": scale * medians[name][0]},
            )
        )
    return rows


def _peers(differences: Floats) -> dict[str, Callable[[], object]]:
    from scipy import stats  # a dependency of the peers, not of the product

    def mean(values: Floats, axis: int = -1) -> Floats:
        return np.asarray(values.mean(axis=axis))

    peers: dict[str, Callable[[], object]] = {
        "scipy permutation_test": lambda: stats.permutation_test(
            (differences,),
            mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES // SCIPY_SHARE,
            batch=100,
        ),
        "scipy bootstrap BCa": lambda: stats.bootstrap(
            (differences,), mean, vectorized=True, method="BCa", n_resamples=RESAMPLES, batch=100
        ),
    }
    if find_spec("ranx"):
        from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

        control = np.zeros_like(differences)
        fisher_randomization_test(control, differences, 1)  # compiles it
        peers["ranx randomisation"] = lambda: fisher_randomization_test(
            control, differences, RESAMPLES
        )
    return peers


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - cpu, time.perf_counter() - wall


def _memory() -> Row:
    differences = np.random.default_rng(simulations.SEED).normal(0.001, 0.3, SPEED_QUESTIONS)
    tracemalloc.start()
    randomisation_test(differences)
    mean_interval(differences)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return Row(
        name="memory of both",
        text=f"peak {peak:.1f} MiB  goal {LIMIT_MIB} MiB",
        missed=peak > LIMIT_MIB,
        values={"peak_mib": peak},
    )
