"""What did a retriever give for one query: a ranking of distinct documents, or a failure?

The order in which documents were given *is* the ranking; scores are evidence beside it. Only an
imported TREC run file is sorted by score, by its reader.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterable, Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.retrieval import InvalidRanking
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.retrieval.golden import DocId, QueryId

#: Stands for an error whose name does not read as one.
UNNAMED_ERROR = "error"
_ASYNCHRONOUS = (Awaitable, AsyncIterable)
_ERROR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What came back for one query, as it came.

    Attributes:
        documents: raw document ids, best first, at most the depth asked for; may repeat (one
            result a chunk) and may hold empty ids, which scoring drops.
        scores: one finite number beside each document, None when the retriever gives none.
        latency_ms: whole milliseconds around the retrieval call, None when not measured.
    """

    documents: tuple[DocId, ...]
    scores: tuple[float, ...] | None = None
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A query whose retrieval failed. It counts as a miss and has no latency.

    Attributes:
        error_class: name of the error's class or its stable code; never its message.
        fault: what was wrong with what came back, in Evenhand's own words: the rule, and the
            type of what breaks it, never its value. None where something else failed. It is told
            and never stored, and two failures of one class are equal whatever it says.
    """

    error_class: str
    fault: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Keep only what reads as a name: whatever else a retriever says may be content."""
        if not _ERROR_NAME.fullmatch(self.error_class):
            object.__setattr__(self, "error_class", UNNAMED_ERROR)


Answer = Retrieved | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRanking:
    """What is kept of one query's results at privacy level ``full``.

    Attributes:
        position: index of the query in byte order of the query ids, from 0.
        query_id: the query.
        documents: raw document ids in the order given; empty when nothing came back.
        scores: one beside each document, or None.
    """

    position: int
    query_id: QueryId
    documents: tuple[DocId, ...]
    scores: tuple[float, ...] | None


def distinct_documents(documents: Iterable[DocId]) -> tuple[DocId, ...]:
    """Distinct non-empty document ids; the first occurrence keeps its place (BP-08)."""
    return tuple(dict.fromkeys(document for document in documents if document))


def build_retrieved(
    results: Sequence[str | bytes] | Sequence[tuple[str | bytes, float]],
    *,
    depth: int,
    scored: bool,
    latency_ms: int | None,
) -> Retrieved:
    """What a retriever returned, checked and cut to the depth.

    Args:
        results: document ids best first, or (id, score) pairs when ``scored``. Any iterable
            with an order of its own.
        depth: at most this many raw results are read, at least 1.
        scored: whether results are pairs.
        latency_ms: whole milliseconds, None when unknown.

    Raises:
        InvalidRanking: the results are no list (one text, nothing, a set or a mapping, whose
            order is not a ranking), or a result is no text id, no pair, or its score is not a
            finite number. The message never repeats an id.
    """
    _require_ordered(results)
    documents: list[DocId] = []
    scores: list[float] = []
    # A generator is asked for no more than is read.
    for position, result in enumerate(islice(results, depth), 1):
        identifier: object = result
        if scored:
            identifier, score = _pair(result, position)
            scores.append(_score(score, position))
        documents.append(_document(identifier, position))
    return Retrieved(
        documents=tuple(documents),
        scores=tuple(scores) if scored else None,
        latency_ms=latency_ms,
    )


def _require_ordered(results: object) -> None:
    if isinstance(results, str | bytes):
        raise InvalidRanking(_no_list(results, "one text of type "))
    if isinstance(results, set | frozenset | Mapping) or not isinstance(results, Iterable):
        raise InvalidRanking(_no_list(results))


def _no_list(results: object, what: str = "") -> str:
    why = "; it must not be asynchronous" if isinstance(results, _ASYNCHRONOUS) else ""
    name = type(results).__name__
    return f"a retriever must return a list of document ids, not {what}{name}{why}"


def _pair(result: object, position: int) -> tuple[object, object]:
    if not isinstance(result, Sequence) or isinstance(result, str | bytes) or len(result) != 2:
        raise InvalidRanking(_no_pair(result), position=position)
    return result[0], result[1]


def _score(score: object, position: int) -> float:
    # By name, because numpy's truth values are no bool; its numbers pass.
    if type(score).__name__ in ("bool", "bool_") or not hasattr(score, "__float__"):
        raise InvalidRanking("the score is not a number", position=position)
    try:
        value = float(score)
    except (TypeError, ValueError, OverflowError):
        raise InvalidRanking("the score is not a finite number", position=position) from None
    if not math.isfinite(value):
        raise InvalidRanking("the score is not finite", position=position)
    return value


def _document(identifier: object, position: int) -> DocId:
    if not isinstance(identifier, str | bytes):
        raise InvalidRanking(_no_text(identifier), position=position)
    try:
        held = to_bytes(identifier)
    except EvenhandError:
        rule = "the document id cannot be held as bytes"
        raise InvalidRanking(rule, position=position) from None
    if b"\0" in held:
        raise InvalidRanking("the document id contains a NUL", position=position)
    return DocId(held)


def _no_text(identifier: object) -> str:
    is_pair = isinstance(identifier, tuple | list) and len(identifier) == 2
    where = "; pairs with a score are what retrieve_scored returns" if is_pair else ""
    return f"a document id must be text, not {type(identifier).__name__}{where}"


def _no_pair(result: object) -> str:
    return f"expected a pair of document id and score, not {type(result).__name__}"
