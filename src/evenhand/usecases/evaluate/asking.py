"""How is a retriever called, and what becomes of a call that fails?

A fault of a retriever is a failed question; it never drops one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from types import CoroutineType
from typing import Final, TypeVar

from evenhand.core.errors import EvenhandError, InvalidSetting
from evenhand.core.errors.evaluation import EvaluationFailed
from evenhand.core.errors.retrieval import InvalidRanking
from evenhand.core.retrieval import ranking
from evenhand.core.retrieval.golden import GoldenQuestion, QueryId
from evenhand.core.retrieval.ranking import Answer, Failed, build_retrieved
from evenhand.core.scoring.protocols import WINDOW
from evenhand.usecases.ports import (
    BatchRetriever,
    Clock,
    QueryIdRetriever,
    Retriever,
    ScoredRetriever,
)

Results = TypeVar("Results")

_ONE_LIST_EACH: Final = "retrieve_many must return one list for each question"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """How the retriever is called.

    Attributes:
        depth: limit handed to the retriever; results beyond it are not read.
        jobs: calls at a time; 1, because users' retrievers are often not thread-safe.
        warmup: unmeasured calls before the first question.
        batch: questions per call where the retriever has ``retrieve_many``; then no latency is
            known, since a call covers several questions.
        strict: the first failed question ends the evaluation.
    """

    depth: int = WINDOW
    jobs: int = 1
    warmup: int = 0
    batch: int = 1
    strict: bool = False

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            InvalidSetting: depth, jobs or batch below 1, warmup below 0, or no whole number.
        """
        for name, least in (("depth", 1), ("jobs", 1), ("batch", 1), ("warmup", 0)):
            number: object = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or number < least:
                raise InvalidSetting(name, _too_small(least))


class Asker:
    """Calls one retriever in the richest way it has, and never lets a fault drop a question.

    Args:
        retriever: what is called.
        how: how it is called.
        clock: the time.
        positions: of each question, by which messages name it; one that has none is not named.
        is_timed: whether a call is a retrieval, whose latency means something.
    """

    def __init__(
        self,
        retriever: Retriever,
        how: EvaluateOptions,
        clock: Clock,
        positions: Mapping[QueryId, int],
        *,
        is_timed: bool,
    ) -> None:
        self._retriever = retriever
        self._positions = positions
        self._how = how
        self._clock = clock
        self._is_timed = is_timed
        many = how.batch > 1 and isinstance(retriever, BatchRetriever)
        self.questions_per_call = how.batch if many else 1
        self.calls_at_a_time = 1 if self.questions_per_call > 1 else how.jobs
        self._scored = isinstance(retriever, ScoredRetriever)
        self._call = self._chosen_call()
        self._pool: ThreadPoolExecutor | None = None

    def warm_up(self, questions: Sequence[GoldenQuestion]) -> None:
        """Make the unmeasured calls, beginning again where the questions end."""
        for question in islice(cycle(questions), self._how.warmup):
            self._one(question)

    def answers(self, questions: Sequence[GoldenQuestion]) -> Iterator[Answer]:
        """One answer per question, in their order; raises EvaluationFailed under ``strict``."""
        if self.questions_per_call > 1:
            step = self.questions_per_call
            for start in range(0, len(questions), step):
                yield from self._batch(questions[start : start + step])
        elif self.calls_at_a_time == 1:
            yield from map(self._one, questions)
        else:
            yield from self._parallel(questions)

    def close(self) -> None:
        """End the threads that were started."""
        if self._pool is not None:
            # After Ctrl-C or a strict failure the questions still waiting are not asked.
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _parallel(self, questions: Sequence[GoldenQuestion]) -> Iterator[Answer]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._how.jobs, thread_name_prefix="retrieve")
        yield from self._pool.map(self._one, questions)

    def _chosen_call(self) -> Callable[[GoldenQuestion], Sequence[object]]:
        retriever, depth = self._retriever, self._how.depth
        if isinstance(retriever, QueryIdRetriever):
            self._scored = False
            return lambda question: retriever.retrieve_for(question.id, question.text, depth)
        if isinstance(retriever, ScoredRetriever):
            return lambda question: retriever.retrieve_scored(question.text, depth)
        return lambda question: retriever.retrieve(question.text, depth)

    def _one(self, question: GoldenQuestion) -> Answer:
        started = self._clock.monotonic()
        try:
            results = _awaited_by_nobody(self._call(question))
            if isinstance(results, Iterator):
                # A generator retrieves only when it is read, so its reading is measured.
                results = list(islice(results, self._how.depth))
            latency_ms = round((self._clock.monotonic() - started) * 1000)
            return build_retrieved(
                results,  # type: ignore[arg-type]  # checked there, one by one
                depth=self._how.depth,
                scored=self._scored,
                latency_ms=latency_ms if self._is_timed else None,
            )
        except Exception as error:  # noqa: BLE001 -- any fault of a retriever is a failed question
            return self._failed(error, question)

    def _batch(self, questions: Sequence[GoldenQuestion]) -> Iterator[Answer]:
        try:
            lists = self._lists(questions)
        except Exception as error:  # noqa: BLE001 -- as above; the call covers all its questions
            yield from [self._failed(error, question) for question in questions]
        else:
            yield from map(self._read, lists, questions)

    def _lists(self, questions: Sequence[GoldenQuestion]) -> Sequence[Sequence[str | bytes]]:
        retriever = self._retriever
        assert isinstance(retriever, BatchRetriever)  # noqa: S101 -- chosen in the constructor
        found = retriever.retrieve_many([q.text for q in questions], self._how.depth)
        lists = _lists_of(_awaited_by_nobody(found))
        if len(lists) != len(questions):
            raise InvalidRanking(_wrong_number(lists, questions))
        return lists

    def _read(self, results: Sequence[str | bytes], question: GoldenQuestion) -> Answer:
        try:
            return build_retrieved(results, depth=self._how.depth, scored=False, latency_ms=None)
        except Exception as error:  # noqa: BLE001 -- as above; the other lists of the call stand
            return self._failed(error, question)

    def _failed(self, error: Exception, question: GoldenQuestion) -> Failed:
        name = error.code if isinstance(error, EvenhandError) else type(error).__name__
        failed = Failed(error_class=name, fault=_fault(error))
        if self._how.strict:
            told = told_failure(failed, self._positions.get(question.id))
            raise EvaluationFailed(_strict(told)) from error
        return failed


def told_failure(failed: Failed, position: int | None) -> str:
    """What is said of a failed question: its position, the class, and the fault where known.

    Args:
        failed: the answer.
        position: index of the question in byte order of the question ids, from 0; None where
            the question is not to be named.
    """
    which = "a question" if position is None else f"the question at position {position}"
    why = "" if failed.fault is None else f": {failed.fault}"
    return f"{which} failed ({failed.error_class}{why})"


def _too_small(least: int) -> str:
    return f"must be a whole number of at least {least}"


def _strict(told: str) -> str:
    return f"{told} and --strict is set; nothing was stored"


def _fault(error: Exception) -> str | None:
    """The rule that what came back breaks, and which result breaks it."""
    if not isinstance(error, InvalidRanking) or not _is_ours(error):
        return None
    return error.rule if error.position is None else f"result {error.position}: {error.rule}"


def _is_ours(error: InvalidRanking) -> bool:
    """Whether Evenhand itself raised it: only then is it known that its text holds no content."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    raised_in = None if trace is None else trace.tb_frame.f_globals.get("__name__")
    return raised_in in (__name__, ranking.__name__)


def _awaited_by_nobody(results: Results) -> Results:
    """The same results; a coroutine is closed, so that Python does not complain of it later."""
    if isinstance(results, CoroutineType):
        results.close()
    return results


def _lists_of(found: object) -> list[Sequence[str | bytes]]:
    if isinstance(found, str | bytes | set | frozenset | Mapping) or not isinstance(
        found, Iterable
    ):
        raise InvalidRanking(_no_lists(found))
    return list(found)


def _no_lists(found: object) -> str:
    return f"{_ONE_LIST_EACH}, not {type(found).__name__}"


def _wrong_number(lists: Sequence[object], questions: Sequence[object]) -> str:
    return f"{_ONE_LIST_EACH}: {len(questions)}, not {len(lists)}"
