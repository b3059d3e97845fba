"""``evenhand score QRELS RUN``: what trec_eval says of a run, from the same files.

Only what the command needs is imported, and only when it runs: a small run is scored in less time
than the settings, the store or numpy take to load.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.core.scoring.measures import Measure
    from evenhand.core.scoring.run_facts import Projection, RunFacts
    from evenhand.usecases.scoring import ScoredRun

#: What is computed where nobody asks for measures: how good the top is, how much is found.
DEFAULT_MEASURES: Final = ("nDCG@10", "AP", "RR", "R@100", "P@10")
_STDIN: Final = "-"
#: How a file of judged hits begins, of any version.
_HITS: Final = b'{"format":"evenhand.hits/'


@click.command
@click.argument("qrels")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    multiple=True,
    help=f"Such as nDCG@10, AP(rel=2); repeatable (default {', '.join(DEFAULT_MEASURES)}).",
)
@click.option("-q", "--per-query", is_flag=True, help="Also the value of each query.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the N best rows of each query count (default all).",
)
@click.option("--split", metavar="NAME", help="Judgements of a BEIR folder (default test).")
@click.option(
    "--table",
    type=click.Choice(["plain", "markdown", "latex"]),
    default="plain",
    show_default=True,
    help="How the table is laid out.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    metavar="N",
    help="Digits behind the point; JSON has all.",
)
@click.option(
    "--write-hits",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the judged hits of one run; FILE is later scored in place of both.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", is_flag=True, help="No warnings.")
@click.pass_context
def score(ctx: click.Context, /, qrels: str, runs: tuple[str, ...], **given: Any) -> int:
    """Score runs against judgements, as trec_eval does.

    QRELS is a TREC qrels file, a BEIR folder or its TSV, or Parquet; RUN is a TREC run file or
    Parquet. Both may be gzip, and one of them "-", which is standard input. Measures are spelt as
    in ir_measures. Every judged query counts, one that the run does not have with 0. Rows rank by
    score, then document id, both descending, with scores in 64 bits. Nothing is stored.

    QRELS and RUN may both be replaced by files that --write-hits wrote, which hold no id of a
    document and no text.

    With -q there is a line for each measure and query, parted by tabs, and "all" for the mean.
    Several runs make one table. What else the numbers depend on is said on standard error.

    Exit codes: 0; 2 usage, or a file that breaks a rule (its line is named); 5 when something
    went wrong or there is no judged query.
    """
    from evenhand.core.scoring.measure_names import parse_measures

    measures = parse_measures(given["measures"] or DEFAULT_MEASURES)
    if _is_hits_file(qrels):
        _require_no_hits_to_write(ctx, given)
        scored = [_scored_hits(one, measures, given["depth"]) for one in (qrels, *runs)]
    else:
        _require_inputs(ctx, qrels, runs, given)
        judgements = _judgements(qrels, given["split"])
        scored = [_scored(judgements, run, measures, given) for run in runs]
    _show(scored, given)
    if not given["quiet"]:
        _warn(scored, given["digits"])
    return 0


def _is_hits_file(name: str) -> bool:
    """Whether an input begins like a file of judged hits; what reads them is imported on use."""
    path = Path(name)
    if name == _STDIN or not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_HITS)) == _HITS


def _require_inputs(
    ctx: click.Context, qrels: str, runs: tuple[str, ...], given: dict[str, Any]
) -> None:
    """Refuse before any work what could not be read, or not be written."""
    if not runs:
        raise click.UsageError("Missing argument 'RUN'.", ctx)
    if (qrels, *runs).count(_STDIN) > 1 or (qrels == _STDIN and len(runs) > 1):
        raise click.UsageError("standard input can be read once only", ctx)
    if given["write_hits"] is not None and len(runs) > 1:
        raise click.UsageError("--write-hits keeps the judged hits of one run", ctx)


def _require_no_hits_to_write(ctx: click.Context, given: dict[str, Any]) -> None:
    if given["write_hits"] is not None:
        raise click.UsageError("--write-hits: the input is such a file already", ctx)


def _judgements(qrels: str, split: str | None) -> str | Path:
    """The file of judgements; of a folder that of its split."""
    path = Path(qrels)
    if qrels == _STDIN or not path.is_dir():
        return qrels
    from evenhand.adapters.formats.beir import judgement_file

    return judgement_file(path, split)


def _scored(
    qrels: str | Path, run: str, measures: Sequence[Measure], given: dict[str, Any]
) -> ScoredRun:
    from evenhand.adapters.scoring.inputs import score_inputs
    from evenhand.usecases.scoring import score_run

    def read() -> tuple[Projection, RunFacts]:
        projection, facts = score_inputs(qrels, run, depth=given["depth"])
        if given["write_hits"] is not None:
            from evenhand.adapters.scoring.hits_file import write_hits

            write_hits(given["write_hits"], projection, facts)
        return projection, facts

    return score_run(run, read, measures, with_bounds=not given["quiet"])


def _scored_hits(name: str, measures: Sequence[Measure], depth: int | None) -> ScoredRun:
    """The scores of judged hits that were kept in a file."""
    from evenhand.adapters.scoring.hits_file import read_hits
    from evenhand.core.errors import InvalidFile
    from evenhand.core.scoring.run_facts import cut_ranks
    from evenhand.usecases.scoring import score_hits

    path = Path(name)
    hits, header = read_hits(path)
    if depth is None:
        return score_hits(name, hits, measures)
    if header.depth is not None and depth > header.depth:
        raise InvalidFile(path.name, "holds fewer rows of each query than --depth asks for")
    return score_hits(name, cut_ranks(hits, depth), measures)


def _show(scored: Sequence[ScoredRun], given: dict[str, Any]) -> None:
    from evenhand.reports import scores

    if given["as_json"]:
        from evenhand.core.identity.canonical import readable_json

        click.echo(readable_json(scores.score_document(scored, per_query=given["per_query"])))
        return
    lines = (
        scores.query_lines(scored, digits=given["digits"])
        if given["per_query"]
        else scores.score_table(scored, scores.Table(given["table"]), digits=given["digits"])
    )
    # Written at once: a run may have a hundred thousand queries.
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _warn(scored: Sequence[ScoredRun], digits: int) -> None:
    from evenhand.reports.score_warnings import score_warnings

    for run in scored:
        front = "" if len(scored) == 1 else f"{run.name}: "
        for warning in score_warnings(run, digits=digits):
            remark(f"warning: {front}{warning}")
