"""``evenhand reviews inputs``: the file of cases that an evaluation with stored answers makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.options import app_of, json_option, print_json, quiet_option

if TYPE_CHECKING:
    from evenhand.core.review.review_case import ReviewCase
    from evenhand.usecases.ports import UnitOfWork


@click.command()
@click.argument("evaluation", metavar="EVALUATION")
@click.argument("golden_set", metavar="SET")
@click.option(
    "--corpus",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="The documents that were retrieved from.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the cases are written.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 900),
    default=12,
    show_default=True,
    metavar="N",
    help="So many documents of each ranking are passages.",
)
@json_option
@quiet_option
@click.pass_context
def inputs(ctx: click.Context, /, evaluation: str, golden_set: str, **given: Any) -> None:
    """Write the cases of EVALUATION, whose answers are stored, to a file for "reviews submit".

    Answers and rankings are kept at privacy level full only. SET is the golden set that was
    asked, and has the questions; the passages are the documents that were retrieved, best first.
    """
    from evenhand.adapters.formats.corpus import read_corpus
    from evenhand.adapters.formats.review_cases import write_review_cases
    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.adapters.retrievers.documents import searched_text
    from evenhand.usecases import answers, evaluations

    app = app_of(ctx)
    found = resolve_golden_set(golden_set, app.golden_set_context()).golden_set
    texts = {document.id: searched_text(document) for document in read_corpus(given["corpus"])}

    def read(uow: UnitOfWork) -> tuple[ReviewCase, ...]:
        kept = evaluations.find_everything(uow, evaluation)
        return answers.build_cases(
            uow.answers.list_of(kept.record.id),
            kept.rankings or (),
            found,
            texts,
            evaluation_id=kept.record.id,
            depth=given["depth"],
        )

    cases = app.stored.read(read)
    write_review_cases(given["output"], cases)
    if given["as_json"]:
        print_json({"file": str(given["output"]), "cases": len(cases)})
    else:
        click.echo(f"cases: {len(cases)}")
