"""An embedder in this process is loaded once and called in a thread of its own."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from evenhand.adapters.upstream.in_process import InProcess
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose


class Lengths:
    """The vector of a text is its length."""

    name = "lengths"
    label = "lengths@1"
    dimension = 1
    batch_policy = "alone"
    settings: Mapping[str, str | int] = {}

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.kinds: list[str] = []

    def embed(self, texts: Sequence[str], kind: str = "query") -> Any:
        self.threads.add(threading.current_thread().name)
        self.kinds.append(kind)
        if "canary" in texts:
            raise ValueError(texts)
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def embedding(made: InProcess, *calls: tuple[list[str], Purpose]) -> list[Reply]:
    async def run() -> list[Reply]:
        try:
            return [await made.call(*call) for call in calls]
        finally:
            made.close()

    return asyncio.run(run())


def test_vectors_come_in_the_order_of_the_texts_from_one_thread() -> None:
    embedder, loads = Lengths(), list[int]()

    def load() -> Lengths:
        loads.append(1)
        return embedder

    made = InProcess(load, seconds=30)
    first, second = embedding(made, (["a", "abc"], Purpose.QUERY), (["ab"], Purpose.DOCUMENT))

    assert (first.vectors, second.vectors) == ([[1.0], [3.0]], [[2.0]])
    assert embedder.kinds == ["query", "document"]
    assert len(loads) == len(embedder.threads) == 1
    assert threading.current_thread().name not in embedder.threads


def test_an_error_of_the_model_is_a_failure_without_its_words() -> None:
    (reply,) = embedding(InProcess(Lengths, seconds=30), (["canary"], Purpose.QUERY))

    assert reply == Reply(failure=Failure.EMBEDDER_FAILED)


def test_a_model_that_cannot_be_loaded_is_a_failure_of_each_call() -> None:
    def broken() -> Any:
        raise OSError("no such model")

    replies = embedding(InProcess(broken, seconds=30), *[(["a"], Purpose.QUERY)] * 2)
    assert [reply.failure for reply in replies] == [Failure.EMBEDDER_FAILED] * 2


def test_a_model_that_is_slow_is_not_waited_for() -> None:
    hold = threading.Event()

    class Slow(Lengths):
        def embed(self, texts: Sequence[str], kind: str = "query") -> Any:
            hold.wait()
            return super().embed(texts, kind)

    async def run() -> Reply:
        made = InProcess(Slow, seconds=0.05)
        try:
            return await made.call(["a"], Purpose.QUERY)
        finally:
            hold.set()
            made.close()

    assert asyncio.run(run()).failure is Failure.TIMED_OUT


@pytest.mark.parametrize(
    "given",
    [
        np.ones(1),
        np.ones((1, 1, 1)),
        np.float64(3),
        np.array([["a"]]),
        np.array([[None]]),
        np.ones((1, 1), complex),
        np.ones((1, 1), bool),
        np.ones((1, 1), np.longdouble),
        [[1.0]],
        None,
    ],
)
def test_what_is_no_table_of_numbers_is_a_failure_of_the_model(given: Any) -> None:
    class Odd(Lengths):
        def embed(self, texts: Sequence[str], kind: str = "query") -> Any:
            return given

    (reply,) = embedding(InProcess(Odd, seconds=30), (["a"], Purpose.QUERY))
    assert reply == Reply(failure=Failure.EMBEDDER_FAILED)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int32, np.uint8])
def test_numbers_of_every_usual_kind_are_vectors(kind: Any) -> None:
    class Ones(Lengths):
        def embed(self, texts: Sequence[str], purpose: str = "query") -> Any:
            return np.ones((len(texts), 2), kind)

    (reply,) = embedding(InProcess(Ones, seconds=30), (["a"], Purpose.QUERY))
    assert reply.vectors == [[1, 1]]
