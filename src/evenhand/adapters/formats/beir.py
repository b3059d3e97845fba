"""Which golden set is a BEIR folder? Queries, judgements of one split, and no-answer queries.

A document with a grade of at least 1 is a target. A query that ``no_answer.tsv`` lists has an
empty target list. A query without a target that is not listed there is *unjudged*: it is kept and
counted, and never turned into a question that the corpus does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import find_corpus, read_documents
from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.qrels_tsv import Judgement, read_qrels_tsv, read_query_ids
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile, InvalidGoldenSet
from evenhand.core.identity.canonical import to_bytes, to_text
from evenhand.core.retrieval.golden import DocId, Form, GoldenQuestion, GoldenSet, QueryId
from evenhand.core.retrieval.qrels import MIN_RELEVANCE

DEFAULT_SPLIT: Final = "test"

_QUERIES: Final = ("queries.jsonl", "queries.jsonl.gz")
_QRELS: Final = "qrels"
_SPLIT_ENDINGS: Final = (".tsv", ".tsv.gz")
_NO_ANSWER: Final = "no_answer.tsv"
_SHOWN_IDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BeirSet:
    """A golden set read from a BEIR folder, and what was found on the way.

    Attributes:
        golden_set: all queries, in the order of ``queries.jsonl``.
        split: the split whose judgements were read; not always the one asked for by default.
        judgements: rows of the qrels file, grades of 0 and below included.
        no_answer: queries that the corpus does not answer.
        unjudged: queries in neither file; questions with ``unjudged`` set.
        only_nonrelevant: queries whose grades are all 0 or below and that are not listed as
            having no answer; also questions with ``unjudged`` set, counted apart.
        corpus: where the documents are, None where the folder holds none.
    """

    golden_set: GoldenSet
    split: str
    judgements: int
    no_answer: int
    unjudged: int
    only_nonrelevant: int
    corpus: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """One line of queries.jsonl, and where it is."""

    id: QueryId
    text: str
    form: str
    hard_class: str | None
    file: str
    line: int


def is_beir_folder(path: Path) -> bool:
    """Whether a folder has queries in BEIR's layout."""
    return _find(path, _QUERIES) is not None


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
    queries = _read_queries(path, folder)
    used, qrels = _find_split(path / _QRELS, f"{folder}/{_QRELS}", split)
    qrels_file = f"{folder}/{_QRELS}/{qrels.name}"
    judgements = read_qrels_tsv(qrels, qrels_file)
    _require_queries(judgements, queries, qrels_file)
    corpus = _find_documents(path)
    if corpus is not None and check_corpus:
        _require_documents(judgements, corpus, qrels_file)
    no_answer = _read_no_answer(path, folder, queries)
    return _build(folder, queries, judgements, no_answer, split=used, corpus=corpus)


def set_identifier(folder: str) -> str:
    """The identifier of a set read from a folder of this name (settled 5)."""
    return re.sub(r"[^a-z0-9_]", "_", folder.lower())


def _build(
    folder: str,
    queries: Mapping[QueryId, _Query],
    judgements: tuple[Judgement, ...],
    no_answer: Mapping[QueryId, int],
    *,
    split: str,
    corpus: Path | None,
) -> BeirSet:
    targets: dict[QueryId, list[DocId]] = {}
    for judgement in judgements:
        held = targets.setdefault(judgement.query_id, [])
        if judgement.grade >= MIN_RELEVANCE:
            held.append(judgement.document_id)
    for query_id, line in no_answer.items():
        if targets.get(query_id):
            file = f"{folder}/{_NO_ANSWER}"
            raise InvalidFile(file, "this query has a target in the qrels", line=line)
    unlabelled = {q for q in queries if q not in no_answer and not targets.get(q)}
    questions = tuple(
        _question(query, targets.get(query.id, ()), is_unjudged=query.id in unlabelled)
        for query in queries.values()
    )
    try:
        golden_set = GoldenSet(identifier=set_identifier(folder), name=folder, questions=questions)
    except InvalidGoldenSet as error:
        raise InvalidFile(str(folder), error.rule) from error
    return BeirSet(
        golden_set=golden_set,
        split=split,
        judgements=len(judgements),
        no_answer=len(no_answer),
        unjudged=sum(query_id not in targets for query_id in unlabelled),
        only_nonrelevant=sum(query_id in targets for query_id in unlabelled),
        corpus=corpus,
    )


def _question(query: _Query, targets: Sequence[DocId], *, is_unjudged: bool) -> GoldenQuestion:
    try:
        return GoldenQuestion(
            id=query.id,
            question=query.text,
            form=query.form,
            expected_document_ids=targets,
            hard_class=query.hard_class,
            unjudged=is_unjudged,
        )
    except InvalidGoldenSet as error:
        raise InvalidFile(query.file, error.rule, line=query.line) from error


def _read_queries(path: Path, folder: str) -> dict[QueryId, _Query]:
    source = _find(path, _QUERIES)
    if source is None:
        raise InvalidFile(folder, "has no queries.jsonl")
    file = f"{folder}/{source.name}"
    found: dict[QueryId, _Query] = {}
    for number, line in read_lines(source, file):
        query = _query(decode_object(line, file, number), file, number)
        first = found.setdefault(query.id, query)
        if first is not query:
            raise InvalidFile(file, _same_id(first.line, number), line=number)
    return found


def _query(record: Mapping[str, object], file: str, line: int) -> _Query:
    metadata = record.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    query_id = _text(record.get("_id"), "_id", file, line)
    hard_class = fields.get("hard_class")
    return _Query(
        id=QueryId(to_bytes(query_id)),
        text=_text(record.get("text"), "text", file, line),
        form=_text(fields.get("form", Form.MATCH.value), "metadata.form", file, line),
        hard_class=None
        if hard_class is None
        else _text(hard_class, "metadata.hard_class", file, line),
        file=file,
        line=line,
    )


def _text(value: object, field: str, file: str, line: int) -> str:
    if not isinstance(value, str):
        raise InvalidFile(file, _no_text(field), line=line)
    return value


def _find_split(path: Path, file: str, split: str | None) -> tuple[str, Path]:
    """Name and file of the split to read."""
    splits: dict[str, Path] = {}
    for ending in reversed(_SPLIT_ENDINGS):
        for found in sorted(path.glob(f"*{ending}")):
            splits[found.name.removesuffix(ending)] = found
    wanted = DEFAULT_SPLIT if split is None else split
    if wanted in splits:
        return wanted, splits[wanted]
    if split is None and len(splits) == 1:
        return splits.popitem()
    raise InvalidFile(file, _no_split(wanted, sorted(splits)))


def _find_documents(path: Path) -> Path | None:
    # A folder of queries alone may hold a README or notes; those are no corpus.
    source = find_corpus(path)
    return None if source.is_dir() else source


def _require_queries(
    judgements: tuple[Judgement, ...], queries: Mapping[QueryId, _Query], file: str
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
    path: Path, folder: str, queries: Mapping[QueryId, _Query]
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


def _find(path: Path, names: tuple[str, ...]) -> Path | None:
    return next((path / name for name in names if (path / name).is_file()), None)


def _same_id(first: int, second: int) -> str:
    return f"one id occurs on line {first} and on line {second}"


def _no_text(field: str) -> str:
    return f"{field} must be text"


def _no_split(wanted: str, found: list[str]) -> str:
    there = f"; there are: {', '.join(found)}" if found else ""
    return f"has no {wanted}.tsv{there}"
