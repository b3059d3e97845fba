"""Built-in ``bm25``: the library bm25s, in Lucene's variant by default.

It never abstains on a question that shares a word with any document. Documents without a word of
the question are left out, which the library itself does not do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from evenhand.adapters.retrievers.context import RetrieverContext
from evenhand.adapters.retrievers.documents import (
    TEXT_RULE,
    Documents,
    load_documents,
    without_surrogates,
)
from evenhand.adapters.retrievers.labels import WHOLE_DOCUMENT, derived_pipeline
from evenhand.adapters.retrievers.options import (
    execution_of_evenhand,
    read_options,
    require_number,
)
from evenhand.adapters.retrievers.top import best_positions
from evenhand.adapters.system import version_of
from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.usecases.ports import DerivesLabels

_WORD: Final = r"(?u)\b\w\w+\b"


class Bm25Options(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Options of ``bm25``.

    The variants that give a score to documents without a word of the question are left out.

    Attributes:
        method: variant of the formula, as bm25s names it.
        k1: saturation of a term's frequency, at least 0.
        b: how much the length of a document counts, from 0 to 1.
        stopwords: language of the words that are left out, as bm25s names it, or ``none``.
        stemmer: language of the Snowball stemmer (needs PyStemmer), or ``none``.
    """

    method: Literal["lucene", "robertson", "atire"] = "lucene"
    k1: float = 1.2
    b: float = 0.75
    stopwords: str = "english"
    stemmer: str = "none"


class Bm25Retriever(DerivesLabels):
    """BM25 over whole documents.

    Safe to call from several threads.

    Args:
        identifier: name under which results are stored.
        documents: what is searched; at least one.
        depth: limit that it will be called with, part of its pipeline label.
        options: see `Bm25Options`.

    Raises:
        MissingExtra: bm25s, or the stemmer that was asked for, is not installed.
        InvalidSetting: an option out of its range.
    """

    def __init__(
        self,
        identifier: str,
        documents: Documents,
        *,
        depth: int,
        options: Bm25Options | None = None,
    ) -> None:
        chosen = options or Bm25Options()
        require_number("k1", chosen.k1, low=0)
        require_number("b", chosen.b, low=0, high=1)
        self.identifier = identifier
        self._ids = documents.ids
        self._library = _library()
        self._tokenize = _tokenizer(self._library, chosen)
        self._index = _index(self._library, self._tokenize(documents.texts, ids=True), chosen)
        self._provenance = RetrievalProvenance(
            documents.label,
            NOT_APPLICABLE,
            WHOLE_DOCUMENT,
            derived_pipeline("bm25", _settings(chosen), depth=depth),
            execution_of_evenhand(),
        )

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first, distinct; empty where no word of the question occurs."""
        return [identifier for identifier, _ in self.retrieve_scored(question, limit)]

    def retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Pairs of document id and score above 0, best first; equal scores by id."""
        if self._index is None:
            return []
        words = self._tokenize([without_surrogates(question)], ids=False)[0]
        known = self._index.get_tokens_ids(words)
        if not known:
            return []
        scores = self._index.get_scores_from_ids(known)
        best = best_positions(scores, limit, above=0.0)
        return [(self._ids[position], float(scores[position])) for position in best]

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        """What was run, from digests of the corpus and of all settings."""
        return self._provenance


def build_bm25(
    name: str, options: Mapping[str, object], context: RetrieverContext
) -> Bm25Retriever:
    """The built-in over the corpus at hand; see `load_documents` for what can go wrong."""
    chosen = read_options(name, options, Bm25Options)
    return Bm25Retriever(name, load_documents(context), depth=context.depth, options=chosen)


def _library() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtra("bm25", "bm25") from error
    return bm25s


def _tokenizer(library: Any, options: Bm25Options) -> Callable[..., Any]:
    stopwords = [] if options.stopwords == "none" else options.stopwords
    stemmer = None if options.stemmer == "none" else _stemmer(options.stemmer)

    def tokenize(texts: Sequence[str], *, ids: bool) -> Any:
        return library.tokenize(
            list(texts),
            token_pattern=_WORD,
            stopwords=stopwords,
            stemmer=stemmer,
            return_ids=ids,
            show_progress=False,
        )

    try:
        tokenize([""], ids=False)
    except ValueError:
        rule = "must be a language that bm25s has stop words for, or none"
        raise InvalidSetting("stopwords", rule) from None
    return tokenize


def _stemmer(language: str) -> Any:
    try:
        import Stemmer  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InvalidSetting("stemmer", "needs the package PyStemmer") from None
    try:
        return Stemmer.Stemmer(language)
    except KeyError:
        raise InvalidSetting("stemmer", "must be a language that Snowball has, or none") from None


def _index(library: Any, tokens: Any, options: Bm25Options) -> Any:
    """The index, or None where no document has a word."""
    if not tokens.vocab:
        return None
    index = library.BM25(method=options.method, k1=options.k1, b=options.b)
    index.index(tokens, show_progress=False)
    return index


def _settings(options: Bm25Options) -> Mapping[str, object]:
    return {
        "retriever": "bm25",
        "library": "bm25s",
        "library_version": version_of("bm25s"),
        **msgspec.structs.asdict(options),
        "stemmer_version": None if options.stemmer == "none" else version_of("PyStemmer"),
        "token_pattern": _WORD,
        "lowercase": True,
        "text": TEXT_RULE,
        "score_zero": "left out",
        "ties": "id",
    }
