"""Which golden set is a BEIR folder? Queries, judgements of one split, and no-answer queries.

A document with a grade of at least 1 is a target. A query that ``no_answer.tsv`` lists has an
empty target list. A query without a target that is not listed there is *unjudged*: it is kept and
counted, and never turned into a question that the corpus does not answer. A query whose judgements
are in another split belongs to that split, and is left out of this one's set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from evenhand.adapters.formats.beir_queries import Query, build_question, read_queries
from evenhand.adapters.formats.corpus import find_corpus, read_documents
from evenhand.adapters.formats.qrels_tsv import Judgement, read_qrels_tsv, read_query_ids
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import DocId, GoldenSet, QueryId
from evenhand.core.retrieval.qrels import MIN_RELEVANCE

DEFAULT_SPLIT: Final = "test"

_QRELS: Final = "qrels"
#: Files beside the split with these names are splits too; any other file is somebody's notes.
_CUSTOMARY_SPLITS: Final = ("train", "dev", "valid", "validation", "test")
_SPLIT_ENDINGS: Final = (".tsv", ".tsv.gz")
_NO_ANSWER: Final = "no_answer.tsv"
_SHOWN_IDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BeirSet:
    """A golden set read from a BEIR folder, and what was found on the way.

    Attributes:
        golden_set: the queries of the split and those of no split, in the order of
            ``queries.jsonl``.
        split: the split whose judgements were read; not always the one asked for by default.
        judgements: rows of the qrels file, grades of 0 and below included.
        no_answer: queries that the corpus does not answer.
        unjudged: queries in no qrels file and not listed; questions with ``unjudged`` set.
        only_nonrelevant: queries whose grades are all 0 or below and that are not listed as
            having no answer; also questions with ``unjudged`` set, counted apart.
        other_splits: queries left out because only another split judges them.
        corpus: where the documents are, None where the folder holds none.
    """

    golden_set: GoldenSet
    split: str
    judgements: int
    no_answer: int
    unjudged: int
    only_nonrelevant: int
    other_splits: int
    corpus: Path | None


class _Unlabelled(NamedTuple):
    """Queries without a target that nobody listed as having no answer."""

    unjudged: int
    only_nonrelevant: int


def read_beir(path: Path, *, split: str | None = None, check_corpus: bool = True) -> BeirSet:
    """The golden set of a BEIR folder.

    Args:
        path: the folder.
        split: name of the file in ``qrels/`` without its ending. None means ``test``, or the only
            other split where there is no ``test``.
        check_corpus: refuse judged documents that the folder's corpus does not have; the corpus
            is then read once.

    Raises:
        InvalidFile: a file that is missing or breaks a rule; a judgement of a query or document
            that is not there; a query listed as having no answer although it has a target.
    """
    folder = path.resolve().name
    queries = read_queries(path, folder)
    splits = _splits(path / _QRELS)
    used, qrels = _find_split(splits, f"{folder}/{_QRELS}", split)
    qrels_file = f"{folder}/{_QRELS}/{qrels.name}"
    judgements = read_qrels_tsv(qrels, qrels_file)
    _require_queries(judgements, queries, qrels_file)
    corpus = _find_documents(path)
    if corpus is not None and check_corpus:
        _require_documents(judgements, corpus, qrels_file)
    no_answer = _read_no_answer(path, folder, queries)
    labelled = no_answer.keys() | {judgement.query_id for judgement in judgements}
    others = {name: file for name, file in splits.items() if name != used}
    elsewhere = _judged_elsewhere(others, f"{folder}/{_QRELS}", queries.keys() - labelled)
    kept = {name: query for name, query in queries.items() if name not in elsewhere}
    golden_set, counts = _build(folder, kept, judgements, no_answer)
    return BeirSet(
        golden_set=golden_set,
        split=used,
        judgements=len(judgements),
        no_answer=len(no_answer),
        unjudged=counts.unjudged,
        only_nonrelevant=counts.only_nonrelevant,
        other_splits=len(elsewhere),
        corpus=corpus,
    )


def judgement_file(path: Path, split: str | None = None) -> Path:
    """The file of judgements of a BEIR folder; nothing else of the folder is looked at.

    Args:
        path: the folder.
        split: as in `read_beir`.

    Raises:
        InvalidFile: there is no such split.
    """
    return _find_split(_splits(path / _QRELS), f"{path.resolve().name}/{_QRELS}", split)[1]


def set_identifier(folder: str) -> str:
    """The identifier of a set read from a folder of this name (settled 5)."""
    return re.sub(r"[^a-z0-9_]", "_", folder.lower())


def _build(
    folder: str,
    queries: Mapping[QueryId, Query],
    judgements: tuple[Judgement, ...],
    no_answer: Mapping[QueryId, int],
) -> tuple[GoldenSet, _Unlabelled]:
    grades: dict[QueryId, dict[DocId, int]] = {}
    for judgement in judgements:
        grades.setdefault(judgement.query_id, {})[judgement.document_id] = judgement.grade
    targets = {q for q, held in grades.items() if max(held.values()) >= MIN_RELEVANCE}
    for query_id, line in no_answer.items():
        if query_id in targets:
            file = f"{folder}/{_NO_ANSWER}"
            raise InvalidFile(file, "this query has a target in the qrels", line=line)
    unlabelled = {q for q in queries if q not in no_answer and q not in targets}
    questions = tuple(
        build_question(query, grades.get(query.id, {}), is_unjudged=query.id in unlabelled)
        for query in queries.values()
    )
    try:
        golden_set = GoldenSet(identifier=set_identifier(folder), name=folder, questions=questions)
    except InvalidGoldenSet as error:
        raise InvalidFile(str(folder), error.rule) from error
    without_grades = sum(query_id not in grades for query_id in unlabelled)
    return golden_set, _Unlabelled(
        unjudged=without_grades, only_nonrelevant=len(unlabelled) - without_grades
    )


def _splits(path: Path) -> dict[str, Path]:
    """Files of judgements by the name of their split; of two for one split the plain one."""
    found: dict[str, Path] = {}
    for ending in reversed(_SPLIT_ENDINGS):
        for file in sorted(path.glob(f"*{ending}")):
            found[file.name.removesuffix(ending)] = file
    return found


def _find_split(splits: Mapping[str, Path], file: str, split: str | None) -> tuple[str, Path]:
    wanted = DEFAULT_SPLIT if split is None else split
    if wanted in splits:
        return wanted, splits[wanted]
    if split is None and len(splits) == 1:
        return next(iter(splits.items()))
    raise InvalidFile(file, _no_split(wanted, sorted(splits)))


def _judged_elsewhere(
    others: Mapping[str, Path], file: str, unlabelled: Set[QueryId]
) -> frozenset[QueryId]:
    """Which of these queries another split judges; its files are read only if there are any."""
    found: set[QueryId] = set()
    for name in _CUSTOMARY_SPLITS:
        if unlabelled and name in others:
            rows = read_qrels_tsv(others[name], f"{file}/{others[name].name}")
            found.update(row.query_id for row in rows if row.query_id in unlabelled)
    return frozenset(found)


def _find_documents(path: Path) -> Path | None:
    # A folder of queries alone may hold a README or notes; those are no corpus.
    source = find_corpus(path)
    return None if source.is_dir() else source


def _require_queries(
    judgements: tuple[Judgement, ...], queries: Mapping[QueryId, Query], file: str
) -> None:
    missing: dict[bytes, int] = {}
    for judgement in judgements:
        if judgement.query_id not in queries:
            missing.setdefault(judgement.query_id, judgement.line)
    if missing:
        raise _points_nowhere(missing, file, "query", "queries.jsonl")


def _require_documents(judgements: tuple[Judgement, ...], corpus: Path, file: str) -> None:
    missing: dict[bytes, int] = {}
    for judgement in judgements:
        missing.setdefault(judgement.document_id, judgement.line)
    for document, _ in read_documents(corpus):
        missing.pop(document.id, None)
    if missing:
        raise _points_nowhere(missing, file, "document", corpus.name)


def _read_no_answer(
    path: Path, folder: str, queries: Mapping[QueryId, Query]
) -> dict[QueryId, int]:
    source = path / _NO_ANSWER
    if not source.exists():
        return {}
    file = f"{folder}/{_NO_ANSWER}"
    listed = read_query_ids(source, file)
    missing: dict[bytes, int] = {q: line for q, line in listed.items() if q not in queries}
    if missing:
        raise _points_nowhere(missing, file, "query", "queries.jsonl")
    return listed


def _points_nowhere(missing: Mapping[bytes, int], file: str, kind: str, where: str) -> InvalidFile:
    shown = ", ".join(
        f"{to_text(found)!r} (line {line})" for found, line in list(missing.items())[:_SHOWN_IDS]
    )
    more = ", ..." if len(missing) > _SHOWN_IDS else ""
    rule = f"{len(missing)} {kind} id(s) not in {where}: {shown}{more}"
    return InvalidFile(file, rule, line=min(missing.values()))


def _no_split(wanted: str, found: list[str]) -> str:
    there = f"; there are: {', '.join(found)}" if found else ""
    return f"has no {wanted}.tsv{there}"
