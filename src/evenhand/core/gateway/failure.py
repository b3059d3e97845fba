"""What went wrong with a deployment, may it be tried again, and what may the client be told?

A failure is a word of this module. What an upstream said in its own words goes nowhere: it
may repeat a text, or the key that it was sent.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

#: How often one call may be made in all.
MAX_ATTEMPTS: Final = 2
#: The longest wait that a client is told of, in seconds: a day.
MAX_RETRY_AFTER: Final = 86_400

_DIGITS: Final = 6


class Failure(StrEnum):
    """Why a call to a deployment gave no vectors. The value is its stable code."""

    # The upstream's answer as such.
    BUSY = "upstream_busy"
    UNAVAILABLE = "upstream_unavailable"
    CREDENTIAL_REFUSED = "upstream_refused_credential"
    REQUEST_REFUSED = "upstream_refused_request"
    REDIRECTED = "upstream_redirected"
    SERVER_ERROR = "upstream_error"
    UNEXPECTED_STATUS = "upstream_unexpected_status"
    # The way to it.
    CONNECT_FAILED = "upstream_unreachable"
    CERTIFICATE_REFUSED = "upstream_certificate_refused"
    ADDRESS_BLOCKED = "upstream_address_blocked"
    DISCONNECTED = "upstream_disconnected"
    TIMED_OUT = "upstream_timed_out"
    TRUNCATED = "answer_truncated"
    # What it gave as vectors.
    TOO_LARGE = "answer_too_large"
    NO_ANSWER = "answer_unreadable"
    WRONG_COUNT = "wrong_count"
    MISSING_INDEX = "missing_index"
    DUPLICATE_INDEX = "duplicate_index"
    INDEX_OUT_OF_RANGE = "index_out_of_range"
    INVALID_VECTOR = "invalid_vector"
    WRONG_DIMENSION = "wrong_dimension"
    # It was not called.
    CIRCUIT_OPEN = "circuit_open"
    OVERLOADED = "deployment_overloaded"
    SECRET_MISSING = "upstream_secret_missing"  # noqa: S105 -- a code
    # Nobody waited for the answer any more.
    ABANDONED = "client_left"
    # An embedder inside this process.
    EMBEDDER_FAILED = "embedder_failed"

    @property
    def is_unsent(self) -> bool:
        """Whether nothing of the request can have reached the upstream."""
        return self in _UNSENT

    @property
    def says_down(self) -> bool:
        """Whether it speaks for the deployment being down, so that its circuit counts it."""
        return self in _DOWN

    @property
    def meaning(self) -> str:
        """In half a sentence, for the client; names nothing that anybody sent."""
        return _MEANING[self]


_UNSENT: Final = frozenset({Failure.CONNECT_FAILED})
_DOWN: Final = frozenset(
    {
        Failure.UNAVAILABLE,
        Failure.SERVER_ERROR,
        Failure.CONNECT_FAILED,
        Failure.DISCONNECTED,
        Failure.TIMED_OUT,
        Failure.TRUNCATED,
        Failure.EMBEDDER_FAILED,
    }
)
_MEANING: Final = {
    Failure.BUSY: "its upstream is busy",
    Failure.UNAVAILABLE: "its upstream is not available",
    Failure.CREDENTIAL_REFUSED: "its upstream does not accept the hub's credential",
    Failure.REQUEST_REFUSED: "its upstream does not accept the request",
    Failure.REDIRECTED: "its upstream points elsewhere, which is not followed",
    Failure.SERVER_ERROR: "its upstream had an error",
    Failure.UNEXPECTED_STATUS: "its upstream answered with a status that is not known",
    Failure.CONNECT_FAILED: "its upstream cannot be reached",
    Failure.CERTIFICATE_REFUSED: "the certificate of its upstream is not trusted",
    Failure.ADDRESS_BLOCKED: "the address of its upstream is not allowed",
    Failure.DISCONNECTED: "its upstream ended the connection without an answer",
    Failure.TIMED_OUT: "its upstream did not answer in time",
    Failure.TRUNCATED: "the answer of its upstream ended early",
    Failure.TOO_LARGE: "the answer of its upstream is too large",
    Failure.NO_ANSWER: "the answer of its upstream cannot be read",
    Failure.WRONG_COUNT: "its upstream gave another number of vectors than asked for",
    Failure.MISSING_INDEX: "its upstream gave a vector without an index",
    Failure.DUPLICATE_INDEX: "its upstream gave two vectors for one input",
    Failure.INDEX_OUT_OF_RANGE: "its upstream gave a vector for an input that was not sent",
    Failure.INVALID_VECTOR: "its upstream gave a vector that is empty or not of finite numbers",
    Failure.WRONG_DIMENSION: "its upstream gave a vector of another dimension",
    Failure.CIRCUIT_OPEN: "its upstream failed repeatedly and rests",
    Failure.OVERLOADED: "too many requests wait for it",
    Failure.SECRET_MISSING: "the secret for its upstream is not set",
    Failure.ABANDONED: "nobody waited for its answer",
    Failure.EMBEDDER_FAILED: "its embedder failed",
}


def failure_of_status(status: int) -> Failure | None:
    """What the status of an upstream's answer means; None where an answer is to be read.

    Args:
        status: of HTTP; only 200 promises vectors.

    Source: settled 23; cases B-097, B-098, B-118.
    """
    named = {
        200: None,
        401: Failure.CREDENTIAL_REFUSED,
        403: Failure.CREDENTIAL_REFUSED,
        429: Failure.BUSY,
        503: Failure.UNAVAILABLE,
    }
    if status in named:
        return named[status]
    family = {
        3: Failure.REDIRECTED,
        4: Failure.REQUEST_REFUSED,
        5: Failure.SERVER_ERROR,
    }
    return family.get(status // 100, Failure.UNEXPECTED_STATUS)


def may_retry(failure: Failure, *, attempts: int) -> bool:
    """Whether a call may be made once more without the risk that it is done, or paid, twice.

    That is so where no connection came about. Of one over which the call went out nobody can tell
    whether its other end read it, however soon it was closed.

    Args:
        failure: of the last attempt.
        attempts: made so far, at least 1.
    """
    return attempts < MAX_ATTEMPTS and failure.is_unsent


def read_retry_after(text: str | None) -> int | None:
    """The seconds that an upstream asks to wait, None where it names none.

    The other form, a date, depends on two clocks and is not read; text of another shape is not
    passed on, since an upstream's words reach nobody.

    Source: case B-097.
    """
    if text is None or len(text) > _DIGITS or not (text.isascii() and text.isdecimal()):
        return None
    return min(int(text), MAX_RETRY_AFTER)
