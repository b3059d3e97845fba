import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.gateway.failure import (
    MAX_ATTEMPTS,
    MAX_RETRY_AFTER,
    Failure,
    failure_of_status,
    may_retry,
    read_retry_after,
)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, None),
        (204, Failure.UNEXPECTED_STATUS),
        (307, Failure.REDIRECTED),
        (400, Failure.REQUEST_REFUSED),
        (401, Failure.CREDENTIAL_REFUSED),
        (403, Failure.CREDENTIAL_REFUSED),
        (404, Failure.REQUEST_REFUSED),
        (422, Failure.REQUEST_REFUSED),
        (429, Failure.BUSY),
        (500, Failure.SERVER_ERROR),
        (503, Failure.UNAVAILABLE),
    ],
)
def test_what_a_status_of_an_upstream_means(status: int, expected: Failure | None) -> None:
    assert failure_of_status(status) is expected


@given(st.integers(100, 999))
def test_no_status_but_200_promises_vectors(status: int) -> None:
    assert (failure_of_status(status) is None) is (status == 200)


@given(st.sampled_from(Failure), st.integers(1, 5))
def test_a_call_is_repeated_only_where_it_cannot_be_done_twice(
    failure: Failure, attempts: int
) -> None:
    expected = attempts < MAX_ATTEMPTS and failure is Failure.CONNECT_FAILED

    assert may_retry(failure, attempts=attempts) is expected


def test_every_failure_has_words_of_its_own() -> None:
    meanings = [failure.meaning for failure in Failure]
    assert len(set(meanings)) == len(Failure)


def test_being_busy_or_wrong_does_not_say_that_it_is_down() -> None:
    down = {failure for failure in Failure if failure.says_down}

    assert Failure.BUSY not in down
    assert Failure.WRONG_COUNT not in down
    assert Failure.REQUEST_REFUSED not in down
    assert {Failure.CONNECT_FAILED, Failure.TIMED_OUT, Failure.SERVER_ERROR} <= down


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("999999", MAX_RETRY_AFTER),
        (None, None),
        ("", None),
        ("-1", None),
        ("1.5", None),
        (" 7", None),
        ("\u0667", None),
        ("9" * 5000, None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("SECRET-q", None),
    ],
)
def test_seconds_to_wait_are_read_and_nothing_else(text: str | None, seconds: int | None) -> None:
    assert read_retry_after(text) == seconds
