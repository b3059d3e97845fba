"""``evenhand sets import`` and ``export``: golden sets in and out, in the formats of other tools."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.adapters.formats.format_names import (
    EXPORT_NAMES,
    FACET_NAMES,
    IMPORT_NAMES,
    QRELS_NAMES,
)
from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark

if TYPE_CHECKING:
    from evenhand.adapters.formats.beir import BeirSet
    from evenhand.adapters.formats.foreign.importing import ForeignSet, ImportRequest
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.usecases.golden_sets import Imported

_existing = click.Path(exists=True, path_type=Path)
_file = click.Path(exists=True, dir_okay=False, path_type=Path)
_new = click.Path(path_type=Path)


@click.command("import")
@click.argument("path")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(IMPORT_NAMES),
    metavar="NAME",
    help=f"Instead of a guess: {', '.join(IMPORT_NAMES)}.",
)
@click.option("--split", metavar="NAME", help="Of a BEIR or a Hugging Face folder.")
@click.option("--qrels", type=_file, metavar="FILE", help="Judgements beside the questions.")
@click.option(
    "--qrels-format",
    type=click.Choice(QRELS_NAMES),
    metavar="NAME",
    help=f"Instead of a guess: {', '.join(QRELS_NAMES)}.",
)
@click.option(
    "--documents",
    type=_existing,
    metavar="PATH",
    help="The corpus: every judged document must be in it. Also a SMART file.",
)
@click.option(
    "--corpus-out",
    type=_new,
    metavar="FOLDER",
    help="Write the documents there as corpus.jsonl; texts without ids become targets.",
)
@click.option("--qrels-out", type=_new, metavar="FILE", help="Write the judgements as TREC qrels.")
@click.option("--identifier", metavar="NAME", help="Of the set, else made of the file's name.")
@click.option("--name", metavar="TEXT", help="Of the set, for people.")
@click.option("--question-column", metavar="NAME", help="Which column holds the question.")
@click.option("--id-column", metavar="NAME", help="Which column holds its id.")
@click.option("--answer-column", metavar="NAME", help="Which column holds a hint for people.")
@click.option("--documents-column", metavar="NAME", help="Which column holds the target ids.")
@click.option("--topic-field", metavar="NAME", help="Which field of a topic is the question.")
@click.option("--ids-by-position", is_flag=True, help="Count the questions; leave their ids.")
@click.option(
    "--impossible-is-no-answer",
    is_flag=True,
    help="Of SQuAD: what its paragraph does not answer, nothing answers.",
)
@json_option
@quiet_option
@click.pass_context
def import_command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Keep the set of a file or folder under its identifier.

    PATH is in evenhand.golden/1, a BEIR folder, or in a format of another tool; or it is
    ir_datasets:ID. The format is guessed by the content, and what was guessed is said. A set that
    has the identifier is replaced. A file that breaks a rule changes nothing.
    """
    from evenhand.adapters.formats.foreign.importing import read_foreign
    from evenhand.adapters.formats.foreign.passages import require_no_corpus
    from evenhand.usecases.golden_sets import import_set

    corpus_out, qrels_out = given["corpus_out"], given["qrels_out"]
    if corpus_out is not None:
        require_no_corpus(corpus_out)
    if given["qrels_format"] is not None and given["qrels"] is None:
        raise click.UsageError("--qrels-format needs --qrels", ctx)
    if qrels_out is not None and qrels_out.exists():
        raise click.UsageError("the file of --qrels-out is there", ctx)
    read = read_foreign(_request(path, given))
    documents, judgements = _write_beside(read, corpus_out, qrels_out)
    done = app_of(ctx).database.run(lambda uow: import_set(uow, read.golden_set))
    if given["as_json"]:
        written = {"documents_written": documents, "judgements_written": judgements}
        print_json(_document(done, read) | written)
    else:
        verb = "replaced" if done.replaced else "imported"
        click.echo(f"{verb} {done.identifier}: {_count(read.golden_set)}")
    _say(read, done, quiet=given["quiet"])
    from evenhand.reports.numbers import count

    if documents is not None:
        remark(f"wrote {count(documents, 'document')} to {corpus_out}", quiet=given["quiet"])
    if judgements is not None:
        remark(f"wrote {count(judgements, 'judgement')} to {qrels_out}", quiet=given["quiet"])


@click.command()
@click.argument("golden_set", metavar="SET")
@click.argument("file", type=_new)
@click.option("--split", metavar="NAME", help="Judgements of a BEIR folder.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(EXPORT_NAMES),
    metavar="NAME",
    help=f"Instead of the ending of FILE: {', '.join(EXPORT_NAMES)}.",
)
@click.option(
    "--drop",
    type=click.Choice(FACET_NAMES),
    multiple=True,
    metavar="NAME",
    help=f"Lose what the format cannot hold: {', '.join(FACET_NAMES)}; may be given again.",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
@json_option
@quiet_option
@click.pass_context
def export(ctx: click.Context, /, golden_set: str, file: Path, **given: Any) -> None:
    """Write a set to FILE, or for beir and trec to a folder of that name.

    What the format cannot hold is refused, with the name to give to --drop. Questions without an
    answer and unjudged ones are left out whole where they cannot be said.
    """
    from evenhand.adapters.formats.foreign.exporting import write_set
    from evenhand.adapters.golden_sets import resolve_golden_set

    is_taken = any(file.iterdir()) if file.is_dir() else file.exists()
    if is_taken and not given["force"]:
        what = "the folder is not empty" if file.is_dir() else "the file is there"
        raise click.UsageError(what + "; --force replaces it", ctx)
    context = app_of(ctx).golden_set_context()
    found = resolve_golden_set(golden_set, context, split=given["split"]).golden_set
    written = write_set(found, file, given["format_name"], given["drop"])
    if given["as_json"]:
        counts = {"questions": len(written.questions), "holdout": len(written.holdout)}
        print_json({"identifier": written.identifier, **counts})
    remark(f"wrote {_count(written)} to {file}", quiet=given["quiet"])
    if written.labels_fingerprint != found.labels_fingerprint:
        remark(
            "what was dropped is in the labels: this is another benchmark", quiet=given["quiet"]
        )


def _request(path: str, given: dict[str, Any]) -> ImportRequest:
    from evenhand.adapters.formats.foreign.build import BuildOptions
    from evenhand.adapters.formats.foreign.found import Columns, ReadOptions
    from evenhand.adapters.formats.foreign.importing import ImportRequest

    columns = Columns(
        question=given["question_column"],
        id=given["id_column"],
        answer=given["answer_column"],
        documents=given["documents_column"],
    )
    return ImportRequest(
        reference=path,
        format=given["format_name"],
        split=given["split"],
        qrels=given["qrels"],
        qrels_format=given["qrels_format"],
        documents=given["documents"],
        read=ReadOptions(
            columns=columns,
            topic_field=given["topic_field"],
            split=given["split"],
            impossible_is_no_answer=given["impossible_is_no_answer"],
        ),
        build=BuildOptions(
            identifier=given["identifier"],
            name=given["name"],
            ids_by_position=given["ids_by_position"],
            with_passages=given["corpus_out"] is not None,
        ),
    )


def _write_beside(
    read: ForeignSet, corpus: Path | None, qrels: Path | None
) -> tuple[int | None, int | None]:
    """What came with the set, written where the user wants it; how many of each."""
    from evenhand.adapters.formats.foreign.passages import write_corpus
    from evenhand.adapters.formats.foreign.trec_writer import write_qrels

    documents = None if corpus is None else write_corpus(corpus, read.documents)
    return documents, None if qrels is None else write_qrels(qrels, read.judgements)


def _document(done: Imported, read: ForeignSet) -> dict[str, object]:
    return {
        **asdict(done),
        "format": read.format,
        "guessed": read.guessed,
        "remarks": list(read.remarks),
        "folder": None if read.beir is None else _beir_document(read.beir),
    }


def _say(read: ForeignSet, done: Imported, *, quiet: bool) -> None:
    if read.guessed is not None:
        remark(f"format {read.format}: {read.guessed}", quiet=quiet)
    if done.labels_changed:
        remark("its labels changed: results before and after cannot be compared", quiet=quiet)
    for one in read.remarks:
        remark(one, quiet=quiet)
    if read.beir is not None:
        _remark_on_beir(read.beir, quiet=quiet)


def _beir_document(beir: BeirSet) -> dict[str, object]:
    names = ("split", "judgements", "no_answer", "unjudged", "only_nonrelevant", "other_splits")
    return {name: getattr(beir, name) for name in names}


def _remark_on_beir(beir: BeirSet, *, quiet: bool) -> None:
    remark(f"judgements of the split {beir.split}: {beir.judgements}", quiet=quiet)
    if beir.other_splits:
        remark(f"queries left out, judged in another split: {beir.other_splits}", quiet=quiet)
    if beir.unjudged:
        remark(f"unjudged queries, in no rate: {beir.unjudged}", quiet=quiet)
    if beir.only_nonrelevant:
        remark(
            f"queries with no relevant document and not listed as having no answer, in no rate: "
            f"{beir.only_nonrelevant}",
            quiet=quiet,
        )


def _count(golden_set: GoldenSet) -> str:
    from evenhand.reports.numbers import count

    held_out = f" and {len(golden_set.holdout)} held out" if golden_set.holdout else ""
    return f"{count(len(golden_set.questions), 'question')}{held_out}"
