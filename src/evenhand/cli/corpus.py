"""``evenhand corpus``: which documents were searched, and what changed between two corpora?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.options import json_option, print_json, quiet_option
from evenhand.cli.progress import progress_bar

if TYPE_CHECKING:
    from evenhand.adapters.formats.corpus_compare import CorpusComparison
    from evenhand.adapters.formats.corpus_manifest import CorpusSummary
    from evenhand.core.identity.corpus_diff import Change

_SHOWN_IDS = 20

_corpus_path = click.Path(exists=True, path_type=Path)
_scope_option = click.option(
    "--scope", metavar="FIELD", help="Field that says who may see a document."
)


@click.group()
def corpus() -> None:
    """Digest a corpus; say what changed between two."""


@corpus.command()
@click.argument("path", type=_corpus_path)
@_scope_option
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the manifest, one line a document.",
)
@json_option
@quiet_option
def manifest(
    path: Path, *, scope: str | None, output: Path | None, as_json: bool, quiet: bool
) -> None:
    """Print the digest of a corpus, which is its label.

    PATH is a BEIR folder, a .jsonl or .jsonl.gz file, a folder of .txt and .md files, or a
    manifest. The digest covers ids, titles, texts and access scopes, not metadata, and not the
    order of the documents. The SHA-256 of a written manifest is that digest.
    """
    from evenhand.adapters.formats.corpus_manifest import summarize_corpus, write_manifest

    with progress_bar("documents", None, quiet=quiet) as progress:
        if output is None:
            summary = summarize_corpus(path, scope, progress=progress)
        else:
            summary = write_manifest(path, output, scope, progress=progress)
    if as_json:
        print_json(_summary_document(summary))
        return
    click.echo(f"digest     {summary.digest}")
    click.echo(f"documents  {summary.documents}")
    click.echo(f"scoped     {summary.scoped}")


@corpus.command()
@click.argument("old", type=_corpus_path)
@click.argument("new", type=_corpus_path)
@_scope_option
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_SHOWN_IDS,
    show_default=True,
    help="Most ids to list for each kind of change.",
)
@json_option
def diff(old: Path, new: Path, *, scope: str | None, limit: int, as_json: bool) -> None:
    """Say which documents were added, removed or changed, or have another access scope.

    OLD and NEW are corpora or manifests. The exit code is 0 whether or not they differ.
    """
    from evenhand.adapters.formats.corpus_compare import compare_corpora

    found = compare_corpora(old, new, scope_field=scope, limit=limit)
    if as_json:
        print_json(_comparison_document(found))
    else:
        _print_comparison(found)


def _summary_document(summary: CorpusSummary) -> dict[str, object]:
    return {
        "digest": summary.digest,
        "documents": summary.documents,
        "scoped": summary.scoped,
    }


def _comparison_document(found: CorpusComparison) -> dict[str, object]:
    from evenhand.core.identity.legacy_bytes import encode_text

    return {
        "old": _summary_document(found.old),
        "new": _summary_document(found.new),
        "equal": found.is_equal,
        "changes": {
            change.value: {
                "documents": number,
                "ids": [encode_text(one) for one in found.ids[change]],
            }
            for change, number in found.counts.items()
        },
    }


def _print_comparison(found: CorpusComparison) -> None:
    for name, summary in (("old", found.old), ("new", found.new)):
        click.echo(f"{name}  {summary.digest}  {summary.documents} documents")
    if found.is_equal:
        click.echo("equal: no document was added, removed or changed, and no scope")
        return
    for change, number in found.counts.items():
        click.echo(f"{_words(change)}: {number}")
        _print_ids(found.ids[change], number)


def _print_ids(ids: tuple[bytes, ...], number: int) -> None:
    from evenhand.reports.safe_text import shown_id

    for one in ids:
        click.echo(f"  {shown_id(one)}")
    if number > len(ids):
        click.echo(f"  and {number - len(ids)} more")


def _words(change: Change) -> str:
    return {"content": "content changed", "scope": "scope changed"}.get(change.value, change.value)
