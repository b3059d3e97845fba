"""What is told of an answer that is no ranking: position, rule and type; never a value."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.evaluation import EvaluationFailed, NothingScored, ProvenanceFailed
from evenhand.core.errors.retrieval import InvalidRanking
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.ranking import Failed, Retrieved
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.usecases.evaluate import EvaluateOptions, evaluate, first_fault
from tests.builders import MACHINE, FakeClock, a_question, a_set

CANARY = "fault-canary-77d0"
#: In an order that is not that of the ids, by which positions are counted.
THREE = a_set(a_question("q3", "d"), a_question("q1", "d"), a_question("q2", "d"))
NO_LIST = "a retriever must return a list of document ids, not "


class Answering:
    identifier = "answering"

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self._answer = answer

    def retrieve(self, question: str, limit: int) -> Any:
        del limit
        return self._answer(question)


class Batching(Answering):
    def __init__(self, lists: Callable[[], Any]) -> None:
        super().__init__(lambda question: ["d"])
        self._lists = lists

    def retrieve_many(self, questions: Sequence[str], limit: int) -> Any:
        del questions, limit
        return self._lists()


def run(retriever: Any, golden_set: GoldenSet = THREE, **options: Any) -> Evaluation:
    return evaluate(
        golden_set,
        retriever,
        clock=FakeClock(),
        machine=MACHINE,
        options=EvaluateOptions(**options),
    )


def bad_for(name: str, result: Callable[[], Any]) -> Answering:
    return Answering(lambda question: result() if question == name else ["d"])


async def _later() -> list[str]:
    return [CANARY]


async def _one_by_one() -> AsyncIterator[str]:
    yield CANARY


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "none": (lambda: None, f"{NO_LIST}NoneType"),
    "text": (lambda: CANARY, f"{NO_LIST}one text of type str"),
    "bytes": (CANARY.encode, f"{NO_LIST}one text of type bytes"),
    "numpy-text": (lambda: np.str_(CANARY), f"{NO_LIST}one text of type str_"),
    "set": (lambda: {CANARY}, f"{NO_LIST}set"),
    "dict": (lambda: {CANARY: 1.0}, f"{NO_LIST}dict"),
    "coroutine": (_later, f"{NO_LIST}coroutine; it must not be asynchronous"),
    "async-generator": (_one_by_one, f"{NO_LIST}async_generator; it must not be asynchronous"),
    "int": (lambda: [7], "result 1: a document id must be text, not int"),
    "numpy-int": (lambda: np.array([7]), "result 1: a document id must be text, not int64"),
    "second": (lambda: ["d", None], "result 2: a document id must be text, not NoneType"),
    "record": (lambda: [{"id": CANARY}], "result 1: a document id must be text, not dict"),
    "pair": (
        lambda: [(CANARY, 0.5)],
        "not tuple; pairs with a score are what retrieve_scored returns",
    ),
    "nul": (lambda: [f"{CANARY}\0"], "result 1: the document id contains a NUL"),
}


@pytest.mark.parametrize(("result", "rule"), WRONG.values(), ids=WRONG)
def test_a_wrong_result_is_told_with_position_rule_and_type(
    result: Callable[[], Any], rule: str
) -> None:
    found = run(bad_for("q2", result))
    told = first_fault(found.golden_set, found.answers)
    assert told is not None
    assert told.startswith("the question at position 1 failed (invalid_ranking: ")
    assert told.endswith(f"{rule})")
    assert CANARY not in told + repr(found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_strict_says_where_and_what(jobs: int) -> None:
    with pytest.raises(EvaluationFailed) as ended:
        run(bad_for("q3", lambda: {CANARY}), strict=True, jobs=jobs)
    assert str(ended.value) == (
        f"the question at position 2 failed (invalid_ranking: {NO_LIST}set) "
        "and --strict is set; nothing was stored"
    )


def test_where_nothing_could_be_scored_the_first_fault_is_told() -> None:
    with pytest.raises(NothingScored) as refused:
        run(Answering(lambda question: None))
    assert str(refused.value).endswith(
        f"nothing was stored; the question at position 2 failed (invalid_ranking: {NO_LIST}NoneType)"
    )


@pytest.mark.parametrize(
    ("lists", "rule"),
    [
        (lambda: None, "retrieve_many must return one list for each question, not NoneType"),
        (lambda: "dd", "one list for each question, not str"),
        (lambda: {CANARY: ["d"]}, "one list for each question, not dict"),
        (_later, "one list for each question, not coroutine"),
        (lambda: [["d"]], "one list for each question: 3, not 1"),
        (lambda: [["d"], ["d"], None], f"{NO_LIST}NoneType"),
    ],
    ids=["none", "text", "dict", "coroutine", "short", "third"],
)
def test_a_wrong_batch_is_told_alike(lists: Callable[[], Any], rule: str) -> None:
    good = a_set(*THREE.questions, a_question("q4", "d"))
    calls: Iterator[Callable[[], Any]] = iter([lists, lambda: [["d"]]])
    found = run(Batching(lambda: next(calls)()), good, batch=3)  # noqa: PLW0108 -- a new one each time
    told = first_fault(found.golden_set, found.answers)
    assert told is not None
    assert rule in told
    assert isinstance(found.answers[3], Retrieved)


@pytest.mark.parametrize(
    "result",
    [
        lambda: (_ for _ in ()).throw(InvalidRanking(CANARY)),
        lambda: (_ for _ in range(1 // 0)),
    ],
    ids=["own-words", "another-class"],
)
def test_what_a_retriever_itself_says_is_never_told(result: Callable[[], Any]) -> None:
    found = run(bad_for("q1", result))
    (failed,) = (one for one in found.answers if isinstance(one, Failed))
    assert failed.fault is None
    assert first_fault(found.golden_set, found.answers) is None
    assert CANARY not in repr(found)


def test_failures_of_one_class_are_equal_whatever_is_told_of_them() -> None:
    assert Failed(error_class="invalid_ranking", fault="a") == Failed(
        error_class="invalid_ranking", fault="b"
    )


def test_an_asynchronous_retriever_leaves_no_coroutine_behind() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        run(bad_for("q2", _later))
    assert heard == []


def test_an_asynchronous_declaration_is_refused_and_leaves_no_coroutine_behind() -> None:
    class Declaring(Answering):
        async def get_retrieval_provenance(self) -> None:
            await asyncio.sleep(0)

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with pytest.raises(ProvenanceFailed, match="declared coroutine, not a Retrieval"):
            run(Declaring(lambda question: ["d"]))
    assert heard == []


def test_an_illegal_label_of_a_declaration_is_named_and_not_repeated() -> None:
    class Declaring(Answering):
        def get_retrieval_provenance(self) -> RetrievalProvenance:
            return RetrievalProvenance("c", f"{CANARY} x", "n", "p")

    with pytest.raises(ProvenanceFailed, match="raised InvalidLabel for model_rev") as refused:
        run(Declaring(lambda question: ["d"]))
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize("name", ["depth", "jobs", "batch", "warmup"])
@pytest.mark.parametrize("value", ["4", 1.5, True, None, -1], ids=str)
def test_what_is_no_whole_number_is_no_option(name: str, value: object) -> None:
    options: Any = {name: value}
    with pytest.raises(InvalidSetting, match=f"{name}: must be a whole number of at least"):
        EvaluateOptions(**options)


@pytest.mark.parametrize(
    "result",
    [
        ("d", "x"),
        [b"d", b"x"],
        np.array(["d", "x"]),
        (one for one in ("d", "x")),
        {"d": 1, "x": 2}.keys(),
        map(str, ["d", "x"]),
    ],
    ids=["tuple", "bytes", "numpy", "generator", "view", "map"],
)
def test_whatever_has_an_order_and_holds_ids_is_a_ranking(result: Any) -> None:
    found = run(Answering(lambda question: result), a_set(a_question("q", "d")))
    assert found.counts.answerable_top1_hits == 1
