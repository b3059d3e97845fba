"""Answers of HTTP, however they come in pieces."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.upstream.answers import Answer

OK = b"HTTP/1.1 200 OK\r\n"
PLAIN = OK + b"Content-Length: 5\r\n\r\nhello"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
BUSY = b"HTTP/1.1 429 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno"
CONTINUE = b"HTTP/1.1 100 Continue\r\nRetry-After: 9\r\n\r\n"


def heard(*said: bytes, limit: int = 100, ends: bool = False) -> Answer:
    """An answer after these bytes, and after the end of its connection."""

    async def run() -> Answer:
        answer = Answer(limit, asyncio.get_running_loop())
        for one in said:
            answer.feed(one)
        if ends:
            answer.end(None)
        return answer

    return asyncio.run(run())


def error(answer: Answer) -> type[BaseException]:
    raised = answer.done.exception()
    assert raised is not None
    return type(raised)


@given(
    whole=st.sampled_from((PLAIN, CHUNKED, CONTINUE + PLAIN, CONTINUE + CONTINUE + CHUNKED)),
    cuts=st.lists(st.integers(1, 120), max_size=6),
)
def test_it_is_the_same_wherever_its_pieces_are_cut(whole: bytes, cuts: Sequence[int]) -> None:
    places = [0, *sorted({cut for cut in cuts if cut < len(whole)}), len(whole)]
    answer = heard(*(whole[a:b] for a, b in pairwise(places)))

    assert (answer.status, answer.body, answer.retry_after) == (200, b"hello", None)
    assert answer.done.result() is None
    assert answer.may_stay


def test_a_body_without_a_length_ends_with_its_connection() -> None:
    whole = heard(OK + b"\r\nhel", b"lo", ends=True)
    assert (whole.done.result(), whole.body, whole.may_stay) == (None, b"hello", False)

    assert not heard(OK + b"\r\nhel").done.done()


@pytest.mark.parametrize("said", [(), (OK,), (PLAIN[:-1],), (CHUNKED[:-2],), (CONTINUE,)])
def test_an_end_before_all_of_it_came_is_a_connection_that_was_lost(said: tuple[bytes]) -> None:
    assert error(heard(*said, ends=True)) is aiohttp.ServerDisconnectedError


def test_what_is_no_http_is_told_from_what_breaks_off() -> None:
    assert error(heard(b"SSH-2.0\r\n")) is ValueError
    assert error(heard(CHUNKED.replace(b"2\r\n", b"zz\r\n"))) is aiohttp.ClientPayloadError
    upgraded = b"HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
    assert error(heard(upgraded)) is ValueError


@pytest.mark.parametrize(
    "piece", [b"X: " + b"y" * 1000 + b"\r\n", b"y" * 1000], ids=["many", "long"]
)
def test_lines_before_the_body_have_a_limit(piece: bytes) -> None:
    assert error(heard(OK, *([piece] * 1000))) is ValueError


def test_of_a_failure_nothing_more_is_waited_for() -> None:
    answer = heard(BUSY[:-2])
    assert answer.done.done()
    assert (answer.status, answer.retry_after, answer.may_stay) == (429, "7", False)
    assert heard(BUSY).may_stay


@pytest.mark.parametrize("more", [b"H", PLAIN, b"x"])
@pytest.mark.parametrize("is_apart", [True, False])
def test_after_what_nobody_asked_for_the_connection_does_not_stay(
    more: bytes, is_apart: bool
) -> None:
    answer = heard(PLAIN, more) if is_apart else heard(PLAIN + more)

    assert (answer.done.result(), answer.body, answer.may_stay) == (None, b"hello", False)


@pytest.mark.parametrize("line", [b"Connection: close\r\n", b""])
def test_a_server_that_closes_is_not_asked_again(line: bytes) -> None:
    version = b"HTTP/1.1" if line else b"HTTP/1.0"
    answer = heard(PLAIN.replace(b"HTTP/1.1", version).replace(b"Content", line + b"Content"))

    assert (answer.body, answer.may_stay) == (b"hello", False)


@pytest.mark.parametrize("whole", [PLAIN, CHUNKED])
def test_no_more_than_the_limit_is_held(whole: bytes) -> None:
    assert not heard(whole, limit=5).is_too_large
    answer = heard(whole, limit=4)

    assert answer.done.result() is None
    assert answer.is_too_large
    assert len(answer.body) <= 4


@pytest.mark.parametrize(
    "end",
    [lambda one: one.feed(PLAIN), lambda one: one.end(None), lambda one: one.give_up()],
    ids=["whole", "lost", "late"],
)
def test_it_goes_without_the_collector_of_garbage(end: Callable[[Answer], None]) -> None:
    async def run() -> bool:
        answer = Answer(100, asyncio.get_running_loop())
        end(answer)
        answer.done.exception()
        gone = weakref.ref(answer)
        del answer
        return gone() is None

    gc.disable()
    try:
        assert asyncio.run(run())
    finally:
        gc.enable()
