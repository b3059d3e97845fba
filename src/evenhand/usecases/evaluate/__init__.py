"""Put every question of a golden set to a retriever, and score what comes back.

Nothing is stored or compared here (BP-13): the result is a value, `evaluations.record` keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from evenhand.core.errors import InvalidText
from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.identity.provenance import build_fingerprints, take_provenance
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.coverage import ListsQueries, coverage_of
from evenhand.core.retrieval.golden import (
    MAX_NAME_BYTES,
    TOO_LONG,
    GoldenQuestion,
    GoldenSet,
    QueryId,
)
from evenhand.core.retrieval.ranking import Answer, Failed
from evenhand.core.scoring.evaluation import UNKNOWN_MACHINE, Basis, Conditions, Evaluation
from evenhand.core.scoring.outcome import build_outcomes
from evenhand.core.scoring.protocols import SCORING_VERSION, WINDOW, HitCounts, count_hits
from evenhand.usecases.evaluate.asking import Asker, EvaluateOptions, told_failure
from evenhand.usecases.ports import Clock, DerivesLabels, Progress, Retriever

__all__ = ["EvaluateOptions", "evaluate", "evaluate_together", "first_fault"]


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
        basis: ``imported`` for a run file, else ``local``. Of imported rankings no latency and no
            machine is known.
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
        self._digested = isinstance(retriever, DerivesLabels) and retriever.corpus_digested
        self._listed = retriever.query_ids if isinstance(retriever, ListsQueries) else None
        self._basis = basis
        self._how = how
        self._clock = clock
        # Looking a ranking up in a file takes a time too, but it is no retrieval.
        self.ask = Asker(
            retriever, how, clock, _positions(golden_set), is_timed=basis is Basis.LOCAL
        )
        self.answers: list[Answer] = []

    def finished(self, machine: str, started_at: datetime) -> Evaluation:
        """The scored result; raises NothingScored."""
        golden_set, answers = self._golden_set, tuple(self.answers)
        outcomes = build_outcomes(golden_set, answers, window=WINDOW)
        counts = count_hits(outcomes)
        if not counts.scored:
            raise NothingScored(
                _nothing_scored(counts, answers, golden_set), is_judged=bool(counts.questions)
            )
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
                machine=machine if self._basis is Basis.LOCAL else UNKNOWN_MACHINE,
                jobs=self.ask.calls_at_a_time,
                warmup=self._how.warmup,
                batch=self.ask.questions_per_call,
            ),
            started_at=started_at,
            finished_at=self._clock.now(),
            labels_derived=self._derived,
            corpus_digested=self._digested,
            coverage=None if self._listed is None else coverage_of(golden_set, self._listed),
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


def _report(answers: Iterator[Answer], progress: Progress | None) -> Iterator[Answer]:
    for answer in answers:
        if progress is not None:
            progress.advance(1)
        yield answer


def first_fault(golden_set: GoldenSet, answers: Sequence[Answer]) -> str | None:
    """What is told of the first question whose answer was no ranking; None without one.

    It names the question by position, the rule and the type of what broke it, never a value; of
    a part that is held out it names no question.

    Args:
        golden_set: the questions.
        answers: one for each, in the set's order.
    """
    for question, answer in zip(golden_set.questions, answers, strict=True):
        if isinstance(answer, Failed) and answer.fault is not None:
            return told_failure(answer, _positions(golden_set).get(question.id))
    return None


def _positions(golden_set: GoldenSet) -> dict[QueryId, int]:
    """By which messages name questions: those of a part that is held out have no name."""
    if golden_set.is_holdout:
        return {}
    return {question.id: index for index, question in enumerate(golden_set.by_position)}


def _nothing_scored(counts: HitCounts, answers: tuple[Answer, ...], golden_set: GoldenSet) -> str:
    if not counts.questions:
        return "no question of the set is judged, so none could be scored; nothing was stored"
    classes = sorted({answer.error_class for answer in answers if isinstance(answer, Failed)})
    names = ", ".join(classes)
    said = f"every judged question failed ({names}), so none could be scored; nothing was stored"
    fault = first_fault(golden_set, answers)
    return said if fault is None else f"{said}; {fault}"


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
