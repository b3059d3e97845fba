"""Which column of a table holds the question, and which its id, its answer, its documents?

The user says it, or a column has one of the names below, in any case of letters. Two columns with
such a name are not chosen between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evenhand.adapters.formats.foreign.fields import Record, distinct, texts_of
from evenhand.adapters.formats.foreign.found import Columns, Place, refused
from evenhand.adapters.formats.strict_json import decode_value
from evenhand.core.errors import InvalidFile

_BEIR_TEXT, _BEIR_TITLE = "text", "title"
_BEIR_QUERY: Final = frozenset(("_id", _BEIR_TEXT))

QUESTION_NAMES: Final = ("question", "query", "user_input", "question_text", "query_text")
ID_NAMES: Final = ("id", "_id", "qid", "question_id", "query_id", "query-id")
ANSWER_NAMES: Final = (
    "answer",
    "expected_answer",
    "reference_answer",
    "ground_truth",
    "gt_answer",
    "reference",
    "answer_gist",
)
DOCUMENT_NAMES: Final = (
    "expected_document_ids",
    "relevant_document_ids",
    "relevant_docs",
    "relevant_doc_ids",
    "reference_context_ids",
)


def known_columns(names: Iterable[str], stated: Columns, file: str) -> Columns:
    """The columns that are used, by their names in the table.

    Args:
        names: of the table.
        stated: by the user.
        file: what messages call the table.

    Raises:
        InvalidFile: a stated column is not there; none or several could hold the question; more
            than one the ids or the documents.
    """
    there = tuple(names)
    for name in (stated.question, stated.id, stated.answer, stated.documents):
        if name is not None and name not in there:
            raise InvalidFile(file, _not_there(name, there))
    question = stated.question or _question(there, file)
    if question is None:
        raise InvalidFile(file, _no_question(there))
    answers = _named(there, ANSWER_NAMES)
    return Columns(
        question=question,
        id=stated.id or _one_of(there, ID_NAMES, "--id-column", file),
        # Only a hint for people: of two of them none is taken, and nothing else suffers.
        answer=stated.answer or (answers[0] if len(answers) == 1 else None),
        documents=stated.documents or _one_of(there, DOCUMENT_NAMES, "--documents-column", file),
    )


def question_column(names: Iterable[str]) -> str | None:
    """The one column that has a name for questions, None where there is none or several.

    The queries of a BEIR folder call it ``text``; with a title it would be a corpus.
    """
    there = tuple(names)
    found = _named(there, QUESTION_NAMES)
    if not found and frozenset(there) >= _BEIR_QUERY and _BEIR_TITLE not in there:
        return _BEIR_TEXT
    return found[0] if len(found) == 1 else None


def document_ids(
    row: Record, column: str | None, file: str, place: Place
) -> tuple[str, ...] | None:
    """The document ids of a cell: a list, a JSON list as text, or one id as it stands.

    Returns:
        None for a cell that is empty or null, or where there is no such column: nobody has said
        anything. An empty list says that nothing in the corpus answers.

    Raises:
        InvalidFile: the cell holds something else.
    """
    value = None if column is None else row.get(column)
    if column is None or value is None or value == "":
        return None
    if isinstance(value, str):
        if not value.startswith("["):
            return (value,)
        try:
            value = decode_value(value.encode(), file, None)
        except InvalidFile as error:
            raise refused(file, place, _no_list(column, error.rule)) from None
    return distinct(texts_of(value, column, file, place))


def _question(names: tuple[str, ...], file: str) -> str | None:
    named = _one_of(names, QUESTION_NAMES, "--question-column", file)
    return named or question_column(names)


def _one_of(names: tuple[str, ...], known: tuple[str, ...], flag: str, file: str) -> str | None:
    found = _named(names, known)
    if len(found) > 1:
        raise InvalidFile(file, _several(found, flag))
    return found[0] if found else None


def _named(names: tuple[str, ...], known: tuple[str, ...]) -> list[str]:
    return [name for name in names if name.casefold() in known]


def _not_there(name: str, there: tuple[str, ...]) -> str:
    return f"has no column {name!r}; there are: {_listed(there)}"


def _no_question(there: tuple[str, ...]) -> str:
    return (
        f"no column is called {' or '.join(QUESTION_NAMES)}; "
        f"say which one holds the question with --question-column, of: {_listed(there)}"
    )


def _several(found: list[str], flag: str) -> str:
    return f"several columns could be meant ({_listed(found)}); choose one with {flag}"


def _no_list(column: str, rule: str) -> str:
    return f"{column} begins like a list and is none ({rule})"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
