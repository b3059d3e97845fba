"""Put every question of a golden set to a retriever, and score what comes back.

Nothing is stored or compared here (BP-13): the result is a value, `evaluations.record` keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle, islice

from evenhand.core.errors import (
    EvaluationFailed,
    EvenhandError,
    InvalidRanking,
    InvalidSetting,
    InvalidText,
    NothingScored,
)
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.identity.provenance import build_fingerprints, take_provenance
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import MAX_NAME_BYTES, TOO_LONG, GoldenQuestion, GoldenSet
from evenhand.core.retrieval.ranking import Answer, Failed, build_retrieved
from evenhand.core.scoring.evaluation import Basis, Conditions, Evaluation
from evenhand.core.scoring.outcome import build_outcomes
from evenhand.core.scoring.protocols import SCORING_VERSION, WINDOW, HitCounts, count_hits
from evenhand.usecases.ports import (
    BatchRetriever,
    Clock,
    DerivesLabels,
    Progress,
    QueryIdRetriever,
    Retriever,
    ScoredRetriever,
)


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
            InvalidSetting: depth, jobs or batch below 1, or warmup below 0.
        """
        for name in ("depth", "jobs", "batch"):
            if getattr(self, name) < 1:
                raise InvalidSetting(name, "must be at least 1")
        if self.warmup < 0:
            raise InvalidSetting("warmup", "must be at least 0")


def evaluate(  # noqa: PLR0913 -- the parts of one experiment, all by keyword
    golden_set: GoldenSet,
    retriever: Retriever,
    *,
    clock: Clock,
    machine: str,
    basis: Basis = Basis.LOCAL,
    options: EvaluateOptions | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a retriever on a golden set.

    A question whose retrieval raises is recorded as failed and counts as a miss. The retriever's
    provenance is taken once, before the first retrieval.

    Args:
        golden_set: the questions; their order is the order of the calls.
        retriever: what is under test.
        clock: the time; latencies are whole milliseconds around the retrieval call only.
        machine: label of this machine's kind.
        basis: ``imported`` for a run file, else ``local``.
        options: how the retriever is called.
        progress: hears of each finished question.

    Raises:
        InvalidText: the retriever's identifier is no text that can be stored.
        ProvenanceFailed: the capability is there but does not give a declaration.
        EvaluationFailed: ``strict`` and a question failed.
        NothingScored: no judged question could be scored.

    The messages hold no content. The cause of an `EvaluationFailed` or `ProvenanceFailed` is the
    retriever's own error, whose text may hold anything: it is for the eyes of who wrote the
    retriever, not for a log.
    """
    (evaluation,) = evaluate_together(
        golden_set,
        [(retriever, basis)],
        clock=clock,
        machine=machine,
        options=options,
        progress=progress,
    )
    return evaluation


def evaluate_together(
    golden_set: GoldenSet,
    retrievers: Sequence[tuple[Retriever, Basis]],
    *,
    clock: Clock,
    machine: str,
    options: EvaluateOptions | None = None,
    progress: Progress | None = None,
) -> tuple[Evaluation, ...]:
    """Evaluate several retrievers in one go, interleaved by question.

    Each is put one question (or as many as are asked at a time), then the next one the same.
    Who is asked first changes from turn to turn, so that a cache which the first one warms, or a
    machine that slows down, favours none of them.

    Args:
        golden_set: the questions; their order is the order of the calls to each retriever.
        retrievers: what is under test, at least one, each with its basis.
        clock: as in `evaluate`.
        machine: as in `evaluate`.
        options: how each of them is called.
        progress: hears of each finished question of each retriever.

    Returns:
        One evaluation for each retriever, in the order given.

    Raises:
        EvaluationFailed: as in `evaluate`, for any of them; then there is no result of any.
    """
    how = options or EvaluateOptions()
    legs = [_Leg(golden_set, retriever, basis, how, clock) for retriever, basis in retrievers]
    started_at = clock.now()
    try:
        for leg in legs:
            leg.ask.warm_up(golden_set.questions)
        for leg, questions in _turns(legs, golden_set.questions):
            leg.answers.extend(_report(leg.ask.answers(questions), progress))
    finally:
        for leg in legs:
            leg.ask.close()
    return tuple(leg.finished(machine, started_at) for leg in legs)


class _Leg:
    """One retriever under test: what it says of itself before it is asked, and its answers."""

    def __init__(
        self,
        golden_set: GoldenSet,
        retriever: Retriever,
        basis: Basis,
        how: EvaluateOptions,
        clock: Clock,
    ) -> None:
        self._golden_set = golden_set
        self._identifier = _identifier(retriever)
        self._identity = _identity(retriever, golden_set)
        self._derived = isinstance(retriever, DerivesLabels) and retriever.labels_derived
        self._basis = basis
        self._how = how
        self._clock = clock
        self.ask = _Asker(retriever, how, clock)
        self.answers: list[Answer] = []

    def finished(self, machine: str, started_at: datetime) -> Evaluation:
        """The scored result; raises NothingScored."""
        golden_set, answers = self._golden_set, tuple(self.answers)
        outcomes = build_outcomes(golden_set, answers, window=WINDOW)
        counts = count_hits(outcomes)
        if not counts.scored:
            raise NothingScored(_nothing_scored(counts, answers))
        return Evaluation(
            golden_set=golden_set,
            retriever=self._identifier,
            identity=self._identity,
            answers=answers,
            outcomes=outcomes,
            counts=counts,
            basis=self._basis,
            depth=self._how.depth,
            conditions=Conditions(
                machine=machine,
                jobs=self.ask.calls_at_a_time,
                warmup=self._how.warmup,
                batch=self.ask.questions_per_call,
            ),
            started_at=started_at,
            finished_at=self._clock.now(),
            labels_derived=self._derived,
        )


def _identity(retriever: Retriever, golden_set: GoldenSet) -> StoredIdentity | None:
    declared = take_provenance(retriever)
    fingerprints = build_fingerprints(declared, golden_set.labels_fingerprint, SCORING_VERSION)
    return (
        None
        if declared is None
        else StoredIdentity(provenance=declared, fingerprints=fingerprints)
    )


def _turns(
    legs: Sequence[_Leg], questions: Sequence[GoldenQuestion]
) -> Iterator[tuple[_Leg, Sequence[GoldenQuestion]]]:
    """Who is asked what next."""
    if len(legs) == 1:
        yield legs[0], questions
        return
    step = max(max(leg.ask.questions_per_call, leg.ask.calls_at_a_time) for leg in legs)
    for turn, start in enumerate(range(0, len(questions), step)):
        first = turn % len(legs)
        for leg in (*legs[first:], *legs[:first]):
            yield leg, questions[start : start + step]


class _Asker:
    """Calls one retriever in the richest way it has, and never lets a fault drop a question."""

    def __init__(self, retriever: Retriever, how: EvaluateOptions, clock: Clock) -> None:
        self._retriever = retriever
        self._how = how
        self._clock = clock
        many = how.batch > 1 and isinstance(retriever, BatchRetriever)
        self.questions_per_call = how.batch if many else 1
        self.calls_at_a_time = 1 if self.questions_per_call > 1 else how.jobs
        self._scored = isinstance(retriever, ScoredRetriever)
        self._call = self._chosen_call()
        self._pool: ThreadPoolExecutor | None = None

    def warm_up(self, questions: Sequence[GoldenQuestion]) -> None:
        for question in islice(cycle(questions), self._how.warmup):
            self._one(question)

    def answers(self, questions: Sequence[GoldenQuestion]) -> Iterator[Answer]:
        if self.questions_per_call > 1:
            step = self.questions_per_call
            for start in range(0, len(questions), step):
                yield from self._batch(questions[start : start + step])
        elif self.calls_at_a_time == 1:
            yield from map(self._one, questions)
        else:
            yield from self._parallel(questions)

    def close(self) -> None:
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
            results = self._call(question)
            if isinstance(results, Iterator):
                # A generator retrieves only when it is read, so its reading is measured.
                results = list(islice(results, self._how.depth))
            latency_ms = round((self._clock.monotonic() - started) * 1000)
            return build_retrieved(
                results,  # type: ignore[arg-type]  # checked there, one by one
                depth=self._how.depth,
                scored=self._scored,
                latency_ms=latency_ms,
            )
        except Exception as error:  # noqa: BLE001 -- any fault of a retriever is a failed question
            return self._failed(error)

    def _batch(self, questions: Sequence[GoldenQuestion]) -> Iterator[Answer]:
        try:
            lists = self._lists(questions)
        except Exception as error:  # noqa: BLE001 -- as above; the call covers all its questions
            yield from [self._failed(error) for _ in questions]
        else:
            yield from map(self._read, lists)

    def _lists(self, questions: Sequence[GoldenQuestion]) -> Sequence[Sequence[str | bytes]]:
        retriever = self._retriever
        assert isinstance(retriever, BatchRetriever)  # noqa: S101 -- chosen in the constructor
        lists = list(retriever.retrieve_many([q.text for q in questions], self._how.depth))
        if len(lists) != len(questions):
            raise InvalidRanking("retrieve_many must return one list for each question")
        return lists

    def _read(self, results: Sequence[str | bytes]) -> Answer:
        try:
            return build_retrieved(results, depth=self._how.depth, scored=False, latency_ms=None)
        except Exception as error:  # noqa: BLE001 -- as above; the other lists of the call stand
            return self._failed(error)

    def _failed(self, error: Exception) -> Failed:
        name = error.code if isinstance(error, EvenhandError) else type(error).__name__
        failed = Failed(error_class=name)
        if self._how.strict:
            raise EvaluationFailed(_strict(failed)) from error
        return failed


def _report(answers: Iterator[Answer], progress: Progress | None) -> Iterator[Answer]:
    for answer in answers:
        if progress is not None:
            progress.advance(1)
        yield answer


def _strict(failed: Failed) -> str:
    return f"a question failed ({failed.error_class}) and --strict is set; nothing was stored"


def _nothing_scored(counts: HitCounts, answers: tuple[Answer, ...]) -> str:
    if not counts.questions:
        return "no question of the set is judged, so none could be scored; nothing was stored"
    classes = sorted({answer.error_class for answer in answers if isinstance(answer, Failed)})
    names = ", ".join(classes)
    return f"every judged question failed ({names}), so none could be scored; nothing was stored"


def _identifier(retriever: Retriever) -> str:
    field = "the retriever's identifier"
    identifier: object = retriever.identifier
    if not isinstance(identifier, str):
        raise InvalidText(field, "must be text")
    held = to_bytes(identifier, field=field, refuse_nul=True)
    if not held or held.decode("utf-8", "ignore") != identifier:
        raise InvalidText(field, "must be UTF-8 and not empty")
    if len(held) > MAX_NAME_BYTES:
        raise InvalidText(field, TOO_LONG)
    return identifier
