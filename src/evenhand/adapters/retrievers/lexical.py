"""Built-in ``lexical``: the full-text index that comes with SQLite, in memory."""

from __future__ import annotations

import re
import sqlite3
import threading
import weakref
from collections.abc import Mapping
from itertools import islice
from typing import Final

import msgspec

from evenhand.adapters.retrievers.context import RetrieverContext
from evenhand.adapters.retrievers.documents import (
    TEXT_RULE,
    Documents,
    load_documents,
    without_surrogates,
)
from evenhand.adapters.retrievers.labels import WHOLE_DOCUMENT, derived_pipeline
from evenhand.adapters.retrievers.options import execution_of_evenhand, read_options
from evenhand.core.errors.retrieval import RetrieverNotFound
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.usecases.ports import DerivesLabels

_TOKENIZER: Final = "porter unicode61"
#: Distinct terms of a question that are searched; the time of SQLite grows faster than they do.
MAX_TERMS: Final = 1_000

_TERM: Final = re.compile(r"[^\W_]+")
_SEARCH: Final = (
    "SELECT rowid, bm25(document) AS score FROM document WHERE document MATCH ? "
    "ORDER BY score, rowid LIMIT ?"
)


class LexicalOptions(msgspec.Struct, forbid_unknown_fields=True):
    """``lexical`` has no options."""


class LexicalRetriever(DerivesLabels):
    """SQLite FTS5 with Porter stemming; finds documents that share at least one term.

    Safe to call from several threads, one question at a time.

    Args:
        identifier: name under which results are stored.
        documents: what is searched; at least one.
        depth: limit that it will be called with, part of its pipeline label.

    Raises:
        RetrieverNotFound: this Python's SQLite was built without FTS5.
    """

    def __init__(self, identifier: str, documents: Documents, *, depth: int) -> None:
        self.identifier = identifier
        self._ids = documents.ids
        self._lock = threading.Lock()
        self._database = _index(documents, identifier)
        # Also where nobody closes: an open database that is forgotten warns.
        self._finalizer = weakref.finalize(self, self._database.close)
        self._provenance = RetrievalProvenance(
            documents.label,
            NOT_APPLICABLE,
            WHOLE_DOCUMENT,
            derived_pipeline("lexical", _SETTINGS, depth=depth),
            execution_of_evenhand(),
        )

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first, distinct; empty where no term of the question occurs."""
        return [identifier for identifier, _ in self.retrieve_scored(question, limit)]

    def retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Pairs of document id and BM25 score above 0, best first; equal scores by id."""
        query = match_query(question)
        if not query:
            return []
        with self._lock:
            rows = self._database.execute(_SEARCH, (query, limit)).fetchall()
        # SQLite gives BM25 with the sign reversed, so that ascending order is best first.
        return [(self._ids[row], -score) for row, score in rows]

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        """What was run, from digests of the corpus and of all settings."""
        return self._provenance

    def close(self) -> None:
        """Free the index."""
        with self._lock:
            self._finalizer()


def build_lexical(
    name: str, options: Mapping[str, object], context: RetrieverContext
) -> LexicalRetriever:
    """The built-in over the corpus at hand; see `load_documents` for what can go wrong."""
    read_options(name, options, LexicalOptions)
    return LexicalRetriever(name, load_documents(context), depth=context.depth)


def match_query(question: str) -> str:
    """A query that finds documents with any term of the question; empty without a term.

    Each term is quoted, so that no text of a question is read as an operator or a column.
    """
    terms = dict.fromkeys(_TERM.findall(without_surrogates(question)))
    return " OR ".join(f'"{term}"' for term in islice(terms, MAX_TERMS))


_SETTINGS: Final = {
    "retriever": "lexical",
    "library": "sqlite",
    "library_version": sqlite3.sqlite_version,
    "tokenizer": _TOKENIZER,
    "query": "any of the distinct terms",
    "max_terms": MAX_TERMS,
    "rank": "bm25()",
    "text": TEXT_RULE,
    "ties": "id",
}


def _index(documents: Documents, identifier: str) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        # Without a copy of the texts: only the index is asked.
        database.execute(
            "CREATE VIRTUAL TABLE document "
            f"USING fts5(content, content='', tokenize='{_TOKENIZER}')"
        )
    except sqlite3.OperationalError as error:
        database.close()
        raise RetrieverNotFound(identifier, why="this Python's SQLite has no FTS5") from error
    with database:
        database.executemany(
            "INSERT INTO document(rowid, content) VALUES (?, ?)", enumerate(documents.texts)
        )
    return database
