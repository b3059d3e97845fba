"""What is a retriever, and what may it have beside?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Retriever(Protocol):
    """A retrieval step under test.

    May also have ``retrieve_scored(question, limit)`` (pairs of id and finite score, best first),
    ``retrieve_many(questions, limit)`` (one list per question, in their order) and
    ``get_retrieval_provenance()`` (what was run; see `core.identity.provenance`).

    Source: statements BP-07, BP-08, P-04.
    """

    @property
    def identifier(self) -> str:
        """Name under which results are stored: UTF-8, not empty, without NUL."""

    def retrieve(self, question: str, limit: int) -> Sequence[str | bytes]:
        """Document ids, best first.

        Args:
            question: the text that is asked; bytes that are not UTF-8 are surrogates.
            limit: how many results are read, at least 1; of a longer list the first ones.

        Returns:
            Text or bytes, in an order of its own: a list, a tuple, an array or a generator, no
            set, mapping or coroutine. One id per chunk may repeat: the first occurrence counts.
            Empty means that nothing answers.

        Raises:
            Exception: any error makes the question a failed one; its class is kept, not its text.
        """


@runtime_checkable
class ScoredRetriever(Protocol):
    """A retriever that also gives scores."""

    def retrieve_scored(self, question: str, limit: int) -> Sequence[tuple[str | bytes, float]]:
        """Pairs of document id and finite score, best first."""


@runtime_checkable
class BatchRetriever(Protocol):
    """A retriever that answers several questions in one call."""

    def retrieve_many(
        self, questions: Sequence[str], limit: int
    ) -> Sequence[Sequence[str | bytes]]:
        """One list of document ids per question, in the order of the questions."""


@runtime_checkable
class QueryIdRetriever(Protocol):
    """Rankings that are looked up by query id, such as those of a TREC run file."""

    def retrieve_for(self, query_id: bytes, question: str, limit: int) -> Sequence[str | bytes]:
        """Document ids of that query, best first, at most ``limit``."""


class DerivesLabels:
    """A retriever of Evenhand's own: the labels it declares are digests of what it runs.

    No protocol: nobody has this by chance of a name.

    Attributes:
        labels_derived: False where what it is made of declares labels of somebody else.
        corpus_digested: whether at least its corpus label is a digest that Evenhand made of a
            corpus or manifest that somebody named.
    """

    labels_derived: bool = True
    corpus_digested: bool = False
