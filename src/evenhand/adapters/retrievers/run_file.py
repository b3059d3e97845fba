"""Which rankings does a TREC run file hold? Somebody else's run, as a retriever.

As trec_eval does, a ranking is sorted by score, then by document id, both descending, and the
rank column is ignored. Scores are 64-bit.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from evenhand.adapters.formats.lines import read_lines
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import RetrievalFailed
from evenhand.core.retrieval.coverage import ListsQueries
from evenhand.core.scoring.evaluation import Basis

_COLUMNS: Final = 6
_BLANKS: Final = re.compile(rb"[ \t]+")
_NUMBER: Final = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ENDINGS: Final = (".gz", ".trec", ".run", ".txt", ".res")


class RunFileRetriever(ListsQueries):
    """The rankings of a TREC run file, looked up by query id.

    A query that the file does not have ran and found nothing, as trec_eval reads it.

    Attributes:
        identifier: the file's name without its endings, lowercase, other characters as ``_``.
        sha256: digest of the file's bytes as they lie on disk.
        basis: always ``imported``.
        query_ids: queries that the file has.

    Args:
        path: the file, plain or gzip.

    Raises:
        InvalidFile: a line that is not ``query Q0 document rank score tag``, a score that is not
            finite, a document twice for one query, or no line at all; names file, line and rule.
    """

    basis: Final = Basis.IMPORTED

    def __init__(self, path: Path) -> None:
        self.identifier = run_identifier(path)
        rankings = read_run(path)
        self._rankings = rankings
        self.query_ids = rankings.keys()
        with path.open("rb") as stream:
            self.sha256 = hashlib.file_digest(stream, "sha256").hexdigest()

    def retrieve_for(self, query_id: bytes, question: str, limit: int) -> Sequence[bytes]:
        """Document ids of one query, best first; the question's text is not looked at."""
        del question
        return self._rankings.get(query_id, ())[:limit]

    def retrieve(self, question: str, limit: int) -> NoReturn:
        """A run file knows queries by id only.

        Raises:
            RetrievalFailed: always, ``query_id_needed``.
        """
        del question, limit
        raise RetrievalFailed("query_id_needed")


def run_identifier(path: Path) -> str:
    """Name of a run: ``runs/BM25 tuned.trec.gz`` gives ``bm25_tuned``."""
    name = path.name.lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return re.sub(r"[^a-z0-9_.-]", "_", name)


def read_run(path: Path) -> dict[bytes, tuple[bytes, ...]]:
    """Query id → document ids, best first.

    Raises:
        InvalidFile: see `RunFileRetriever`.
    """
    scores: dict[bytes, dict[bytes, float]] = {}
    for number, line in read_lines(path, path.name):
        query_id, document_id, score = _parse(line, path.name, number)
        held = scores.setdefault(query_id, {})
        if document_id in held:
            rule = "has a document that an earlier line gives for the same query"
            raise InvalidFile(path.name, rule, line=number)
        held[document_id] = score
    if not scores:
        # Everything is better than nothing: it would be a finding about a file, not a retriever.
        raise InvalidFile(path.name, "holds no row")
    return {query_id: _sorted(held) for query_id, held in scores.items()}


def _parse(line: bytes, file: str, number: int) -> tuple[bytes, bytes, float]:
    if b"\0" in line:
        raise InvalidFile(file, "must not hold NUL", line=number)
    columns = _BLANKS.split(line.strip(b" \t"))
    if len(columns) != _COLUMNS:
        raise InvalidFile(file, _wrong_columns(len(columns)), line=number)
    query_id, _, document_id, _, score, _ = columns
    # Stricter than float(), which also reads 1_000, nan and inf.
    value = float(score) if _NUMBER.fullmatch(score) else math.nan
    if not math.isfinite(value):
        raise InvalidFile(file, "the score is not a finite number", line=number)
    return query_id, document_id, value


def _sorted(scores: dict[bytes, float]) -> tuple[bytes, ...]:
    ranked = sorted(scores.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
    return tuple(document_id for document_id, _ in ranked)


def _wrong_columns(found: int) -> str:
    return f"must have 6 columns (query Q0 document rank score tag), but has {found}"
