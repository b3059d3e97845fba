"""Which files are known and hold no questions? They are refused with the reason."""

from __future__ import annotations

from typing import Final

from evenhand.adapters.formats.foreign.found import Format
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.adapters.formats.foreign.judgements import judgement_formats
from evenhand.adapters.formats.foreign.misfits import IS_HTML, IS_RUN, is_page, is_run

_MTEB_KEYS: Final = frozenset(("mteb_version", "scores"))
_OLD_MTEB_KEYS: Final = frozenset(("mteb_version", "test"))
_JUDGEMENTS: Final = (
    "holds judgements, no questions; give it with --qrels beside the file of the questions"
)
_MTEB: Final = (
    "holds the scores of a task, neither questions nor rankings; a golden set cannot be made of "
    "it, and a score without its rankings and their provenance cannot be compared with anything"
)
_CORPUS: Final = "holds documents, no questions; it is a corpus"


def _sniff_run(head: Head) -> str | None:
    fits = head.kind is Kind.TEXT and is_run(head.text)
    return "its lines are those of a TREC run" if fits else None


def _sniff_page(head: Head) -> str | None:
    fits = head.kind is Kind.TEXT and is_page(head.text)
    return "it begins like an HTML page" if fits else None


def _sniff_mteb(head: Head) -> str | None:
    found = head.names >= _MTEB_KEYS or head.names >= _OLD_MTEB_KEYS
    return "it has mteb_version and scores" if head.kind is Kind.DOCUMENT and found else None


def _sniff_judgements(head: Head) -> str | None:
    names = judgement_formats(head.text) if head.kind is Kind.TEXT else ()
    return f"its lines are judgements ({' or '.join(names)})" if names else None


def _sniff_corpus(head: Head) -> str | None:
    found = head.kind is Kind.LINES and {"_id", "title", "text"} <= head.names
    return "its lines have _id, title and text" if found else None


#: Source: mteb.results.TaskResult (github.com/embeddings-benchmark/mteb).
MTEB: Final = Format(name="mteb", sniff=_sniff_mteb, read=_MTEB)
JUDGEMENTS: Final = Format(name="qrels", sniff=_sniff_judgements, read=_JUDGEMENTS)
RUN: Final = Format(name="run", sniff=_sniff_run, read=IS_RUN)
HTML: Final = Format(name="html", sniff=_sniff_page, read=IS_HTML)
CORPUS: Final = Format(name="corpus", sniff=_sniff_corpus, read=_CORPUS)
