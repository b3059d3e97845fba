"""``evenhand score QRELS RUN``: what trec_eval says of a run, from the same files.

The options; what they ask for is done in `score_runs`. What is typed in the usual way is done
before any of this is imported (`score_quick`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.score_runs import (
    DEFAULT_MEASURES,
    STDIN,
    Asked,
    is_hits_file,
    print_scores,
    print_warnings,
    score_all,
)


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
@click.option(
    "--precision",
    type=click.Choice(["64", "32"]),
    help="Bits in which scores are held (default 64): 32 as in trec_eval 9 and pytrec_eval.",
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

    With --precision 32 scores are rounded to 32 bits before they are compared, as trec_eval 9,
    pytrec_eval and ir_measures do: what differs in the ninth digit only is a tie then.

    QRELS and RUN may both be replaced by files that --write-hits wrote, which hold no id of a
    document and no text.

    With -q there is a line for each measure and query, parted by tabs, and "all" for the mean.
    Several runs make one table. What else the numbers depend on is said on standard error.

    Exit codes: 0; 2 usage, or a file that breaks a rule (its line is named); 5 when something
    went wrong or there is no judged query.
    """
    if is_hits_file(qrels):
        _require_no_hits_to_write(ctx, given)
    else:
        _require_inputs(ctx, qrels, runs, given)
    given["precision"] = None if given["precision"] is None else int(given["precision"])
    asked = Asked(qrels=qrels, runs=runs, **given)
    scored = score_all(asked)
    print_scores(scored, asked)
    print_warnings(scored, asked)
    return 0


def _require_inputs(
    ctx: click.Context, qrels: str, runs: tuple[str, ...], given: dict[str, Any]
) -> None:
    """Refuse before any work what could not be read, or not be written."""
    if not runs:
        raise click.UsageError("Missing argument 'RUN'.", ctx)
    if "" in (qrels, *runs):
        raise click.UsageError("the name of a file is empty", ctx)
    if given["split"] is not None and not Path(qrels).is_dir():
        raise click.UsageError("--split: only a BEIR folder has splits; QRELS is none", ctx)
    if (qrels, *runs).count(STDIN) > 1 or (qrels == STDIN and len(runs) > 1):
        raise click.UsageError("standard input can be read once only", ctx)
    if given["write_hits"] is not None and len(runs) > 1:
        raise click.UsageError("--write-hits keeps the judged hits of one run", ctx)


def _require_no_hits_to_write(ctx: click.Context, given: dict[str, Any]) -> None:
    if given["write_hits"] is not None:
        raise click.UsageError("--write-hits: the input is such a file already", ctx)
    if given["split"] is not None:
        raise click.UsageError("--split: only a BEIR folder has splits; QRELS is none", ctx)
