"""Score the runs that were asked for, and print what came of it; shared by both ways to type it.

Only what is needed is imported, and only when it runs: a small run is scored in less time than
click, the settings, the store or numpy take to load.
"""

from __future__ import annotations

import os
import stat
import sys

from evenhand.core.scoring.records import Record

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Final

    from evenhand.core.scoring.measures import Measure
    from evenhand.core.scoring.run_facts import Projection, RunFacts
    from evenhand.usecases.scoring import ScoredRun

#: What is computed where nobody asks for measures: how good the top is, how much is found.
DEFAULT_MEASURES: Final = ("nDCG@10", "AP", "RR", "R@100", "P@10")
STDIN: Final = "-"
#: How a file of judged hits begins, of any version.
_HITS: Final = b'{"format":"evenhand.hits/'
_DOUBLE: Final = 64


class Asked(Record):
    """What was typed.

    Attributes:
        qrels: judgements, or a file of judged hits.
        runs: one or more; further files of judged hits, or none, where the first is one.
        measures: names; the default ones when empty.
        per_query: also the value of each query.
        depth: only so many best rows of each query count, None for all.
        split: judgements of a BEIR folder, None for the customary one.
        table: how a table is laid out.
        digits: behind the decimal point.
        write_hits: where the judged hits of the one run are kept, None for nowhere.
        as_json: one JSON document instead of lines.
        quiet: no warnings.
        precision: bits in which scores are held, 64 or 32; None is 64, and of judged hits those
            that they were made with.
    """

    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    per_query: bool = False
    depth: int | None = None
    split: str | None = None
    table: str = "plain"
    digits: int = 4
    write_hits: Path | None = None
    as_json: bool = False
    quiet: bool = False
    precision: int | None = None


def is_hits_file(name: str) -> bool:
    """Whether an input begins like a file of judged hits; what reads them is imported on use."""
    if name == STDIN or not _is(stat.S_ISREG, name):
        return False
    with open(name, "rb") as stream:  # noqa: PTH123 -- pathlib takes long to import
        return stream.read(len(_HITS)) == _HITS


def score_all(asked: Asked) -> list[ScoredRun]:
    """Read and score each run.

    Raises:
        InvalidMeasure: a name that cannot be read.
        InvalidFile: an input breaks a rule; its line is named.
        NothingScored: there is no judged query.
    """
    from evenhand.core.scoring.measure_names import parse_measures

    measures = parse_measures(asked.measures or DEFAULT_MEASURES)
    if is_hits_file(asked.qrels):
        inputs = (asked.qrels, *asked.runs)
        scored = [_scored_hits(one, measures, asked) for one in inputs]
        _require_one_precision(scored, inputs)
        return scored
    qrels = _judgements(asked.qrels, asked.split)
    return [_scored(qrels, run, measures, asked) for run in asked.runs]


def print_scores(scored: Sequence[ScoredRun], asked: Asked) -> None:
    """Print the scores on standard output, as they were asked for."""
    from evenhand.reports import scores

    if asked.as_json:
        text = f"{scores.score_json(scored, per_query=asked.per_query)}\n"
    elif asked.per_query:
        text = "".join(f"{line}\n" for line in scores.query_lines(scored, digits=asked.digits))
    else:
        table = scores.score_table(scored, scores.Table(asked.table), digits=asked.digits)
        text = "".join(f"{line}\n" for line in table)
    # Written at once: a run may have a hundred thousand queries.
    sys.stdout.write(text)
    sys.stdout.flush()


def print_warnings(scored: Sequence[ScoredRun], asked: Asked) -> None:
    """Say on standard error what else the numbers depend on, unless it is to be quiet."""
    if asked.quiet:
        return
    from evenhand.reports.score_warnings import score_warnings

    for run in scored:
        front = "" if len(scored) == 1 else f"{run.name}: "
        for warning in score_warnings(run, digits=asked.digits):
            sys.stderr.write(f"warning: {front}{warning}\n")


def _judgements(qrels: str, split: str | None) -> str | Path:
    """The file of judgements; of a folder that of its split."""
    if qrels == STDIN or not _is(stat.S_ISDIR, qrels):
        return qrels
    from pathlib import Path

    from evenhand.adapters.formats.beir import judgement_file

    return judgement_file(Path(qrels), split)


def _is(kind: Callable[[int], bool], name: str) -> bool:
    """Whether a path leads to a thing of this kind."""
    try:
        return kind(os.stat(name).st_mode)  # noqa: PTH116 -- pathlib takes long to import
    except (OSError, ValueError):
        return False


def _scored(qrels: str | Path, run: str, measures: Sequence[Measure], asked: Asked) -> ScoredRun:
    from evenhand.adapters.scoring.inputs import score_inputs
    from evenhand.usecases.scoring import score_run

    def read() -> tuple[Projection, RunFacts]:
        projection, facts = score_inputs(
            qrels, run, depth=asked.depth, precision=asked.precision or _DOUBLE
        )
        if asked.write_hits is not None:
            from evenhand.adapters.scoring.hits_file import write_hits

            write_hits(asked.write_hits, projection, facts)
        return projection, facts

    return score_run(run, read, measures, with_bounds=not asked.quiet)


def _require_one_precision(scored: Sequence[ScoredRun], names: Sequence[str]) -> None:
    """Refuse a table of judged hits whose scores were held in different precisions."""
    for name, one in zip(names, scored, strict=True):
        if one.precision != scored[0].precision:
            from evenhand.core.errors import InvalidFile

            raise InvalidFile(
                os.path.basename(name),  # noqa: PTH119 -- pathlib takes long to import
                f"ranks scores of {one.precision} bits, and {names[0]} those of "
                f"{scored[0].precision}: they do not stand in one table",
            )


def _scored_hits(name: str, measures: Sequence[Measure], asked: Asked) -> ScoredRun:
    """The scores of judged hits that were kept in a file."""
    depth = asked.depth
    from pathlib import Path

    from evenhand.adapters.scoring.hits_file import read_hits
    from evenhand.core.errors import InvalidFile
    from evenhand.core.scoring.run_facts import cut_ranks
    from evenhand.usecases.scoring import score_hits

    path = Path(name)
    hits, header = read_hits(path)
    precision = header.precision
    if asked.precision not in (None, precision):
        raise InvalidFile(
            path.name, f"ranks scores of {precision} bits; make it again from the run"
        )
    if depth is None:
        return score_hits(name, hits, measures, precision=precision)
    if header.depth is not None and depth > header.depth:
        raise InvalidFile(path.name, "holds fewer rows of each query than --depth asks for")
    return score_hits(name, cut_ranks(hits, depth), measures, precision=precision)
