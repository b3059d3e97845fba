"""A request goes on to its deployment and its vectors come back in the right order."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.system import SystemClock
from evenhand.core.errors.gateway import InvalidInput
from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.circuit import Circuit
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose, read_inputs
from evenhand.core.gateway.request import Attempt, failed_part
from evenhand.usecases.gateway.forwarding import Forwarding, Given, NotGiven, Wanted
from evenhand.usecases.ports import CallAbandoned
from evenhand.wire.embeddings import decode_request
from tests.cases_runner import load
from tests.gateway_builders import a_target
from tests.upstream_server import Received, embeddings, letters

TARGET = a_target()
IN_PROCESS = replace(TARGET, base_url=None, upstream_model=None, embedder="lengths")


class ScriptedUpstreams:
    """Upstreams that give what a test says; the world begins here."""

    def __init__(self, answer: Callable[[Received], Reply] | None = None) -> None:
        self.answer = answer or alphabet
        self.sent: list[bytes] = []
        self.embedded: list[tuple[tuple[str, ...], Purpose]] = []

    async def post(self, target: Target, content: bytes, *, limit: int) -> Reply:
        assert limit > 0
        self.sent.append(content)
        return self.answer(Received(path="", headers={}, body=content))

    async def embed(self, target: Target, texts: Sequence[str], purpose: Purpose) -> Reply:
        self.embedded.append((tuple(texts), purpose))
        return Reply(vectors=[[float(len(text))] for text in texts])

    def circuits(self) -> Mapping[str, Circuit]:
        return {}

    async def close(self) -> None:
        """Nothing is open."""


def alphabet(got: Received) -> Reply:
    return Reply(body=letters(got).body, status=200)


def forward(
    body: dict[str, Any] | bytes,
    upstreams: ScriptedUpstreams,
    *,
    target: Target = TARGET,
    batch: int | None = None,
    attempts: list[Attempt] | None = None,
) -> tuple[Given | NotGiven, list[Attempt]]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = decode_request(content)
    wanted = Wanted(
        body=content, asked=asked, inputs=read_inputs(asked.input, purpose=asked.purpose)
    )
    attempts = [] if attempts is None else attempts
    forwarding = Forwarding(
        upstreams, SystemClock(), target=target, wanted=wanted, batch=batch, attempts=attempts
    )
    return asyncio.run(forwarding.run()), attempts


def reply(found: Given | NotGiven) -> Any:
    assert isinstance(found, Given)
    return json.loads(found.content)


def data(found: Given | NotGiven) -> list[list[Any]]:
    return [[item["index"], item["embedding"]] for item in reply(found)["data"]]


def test_b_092_repeated_inputs_each_get_their_vector_in_order() -> None:
    case = load("B-092")
    upstreams = ScriptedUpstreams()
    replies = [
        data(forward({"model": "stable", "input": texts}, upstreams)[0])
        for texts in case["given"]["requests"]
    ]

    assert replies == case["expected"]["replies"]
    # Nothing was merged on the way either.
    assert [json.loads(sent)["input"] for sent in upstreams.sent] == case["given"]["requests"]


def test_b_103_a_long_request_is_split_and_put_together_in_order() -> None:
    case = load("B-103")
    upstreams = ScriptedUpstreams()
    body = {"model": "stable", "input": case["given"]["input"]}
    found, attempts = forward(body, upstreams, batch=case["given"]["upstream_limit"])

    assert [index for index, _ in data(found)] == case["expected"]["any_of"][1]["indexes"]
    assert [vector for _, vector in data(found)] == [[1.0], [2.0], [3.0], [4.0], [5.0]]
    assert [len(json.loads(sent)["input"]) for sent in upstreams.sent] == [2, 2, 1]
    assert reply(found)["usage"] == {"prompt_tokens": 5, "total_tokens": 5}
    assert [(one.part, one.number, one.count) for one in attempts] == [
        (0, 0, 2),
        (1, 0, 2),
        (2, 0, 1),
    ]


def test_b_103_a_part_that_fails_fails_the_whole_and_is_told() -> None:
    case = load("B-103")

    def script(got: Received) -> Reply:
        if got.json["input"] == ["c", "d"]:
            return Reply(failure=Failure.SERVER_ERROR, status=500)
        return alphabet(got)

    body = {"model": "stable", "input": case["given"]["input"]}
    found, attempts = forward(body, ScriptedUpstreams(script), batch=2)

    assert found == NotGiven(failure=Failure.SERVER_ERROR)
    assert failed_part(attempts) == case["given"]["fail_part"] - 1
    assert attempts[-1].upstream_status == 500
    assert len(attempts) == 2


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30), st.integers(1, 9))
def test_however_it_is_split_the_vectors_are_the_same(texts: list[str], batch: int) -> None:
    body = {"model": "stable", "input": texts}
    whole, _ = forward(body, ScriptedUpstreams())
    split, _ = forward(body, ScriptedUpstreams(), batch=batch)

    assert data(split) == data(whole)


def test_a_body_in_which_nothing_has_to_change_goes_on_byte_for_byte_both_ways() -> None:
    body = b'{ "input":["b"],\n "model" : "upstream-1"}'
    answer = embeddings([2.0], usage={"prompt_tokens": 1, "total_tokens": 1}, id="e-1")
    upstreams = ScriptedUpstreams(lambda _: Reply(body=answer, status=200))
    found, _ = forward(body, upstreams)

    assert upstreams.sent == [body]
    assert isinstance(found, Given)
    assert found.content == answer


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({"model": "stable", "input": "a"}, {"input": "a"}),
        ({"model": "upstream-1", "input": "a", "input_type": "query"}, {"input": "a"}),
        ({"model": "stable", "input": ["a"], "user": "u"}, {"input": ["a"], "user": "u"}),
        ({"model": "stable", "input": [1, 2]}, {"input": [1, 2]}),
        ({"model": "stable", "input": [[1, 2], [3]]}, {"input": [[1, 2], [3]]}),
        (
            {"model": "stable", "input": "a", "encoding_format": "base64", "dimensions": 1},
            {"input": "a", "encoding_format": "base64", "dimensions": 1},
        ),
    ],
)
def test_otherwise_the_route_becomes_the_upstreams_model_and_input_type_is_stripped(
    body: dict[str, Any], sent: dict[str, Any]
) -> None:
    count = 2 if body["input"] == [[1, 2], [3]] else 1
    answer = embeddings(*[[1.0]] * count)
    upstreams = ScriptedUpstreams(lambda _: Reply(body=answer, status=200))
    forward(body, upstreams)

    assert json.loads(upstreams.sent[0]) == {"model": "upstream-1", **sent}


def test_the_deployments_prefix_of_the_purpose_stands_before_each_text() -> None:
    target = replace(TARGET, query_prefix="query: ", document_prefix="passage: ")
    upstreams = ScriptedUpstreams()
    forward({"model": "upstream-1", "input": "a"}, upstreams, target=target)
    body = {"model": "stable", "input": ["a", "b"], "input_type": "document"}
    forward(body, upstreams, target=target)

    sent = [json.loads(content)["input"] for content in upstreams.sent]
    assert sent == ["query: a", ["passage: a", "passage: b"]]


def test_token_ids_have_no_text_to_put_an_instruction_before() -> None:
    upstreams = ScriptedUpstreams()
    with pytest.raises(InvalidInput):
        forward(
            {"model": "stable", "input": [1, 2]},
            upstreams,
            target=replace(TARGET, query_prefix="query: "),
        )
    with pytest.raises(InvalidInput):
        forward({"model": "stable", "input": [1, 2]}, upstreams, target=IN_PROCESS)
    assert upstreams.sent == []


def test_an_embedder_in_process_gets_texts_with_their_prefix() -> None:
    upstreams = ScriptedUpstreams()
    target = replace(IN_PROCESS, query_prefix="q: ")
    found, attempts = forward({"model": "stable", "input": ["a", "bc"]}, upstreams, target=target)

    assert data(found) == [[0, [4.0]], [1, [5.0]]]
    assert reply(found)["model"] == "stable"
    assert "usage" not in reply(found)
    assert upstreams.embedded == [(("q: a", "q: bc"), Purpose.QUERY)]
    assert [attempt.upstream_status for attempt in attempts] == [None]


@pytest.mark.parametrize("target", [TARGET, IN_PROCESS])
def test_a_deployment_has_one_dimension(target: Target) -> None:
    upstreams = ScriptedUpstreams()
    with pytest.raises(InvalidInput) as refused:
        forward({"model": "stable", "input": "a", "dimensions": 2}, upstreams, target=target)
    assert refused.value.field == "dimensions"
    assert (upstreams.sent, upstreams.embedded) == ([], [])
    body = {"model": "stable", "input": "a", "dimensions": 1}
    assert isinstance(forward(body, upstreams, target=target)[0], Given)


def test_a_call_that_its_client_did_not_wait_for_is_an_attempt() -> None:
    def leaving(_: Received) -> Reply:
        raise CallAbandoned

    attempts: list[Attempt] = []
    with pytest.raises(asyncio.CancelledError):
        forward({"model": "stable", "input": "a"}, ScriptedUpstreams(leaving), attempts=attempts)
    assert [(one.number, one.failure) for one in attempts] == [(0, Failure.ABANDONED)]


def test_a_call_that_was_still_to_be_made_when_its_client_left_is_none() -> None:
    def leaving(_: Received) -> Reply:
        raise asyncio.CancelledError

    attempts: list[Attempt] = []
    with pytest.raises(asyncio.CancelledError):
        forward({"model": "stable", "input": "a"}, ScriptedUpstreams(leaving), attempts=attempts)
    assert attempts == []


@pytest.mark.parametrize(
    ("dimensions", "vector", "expected"),
    [
        (None, [1.0], None),
        (None, [1.0, 2.0], Failure.WRONG_DIMENSION),
        (1, [1.0], None),
        (1, [1.0, 2.0], Failure.WRONG_DIMENSION),
    ],
)
def test_a_vector_has_the_dimension_of_the_deployment(
    dimensions: int | None, vector: list[float], expected: Failure | None
) -> None:
    body: dict[str, Any] = {"model": "stable", "input": "a"}
    if dimensions is not None:
        body["dimensions"] = dimensions
    upstreams = ScriptedUpstreams(lambda _: Reply(body=embeddings(vector), status=200))
    found, attempts = forward(body, upstreams)

    failure = found.failure if isinstance(found, NotGiven) else None
    assert failure is expected
    assert [attempt.failure for attempt in attempts] == [expected]


def in_turn(*replies: Reply) -> ScriptedUpstreams:
    waiting = list(replies)
    return ScriptedUpstreams(lambda _: waiting.pop(0))


GOOD = Reply(body=embeddings([1.0]), status=200)


@pytest.mark.parametrize(
    ("first", "is_repeated"),
    [
        (Reply(failure=Failure.CONNECT_FAILED), True),
        (Reply(failure=Failure.DISCONNECTED), False),
        (Reply(failure=Failure.TIMED_OUT), False),
        (Reply(failure=Failure.BUSY, status=429, retry_after=7), False),
        (Reply(failure=Failure.SERVER_ERROR, status=500), False),
        (Reply(body=b"{}", status=200), False),
    ],
)
def test_a_call_is_repeated_once_where_nobody_can_have_done_it(
    first: Reply, is_repeated: bool
) -> None:
    found, attempts = forward({"model": "stable", "input": "a"}, in_turn(first, GOOD))

    assert isinstance(found, Given) is is_repeated
    assert [attempt.number for attempt in attempts] == ([0, 1] if is_repeated else [0])
    assert attempts[0].failure is not None
    if isinstance(found, NotGiven):
        assert found.retry_after == first.retry_after


def test_a_call_is_not_repeated_for_ever() -> None:
    failed = Reply(failure=Failure.CONNECT_FAILED)
    found, attempts = forward({"model": "stable", "input": "a"}, in_turn(failed, failed, GOOD))

    assert found == NotGiven(failure=Failure.CONNECT_FAILED)
    assert len(attempts) == 2


def test_a_call_that_was_not_made_is_no_attempt() -> None:
    resting = Reply(failure=Failure.CIRCUIT_OPEN, retry_after=5, was_called=False)
    found, attempts = forward({"model": "stable", "input": "a"}, in_turn(resting))
    assert (found, attempts) == (NotGiven(failure=Failure.CIRCUIT_OPEN, retry_after=5), [])

    failed = Reply(failure=Failure.CONNECT_FAILED)
    found, attempts = forward({"model": "stable", "input": "a"}, in_turn(failed, resting))
    assert found == NotGiven(failure=Failure.CONNECT_FAILED)
    assert len(attempts) == 1


def test_an_answer_that_repeats_the_secret_is_written_anew_without_the_upstreams_words() -> None:
    body = embeddings([1.0], model="SECRET-h", note="SECRET-h")
    found, _ = forward(
        {"model": "stable", "input": "a"},
        in_turn(Reply(body=body, status=200, echoes_secret=True)),
    )

    assert isinstance(found, Given)
    assert b"SECRET" not in found.content
    assert reply(found)["model"] == "stable"


def test_usage_is_unknown_where_it_is_unknown_of_any_part() -> None:
    known = embeddings([1.0], usage={"prompt_tokens": 3, "total_tokens": 3})
    parts = in_turn(Reply(body=known, status=200), Reply(body=embeddings([1.0]), status=200))
    found, _ = forward({"model": "stable", "input": ["a", "a"]}, parts, batch=1)

    assert isinstance(found, Given)
    assert found.usage.prompt_tokens is None
    assert "usage" not in reply(found)


def test_vectors_of_zeros_are_counted() -> None:
    upstreams = in_turn(Reply(body=embeddings([0.0]), status=200))
    found, _ = forward({"model": "stable", "input": "a"}, upstreams)

    assert isinstance(found, Given)
    assert found.zero_vectors == 1
