"""The evaluator: provenance once and first, faults that are misses, order that is the set's."""

import inspect
import logging
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

import numpy as np
import pytest

from evenhand.core.errors import EvenhandError, InvalidSetting, InvalidText
from evenhand.core.errors.evaluation import EvaluationFailed, NothingScored, ProvenanceFailed
from evenhand.core.identity.provenance import (
    RetrievalProvenance,
    RetrievalProvenanceProvider,
    build_fingerprints,
)
from evenhand.core.retrieval.golden import DocId, GoldenSet
from evenhand.core.retrieval.ranking import Failed, Retrieved
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.core.scoring.outcome import OutcomeState
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.usecases.evaluate import EvaluateOptions, evaluate
from evenhand.usecases.ports import BatchRetriever, Retriever, ScoredRetriever
from tests.builders import (
    MACHINE,
    START,
    DeclaredRetriever,
    DictRetriever,
    FakeClock,
    a_provenance,
    a_question,
    a_set,
)

CANARY = "retriever-canary-9d1e"
DECLARED = a_provenance(corpus="corpus-7", execution="commit-1")


class Recording:
    """A retriever that keeps a diary; each kind of call is one line of it."""

    identifier = "recording"

    def __init__(
        self,
        answer: Callable[[str, int], Any] = lambda question, limit: [f"of {question}"],
        declare: Callable[[], Any] | None = None,
    ) -> None:
        self.diary: list[object] = []
        self._answer = answer
        if declare is not None:
            self.get_retrieval_provenance = lambda: self._declare(declare)

    def _declare(self, declare: Callable[[], Any]) -> Any:
        self.diary.append("declare")
        return declare()

    def retrieve(self, question: str, limit: int) -> Any:
        self.diary.append((question, limit))
        return self._answer(question, limit)


class Counting:
    """Progress that counts."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def advance(self, done: int) -> None:
        self.steps.append(done)


def run(
    golden_set: GoldenSet,
    retriever: Retriever,
    *,
    clock: FakeClock | None = None,
    progress: Counting | None = None,
    **options: Any,
) -> Evaluation:
    return evaluate(
        golden_set,
        retriever,
        clock=clock or FakeClock(),
        machine=MACHINE,
        options=EvaluateOptions(**options),
        progress=progress,
    )


def raising(error: BaseException) -> Callable[[str, int], Any]:
    def answer(_question: str, _limit: int) -> Any:
        raise error

    return answer


def only(question: str, answer: Callable[[str, int], Any]) -> Callable[[str, int], Any]:
    """Answers with the question's own name; one question gets another answer."""
    return lambda asked, limit: answer(asked, limit) if asked == question else [f"of {asked}"]


THREE = a_set(a_question("q1", "of q1"), a_question("q2", "of q2"), a_question("q3", "of q3"))

# Provenance --------------------------------------------------------------------------------


@pytest.mark.proves("P-05", "P-06")
@pytest.mark.parametrize("options", [{}, {"jobs": 3}, {"warmup": 2}], ids=str)
def test_provenance_is_taken_once_and_before_the_first_retrieval(options: dict[str, Any]) -> None:
    retriever = Recording(declare=lambda: DECLARED)
    result = run(THREE, retriever, **options)
    assert retriever.diary.index("declare") == 0
    assert retriever.diary.count("declare") == 1
    assert result.identity is not None
    assert result.identity.provenance == DECLARED


@pytest.mark.proves("P-05", "P-06")
def test_a_declaration_that_would_change_during_the_run_is_the_one_of_its_start() -> None:
    declarations = iter([a_provenance(corpus="corpus-1"), a_provenance(corpus="corpus-2")])
    result = run(THREE, Recording(declare=lambda: next(declarations)))
    assert result.identity is not None
    assert result.identity.provenance.corpus_revision == "corpus-1"


@pytest.mark.proves("P-04", "G-01")
def test_the_capability_is_one_operation_without_arguments_found_by_its_name() -> None:
    assert list(
        inspect.signature(RetrievalProvenanceProvider.get_retrieval_provenance).parameters
    ) == ["self"]
    # No base class and no registration: having the method is enough.
    assert isinstance(Recording(declare=lambda: DECLARED), RetrievalProvenanceProvider)
    assert not isinstance(Recording(), RetrievalProvenanceProvider)


@pytest.mark.proves("P-26")
def test_the_lexical_declaration_of_the_source_is_accepted() -> None:
    class Lexical(DictRetriever):
        def get_retrieval_provenance(self) -> RetrievalProvenance:
            return RetrievalProvenance(
                "export-sha256-abcdef",
                RetrievalProvenance.NOT_APPLICABLE,
                RetrievalProvenance.NOT_APPLICABLE,
                "lexical-policy-v2",
                "commit-abcdef",
            )

    result = run(THREE, Lexical({}))
    assert result.identity is not None
    assert result.identity.provenance.to_dict() == {
        "corpusRevision": "export-sha256-abcdef",
        "modelRevision": "not-applicable",
        "chunkingIdentity": "not-applicable",
        "pipelineIdentity": "lexical-policy-v2",
        "executionRevision": "commit-abcdef",
    }


@pytest.mark.proves("P-08", "BP-19")
def test_without_the_capability_identity_is_unknown_as_a_whole() -> None:
    result = run(THREE, DictRetriever({}))
    assert result.identity is None
    assert SCORING_VERSION not in repr(replace(result, protocol=""))


@pytest.mark.proves("P-46")
def test_labels_fingerprint_and_scoring_version_are_derived_and_not_asked_for() -> None:
    result = run(THREE, DeclaredRetriever({}, DECLARED))
    assert result.identity is not None
    assert result.identity.fingerprints == build_fingerprints(
        DECLARED, THREE.labels_fingerprint, SCORING_VERSION
    )


class Misbehaved(Exception):
    pass


@pytest.mark.proves("G-02")
@pytest.mark.parametrize(
    "declare",
    [
        lambda: None,
        lambda: "corpus-1",
        DECLARED.to_dict,
        lambda: (_ for _ in ()).throw(Misbehaved(CANARY)),
        lambda: RetrievalProvenance(f"https://{CANARY}", "m", "c", "p"),
        lambda: RetrievalProvenance("not-applicable", "m", "c", "p"),
    ],
    ids=["null", "text", "dict", "raises", "illegal-label", "sentinel"],
)
def test_a_broken_declaration_ends_the_evaluation_before_any_retrieval(
    declare: Callable[[], Any],
) -> None:
    retriever = Recording(declare=declare)
    with pytest.raises(ProvenanceFailed) as refused:
        run(THREE, retriever, warmup=1)
    assert retriever.diary == ["declare"]
    assert refused.value.code == "provenance_failed"
    assert CANARY not in str(refused.value)


@pytest.mark.proves("P-07")
def test_taking_the_declaration_asks_nothing_of_the_retriever_but_the_declaration() -> None:
    class Guarded(Recording):
        def __getattribute__(self, name: str) -> Any:
            if not name.startswith("_") and name not in ("diary", "identifier"):
                object.__getattribute__(self, "diary").append(f"touched {name}")
            return object.__getattribute__(self, name)

    retriever = Guarded(declare=lambda: None)
    with pytest.raises(ProvenanceFailed):
        run(THREE, retriever)
    assert set(retriever.diary) == {"touched get_retrieval_provenance", "declare"}


# What is asked and what is read ---------------------------------------------------------------


@pytest.mark.proves("BP-08")
def test_each_question_is_asked_once_for_twelve_results_in_the_order_of_the_set() -> None:
    turned = a_set(*THREE.questions[::-1])
    retriever = Recording()
    run(turned, retriever)
    assert retriever.diary == [("q3", 12), ("q2", 12), ("q1", 12)]


@pytest.mark.proves("BP-07")
def test_a_depth_of_ones_own_is_the_limit_and_stored_beside() -> None:
    retriever = Recording()
    result = run(THREE, retriever, depth=50)
    assert retriever.diary == [("q1", 50), ("q2", 50), ("q3", 50)]
    assert result.depth == 50


@pytest.mark.proves("BP-08")
def test_over_fetching_finds_three_documents_behind_many_chunks() -> None:
    chunks = ["a"] * 8 + ["b"] * 2 + ["t"]
    asked = a_set(a_question("q", "t"))
    assert run(asked, DictRetriever({"q": chunks})).counts.top3_hits == 1
    # With three raw results the ranking would have collapsed to one document.
    assert run(asked, DictRetriever({"q": chunks}), depth=3).counts.top3_hits == 0


@pytest.mark.proves("G-17")
def test_of_more_results_than_asked_for_the_first_twelve_are_read() -> None:
    greedy = Recording(lambda question, limit: ["x"] * 12 + [f"of {question}"])
    result = run(THREE, greedy)
    assert result.counts.top3_hits == 0
    assert all(
        len(answer.documents) == 12 for answer in result.answers if isinstance(answer, Retrieved)
    )


@pytest.mark.proves("G-06")
def test_a_question_that_is_not_utf8_reaches_the_retriever_with_its_bytes_kept() -> None:
    retriever = Recording()
    run(a_set(a_question("q", "d", text=b"caf\xe9")), retriever)
    assert retriever.diary == [("caf\udce9", 12)]


def test_a_retriever_with_scores_is_asked_for_them() -> None:
    class Scored(Recording):
        def retrieve_scored(self, question: str, limit: int) -> Any:
            self.diary.append("scored")
            return [(f"of {question}", np.float32(0.5)), ("x", 0.25)]

    retriever = Scored()
    assert isinstance(retriever, ScoredRetriever)
    result = run(THREE, retriever)
    assert retriever.diary == ["scored"] * 3
    assert result.answers[0] == Retrieved(
        documents=(DocId(b"of q1"), DocId(b"x")), scores=(0.5, 0.25), latency_ms=5
    )


def test_a_retriever_by_query_id_is_given_the_id() -> None:
    class ById(Recording):
        def retrieve_for(self, query_id: bytes, question: str, limit: int) -> Any:
            self.diary.append((query_id, question, limit))
            return [b"t"]

        def retrieve_scored(self, question: str, limit: int) -> Any:
            raise AssertionError

    retriever = ById()
    result = evaluate(
        a_set(a_question(b"\xff", "t", text="what?")),
        retriever,
        clock=FakeClock(),
        machine=MACHINE,
        basis=Basis.IMPORTED,
    )
    assert retriever.diary == [(b"\xff", "what?", 12)]
    assert (result.basis, result.counts.top1_hits) == (Basis.IMPORTED, 1)


@pytest.mark.proves("BP-10")
def test_imported_rankings_have_no_latency_and_no_machine() -> None:
    result = evaluate(
        a_set(),
        Recording(),
        clock=FakeClock(),
        machine=MACHINE,
        basis=Basis.IMPORTED,
    )
    assert {outcome.latency_ms for outcome in result.outcomes} == {None}
    assert {answer.latency_ms for answer in result.answers if isinstance(answer, Retrieved)} == {
        None
    }
    assert result.conditions.machine == "unknown"


# Faults --------------------------------------------------------------------------------------


@pytest.mark.proves("G-17")
@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (raising(TimeoutError(CANARY)), "TimeoutError"),
        (raising(Misbehaved(CANARY)), "Misbehaved"),
        (raising(EvenhandError(CANARY)), "internal_error"),
        (raising(StopIteration(CANARY)), "StopIteration"),
        (raising(KeyError(CANARY)), "KeyError"),
        (lambda question, limit: None, "invalid_ranking"),
        (lambda question, limit: CANARY, "invalid_ranking"),
        (lambda question, limit: [7], "invalid_ranking"),
        (lambda question, limit: [CANARY + "\0"], "invalid_ranking"),
        (lambda question, limit: {CANARY}, "invalid_ranking"),
        (lambda question, limit: (1 / 0 for _ in range(3)), "ZeroDivisionError"),
    ],
    ids=[
        *("timeout", "own", "evenhand", "stop", "key", "none", "text"),
        *("int", "nul", "set", "generator"),
    ],
)
def test_a_fault_makes_one_question_failed_and_keeps_a_name_only(
    answer: Callable[[str, int], Any], error_class: str
) -> None:
    result = run(THREE, Recording(only("q2", answer)))
    assert result.answers[1] == Failed(error_class=error_class)
    assert [outcome.state for outcome in result.outcomes] == [
        OutcomeState.SCORED,
        OutcomeState.FAILED,
        OutcomeState.SCORED,
    ]
    assert (result.counts.questions, result.counts.failed, result.counts.top1_hits) == (3, 1, 2)
    assert CANARY not in repr(result)
    assert CANARY.encode() not in pickle.dumps(result)


@pytest.mark.proves("G-17")
def test_strict_ends_the_run_with_the_first_fault() -> None:
    retriever = Recording(only("q2", raising(Misbehaved(CANARY))))
    with pytest.raises(EvaluationFailed) as ended:
        run(THREE, retriever, strict=True)
    assert [line[0] for line in retriever.diary] == ["q1", "q2"]  # type: ignore[index]
    assert ended.value.code == "evaluation_failed"
    assert "Misbehaved" in str(ended.value)
    assert CANARY not in str(ended.value)


def test_strict_is_as_strict_with_several_jobs_and_batches() -> None:
    fault = only("q2", raising(Misbehaved(CANARY)))
    with pytest.raises(EvaluationFailed):
        run(THREE, Recording(fault), strict=True, jobs=2)
    with pytest.raises(EvaluationFailed):
        run(THREE, Batching(fault), strict=True, batch=3)


def test_no_fault_writes_to_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    run(THREE, Recording(only("q2", raising(Misbehaved(CANARY)))))
    run(THREE, Recording(only("q2", lambda question, limit: [CANARY + "\0"])), jobs=2)
    assert caplog.records == []


@pytest.mark.parametrize(
    "golden_set",
    [a_set(a_question("q1", "d1"), a_question("q2")), a_set(a_question("q1", "d1"))],
    ids=["two", "one"],
)
def test_when_every_judged_question_failed_there_is_no_evaluation(golden_set: GoldenSet) -> None:
    with pytest.raises(NothingScored) as refused:
        run(golden_set, Recording(raising(TimeoutError(CANARY))))
    assert refused.value.code == "nothing_scored"
    assert "every judged question failed (TimeoutError)" in str(refused.value)
    assert CANARY not in "".join(traceback.format_exception(refused.value))


def test_a_set_of_unjudged_questions_cannot_be_scored() -> None:
    unjudged = a_set(a_question("u1", unjudged=True), a_question("u2", unjudged=True))
    with pytest.raises(NothingScored, match="no question of the set is judged"):
        run(unjudged, Recording(only("u2", raising(TimeoutError()))))


def test_unjudged_questions_are_asked_and_counted_apart() -> None:
    retriever = Recording()
    asked = a_set(a_question("q1", "of q1"), a_question("u", unjudged=True))
    counts = run(asked, retriever).counts
    assert retriever.diary == [("q1", 12), ("u", 12)]
    assert (counts.questions, counts.unjudged, counts.attempted) == (1, 1, 2)


def main_thread_ends_the_pool() -> bool:
    """Whether the thread that runs the test is inside the pool's shutdown."""
    frame: FrameType | None = sys._current_frames()[threading.main_thread().ident or 0]
    while frame is not None:
        if frame.f_code.co_name == "shutdown":
            return True
        frame = frame.f_back
    return False


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_passes_through_and_stops_asking(
    jobs: int, interruption: type[BaseException]
) -> None:
    many = a_set(*(a_question(f"q{n:03}", "d") for n in range(200)))

    def answer(question: str, limit: int) -> list[str]:
        if question == "q001":
            raise interruption
        if question > "q001":
            while not main_thread_ends_the_pool():
                threading.Event().wait(0.001)
        return ["d"]

    retriever, progress = Recording(answer), Counting()
    with pytest.raises(interruption):
        run(many, retriever, jobs=jobs, progress=progress)
    # The two first questions, and what was under way beside them.
    assert len(retriever.diary) <= 2 + jobs
    assert progress.steps == [1]


@pytest.mark.parametrize(
    ("identifier", "rule"),
    [
        ("", "UTF-8 and not empty"),
        ("a\0", "must not hold NUL"),
        ("a\udcff", "UTF-8 and not empty"),
        (7, "must be text"),
        (b"bm25", "must be text"),
    ],
    ids=["empty", "nul", "bytes-mark", "int", "bytes"],
)
def test_a_retriever_without_a_storable_identifier_is_refused_before_it_is_asked(
    identifier: object, rule: str
) -> None:
    retriever = Recording(declare=lambda: DECLARED)
    retriever.identifier = identifier  # type: ignore[assignment]
    with pytest.raises(InvalidText, match=rule):
        run(THREE, retriever)
    assert retriever.diary == []


# Latency ------------------------------------------------------------------------------------


class ScriptedClock(FakeClock):
    """A monotonic clock that says what it is told, in seconds."""

    def __init__(self, *readings: float) -> None:
        super().__init__()
        self._readings = iter(readings)

    def monotonic(self) -> float:
        return next(self._readings)


@pytest.mark.proves("BP-10")
@pytest.mark.parametrize(
    ("seconds", "milliseconds"),
    [(0.0, 0), (0.0004, 0), (0.0006, 1), (0.012, 12), (1.9994, 1999), (3.0, 3000)],
)
def test_latency_is_in_whole_milliseconds(seconds: float, milliseconds: int) -> None:
    asked = a_set(a_question("q", "d"))
    (answer,) = run(asked, Recording(), clock=ScriptedClock(0.0, seconds)).answers
    assert isinstance(answer, Retrieved)
    assert answer.latency_ms == milliseconds
    assert type(answer.latency_ms) is int


@pytest.mark.proves("BP-10")
def test_latency_is_measured_around_the_retrieval_call_only() -> None:
    clock = FakeClock(step_ms=0)
    moments: list[str] = []

    class Observing(FakeClock):
        def monotonic(self) -> float:
            moments.append("clock")
            return clock.monotonic()

    class Lazy(Recording):
        def retrieve(self, question: str, limit: int) -> Any:
            moments.append("call")
            return self._results()

        def _results(self) -> Iterator[str]:
            for name in ("a", "b"):
                moments.append(name)
                yield name

    run(a_set(a_question("q", "d")), Lazy(), clock=Observing())
    # A generator does its work when it is read, so reading it is part of the call.
    assert moments == ["clock", "call", "a", "b", "clock"]


def test_an_endless_generator_is_read_to_the_depth() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "x"

    result = run(THREE, Recording(lambda question, limit: endless()), depth=4)
    assert result.outcomes[0].retrieved == 1


def test_a_failed_question_never_enters_latency() -> None:
    result = run(THREE, Recording(only("q2", raising(TimeoutError()))))
    assert [outcome.latency_ms for outcome in result.outcomes] == [5, None, 5]


def test_times_of_the_evaluation_are_the_clock_s() -> None:
    result = run(THREE, Recording())
    assert result.started_at == START
    assert (result.finished_at - START).total_seconds() == 0.03


# Several at a time ----------------------------------------------------------------------------


class Meeting(Recording):
    """Answers the first two calls only once both are under way, last question first."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2, timeout=30)
        self._second_done = threading.Event()

    def retrieve(self, question: str, limit: int) -> Any:
        if question in ("q000", "q001"):
            self._both.wait()
        if question == "q000":
            assert self._second_done.wait(timeout=30)
        if question == "q001":
            self._second_done.set()
        return super().retrieve(question, limit)


def test_jobs_ask_at_the_same_time_and_answers_keep_the_order_of_the_set() -> None:
    many = a_set(*(a_question(f"q{n:03}", f"of q{n:03}") for n in range(20)))
    progress = Counting()
    result = run(many, Meeting(), jobs=2, progress=progress)
    assert result.counts.top1_hits == 20
    assert [answer.documents for answer in result.answers if isinstance(answer, Retrieved)] == [
        (f"of q{n:03}".encode(),) for n in range(20)
    ]
    assert progress.steps == [1] * 20
    assert result.conditions.jobs == 2


def test_several_jobs_give_the_same_bytes_as_one() -> None:
    mixed = a_set(
        *(a_question(f"q{n:03}", "t") for n in range(30)),
        *(a_question(f"n{n:03}") for n in range(5)),
        a_question("u", unjudged=True),
    )

    def answer(question: str, limit: int) -> Any:
        match sum(question.encode()) % 5:
            case 0:
                raise TimeoutError
            case 1:
                return []
            case 2:
                return None
            case rest:
                return [f"x{rest}", question, "t"]

    def with_jobs(jobs: int) -> Evaluation:
        retriever = Recording(answer, declare=lambda: DECLARED)
        result = run(mixed, retriever, clock=FakeClock(step_ms=0), jobs=jobs)
        assert result.conditions.jobs == jobs
        return replace(result, conditions=replace(result.conditions, jobs=1))

    one = with_jobs(1)
    assert 0 < one.counts.failed < one.counts.questions
    for jobs in (2, 4):
        assert with_jobs(jobs) == one
        assert repr(with_jobs(jobs)) == repr(one)


# Batches ------------------------------------------------------------------------------------


class Batching(Recording):
    """Answers several questions in one call."""

    def retrieve_many(self, questions: Sequence[str], limit: int) -> Any:
        self.diary.append((tuple(questions), limit))
        return [self._answer(question, limit) for question in questions]


def test_a_batch_covers_several_questions_and_has_no_latency() -> None:
    retriever = Batching()
    assert isinstance(retriever, BatchRetriever)
    progress = Counting()
    result = run(THREE, retriever, batch=2, progress=progress)
    assert retriever.diary == [(("q1", "q2"), 12), (("q3",), 12)]
    assert result.counts.top1_hits == 3
    assert {outcome.latency_ms for outcome in result.outcomes} == {None}
    assert (result.conditions.batch, progress.steps) == (2, [1, 1, 1])


def test_batches_are_asked_one_after_the_other_and_the_conditions_say_so() -> None:
    assert run(THREE, Batching(), batch=2, jobs=4).conditions.jobs == 1


def test_without_retrieve_many_a_batch_is_a_call_for_each_question() -> None:
    retriever = Recording()
    result = run(THREE, retriever, batch=2)
    assert len(retriever.diary) == 3
    assert result.conditions.batch == 1
    assert result.outcomes[0].latency_ms == 5


@pytest.mark.proves("G-17")
def test_one_bad_list_of_a_batch_fails_its_own_question_only() -> None:
    result = run(THREE, Batching(only("q2", lambda question, limit: None)), batch=3)
    assert [type(answer) for answer in result.answers] == [Retrieved, Failed, Retrieved]
    assert result.answers[1] == Failed(error_class="invalid_ranking")


def test_a_call_that_fails_fails_the_questions_it_covers() -> None:
    result = run(THREE, Batching(only("q1", raising(TimeoutError(CANARY)))), batch=2)
    failed = Failed(error_class="TimeoutError")
    assert result.answers[:2] == (failed, failed)
    assert isinstance(result.answers[2], Retrieved)


@pytest.mark.parametrize("lists", [[["d"]], [["d"]] * 4, []], ids=["short", "long", "none"])
def test_a_wrong_number_of_lists_fails_the_whole_call(lists: list[list[str]]) -> None:
    class Wrong(Batching):
        def retrieve_many(self, questions: Sequence[str], limit: int) -> Any:
            return lists if len(questions) == 2 else [["d"]] * len(questions)

    result = run(THREE, Wrong(), batch=2)
    failed = Failed(error_class="invalid_ranking")
    assert result.answers[:2] == (failed, failed)
    assert isinstance(result.answers[2], Retrieved)


# Warm-up ------------------------------------------------------------------------------------


def test_warm_up_calls_come_first_and_are_not_measured() -> None:
    retriever = Recording()
    progress = Counting()
    result = run(THREE, retriever, warmup=5, progress=progress)
    asked = [line[0] for line in retriever.diary]  # type: ignore[index]
    # More calls than questions begin again: the conditions say how many there were.
    assert asked == ["q1", "q2", "q3", "q1", "q2", "q1", "q2", "q3"]
    assert result.conditions.warmup == 5
    assert len(result.answers) == 3
    assert progress.steps == [1, 1, 1]


def test_a_fault_during_warm_up_is_no_failed_question() -> None:
    faults = iter([TimeoutError()])

    def answer(question: str, limit: int) -> list[str]:
        for fault in faults:
            raise fault
        return [f"of {question}"]

    assert run(THREE, Recording(answer), warmup=1).counts.failed == 0


# Options and boundaries -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"depth": 0}, {"jobs": 0}, {"batch": 0}, {"warmup": -1}, {"depth": -5}],
    ids=str,
)
def test_options_out_of_range_are_refused(options: Mapping[str, int]) -> None:
    (name,) = options
    with pytest.raises(InvalidSetting, match=name):
        EvaluateOptions(**options)  # type: ignore[arg-type]


@pytest.mark.proves("BP-13")
def test_the_evaluator_has_no_door_to_a_store_or_to_another_result() -> None:
    assert set(inspect.signature(evaluate).parameters) == {
        "golden_set",
        "retriever",
        "clock",
        "machine",
        "basis",
        "options",
        "progress",
    }
    assert not {"comparison", "previous", "verdict"} & set(Evaluation.__slots__)


def test_an_evaluation_twice_gives_the_same_value() -> None:
    assert run(THREE, Recording()) == run(THREE, Recording())
