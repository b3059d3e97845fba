"""Which golden set is made of what a reader found?

One way for every format. Targets come from a file of judgements where one is given, else from
the format. A document with a grade of at least 1 is a target. A question for which nobody says
anything is unjudged; an empty list of targets needs somebody who says so. A question without an
id gets its position in the file, from 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.adapters.formats.beir import set_identifier
from evenhand.adapters.formats.foreign.facets import ordered_judgements
from evenhand.adapters.formats.foreign.found import Found, FoundQuestion, refused
from evenhand.adapters.formats.foreign.passages import passage_id
from evenhand.adapters.formats.qrels_tsv import Judgement
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import to_bytes, to_text
from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet, QueryId
from evenhand.core.retrieval.grades import MIN_RELEVANCE

_SHOWN_IDS: Final = 5
_ENDING: Final = re.compile(
    r"(\.(txt|tsv|csv|xml|json|jsonl|ndjson|parquet|qry|que|query))?(\.gz)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What the user says of the set.

    Attributes:
        identifier, name: of the set; None takes them from the file.
        ids_by_position: count the questions from 1 instead of taking the ids of the file.
        with_passages: texts without ids become documents, whose corpus is written.
    """

    identifier: str | None = None
    name: str | None = None
    ids_by_position: bool = False
    with_passages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSet:
    """A golden set, and what was noticed when it was made.

    Attributes:
        golden_set: the questions.
        judgements: with their grades; those of lists of targets have grade 1.
        remarks: for people.
    """

    golden_set: GoldenSet
    judgements: tuple[Judgement, ...]
    remarks: tuple[str, ...]


def build_set(
    found: Found,
    file: str,
    options: BuildOptions,
    judgements: Sequence[Judgement] | None = None,
    judgements_file: str = "",
) -> BuiltSet:
    """The golden set of what was found.

    Args:
        found: by a reader.
        file: what messages call the file of the questions.
        options: what the user says.
        judgements: of a file beside it, None where there is none.
        judgements_file: what messages call that file.

    Raises:
        InvalidFile: there is no question; ids are missing for some or occur twice; judgements
            come from two sides, or name queries that are not there; a question breaks a rule.
    """
    if not found.questions:
        raise InvalidFile(file, "holds no questions")
    ids, id_remarks = _ids(found.questions, file, options)
    rows, rows_file = found.judgements, file
    if judgements is not None:
        if rows is not None or any(_says(one) for one in found.questions):
            raise InvalidFile(judgements_file, _TWO_SIDES)
        rows, rows_file = tuple(judgements), judgements_file
    grades = None if rows is None else _grades(rows, set(ids), rows_file)
    questions = [
        _question(one, query_id, grades, file, with_passages=options.with_passages)
        for one, query_id in zip(found.questions, ids, strict=True)
    ]
    golden_set = _set(found, questions, file, options)
    return BuiltSet(
        golden_set=golden_set,
        judgements=tuple(judgements_of(golden_set)) if rows is None else rows,
        remarks=(*found.remarks, *id_remarks, *_passage_remarks(found, options)),
    )


def require_documents(
    judgements: Sequence[Judgement], documents: Collection[bytes], file: str, where: str
) -> None:
    """See that every judged document is there.

    Raises:
        InvalidFile: some are not; their ids and lines are named.
    """
    missing: dict[bytes, int] = {}
    for row in judgements:
        if row.document_id not in documents:
            missing.setdefault(row.document_id, row.line)
    if missing:
        raise _points_nowhere(missing, file, "document", where)


def judgements_of(golden_set: GoldenSet) -> Iterator[Judgement]:
    """What the questions of a set say of documents; the line is the question's position."""
    for position, one in enumerate(golden_set.questions, 1):
        for document, grade in ordered_judgements(one):
            yield Judgement(
                query_id=one.id, document_id=DocId(document), grade=grade, line=position
            )


def _ids(
    questions: Sequence[FoundQuestion], file: str, options: BuildOptions
) -> tuple[list[QueryId], tuple[str, ...]]:
    positions = [QueryId(str(number).encode()) for number in range(1, len(questions) + 1)]
    if options.ids_by_position:
        return positions, ()
    without = [one for one in questions if one.id is None]
    if len(without) == len(questions):
        return positions, ("the format has no ids; questions are called by their position",)
    if without:
        raise refused(file, without[0].place, "has no id, others have")
    found: dict[QueryId, FoundQuestion] = {}
    for one in questions:
        first = found.setdefault(QueryId(to_bytes(one.id or "")), one)
        if first is not one:
            raise refused(file, one.place, f"has the id of {_named(first)}")
    return list(found), ()


def _question(
    one: FoundQuestion,
    query_id: QueryId,
    grades: Mapping[QueryId, dict[DocId, int]] | None,
    file: str,
    *,
    with_passages: bool,
) -> GoldenQuestion:
    expected: Sequence[str | bytes] | None = one.targets
    judged = {} if grades is None else grades.get(query_id, {})
    if grades is not None:
        expected = [name for name, grade in judged.items() if grade >= MIN_RELEVANCE] or None
    elif expected is None and with_passages and one.passages is not None:
        expected = [passage_id(passage.text) for passage in one.passages]
    try:
        return GoldenQuestion(
            id=query_id,
            question=one.text,
            form=one.form,
            expected_document_ids=expected or (),
            hard_class=one.hard_class,
            answer_gist=one.answer,
            critical=one.critical,
            reviewed=one.reviewed,
            unjudged=expected is None,
            grades=judged.items(),
        )
    except InvalidGoldenSet as error:
        raise refused(file, one.place, error.rule) from error


def _grades(
    rows: Sequence[Judgement], queries: set[QueryId], file: str
) -> dict[QueryId, dict[DocId, int]]:
    missing: dict[bytes, int] = {}
    grades: dict[QueryId, dict[DocId, int]] = {}
    for row in rows:
        if row.query_id not in queries:
            missing.setdefault(row.query_id, row.line)
        grades.setdefault(row.query_id, {})[row.document_id] = row.grade
    if missing:
        raise _points_nowhere(missing, file, "query", "the questions")
    return grades


def _set(
    found: Found, questions: list[GoldenQuestion], file: str, options: BuildOptions
) -> GoldenSet:
    stem = _ENDING.sub("", file) or file
    identifier = options.identifier or set_identifier(stem)
    name = options.name or found.name or stem
    try:
        return GoldenSet(identifier=identifier, name=name, questions=tuple(questions))
    except InvalidGoldenSet as error:
        raise InvalidFile(file, error.rule) from error


def _says(one: FoundQuestion) -> bool:
    return one.targets is not None


def _passage_remarks(found: Found, options: BuildOptions) -> tuple[str, ...]:
    count = sum(bool(one.passages) for one in found.questions)
    if not count or options.with_passages:
        return ()
    rest = "(--corpus-out FOLDER writes these texts as a corpus and makes them targets)"
    return (f"questions whose answering texts have no ids, taken as unjudged: {count} {rest}",)


def _points_nowhere(missing: Mapping[bytes, int], file: str, kind: str, where: str) -> InvalidFile:
    shown = ", ".join(
        f"{to_text(found)!r} (line {line})" for found, line in list(missing.items())[:_SHOWN_IDS]
    )
    more = ", ..." if len(missing) > _SHOWN_IDS else ""
    hint = "; --ids-by-position counts the questions" if kind == "query" else ""
    rule = f"{len(missing)} {kind} id(s) not in {where}: {shown}{more}{hint}"
    return InvalidFile(file, rule, line=min(missing.values()))


def _named(one: FoundQuestion) -> str:
    return f"line {one.place}" if isinstance(one.place, int) else one.place


_TWO_SIDES: Final = "the questions have judgements of their own; which ones count?"
