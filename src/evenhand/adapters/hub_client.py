"""How does a result get to a hub? By one POST with a token, which goes nowhere else.

A redirect is a refusal, not a new address: it could carry the token or a result elsewhere. The
environment's proxies and stored logins are not consulted. What a hub answers is trusted for
nothing but what it says of itself: only words that read as codes and ids get into a message.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeVar

import httpcore2
import httpx2
import msgspec

from evenhand.adapters.formats.strict_json import decode_value
from evenhand.adapters.retrievers.deadline import DeadlineTransport, within
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.publication import HubRefused, HubUnavailable
from evenhand.usecases.ports import HubAnswer

T = TypeVar("T")

#: Seconds for one call, from the connection to the last byte of the answer.
TIMEOUT_SECONDS: Final = 60.0
#: Longest answer that is read, in bytes.
MAX_ANSWER_BYTES: Final = 2**20

_PATH: Final = "/api/v1/evaluations"
_CREATED: Final = 201
_OK: Final = 200
_FAULTS: Final = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
)
_Word = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,63}$")]
_Id = Annotated[str, msgspec.Meta(pattern="^[0-9a-f-]{36}$")]


class _Problem(msgspec.Struct):
    code: _Word


class _Evaluation(msgspec.Struct):
    id: _Id


class _Reason(msgspec.Struct):
    code: _Word


class _Verdict(msgspec.Struct):
    state: Literal["comparable", "baseline", "unknown", "mismatch"]
    reasons: list[_Reason]
    evaluation_id: _Id | None


class _Published(msgspec.Struct):
    evaluation: _Evaluation
    verdict: _Verdict


class HubClient:
    """A hub at an address; implements `ports.ResultHub`.

    Args:
        url: without a slash at its end and without a credential.
        token: of an operator, or of a service client that may publish evaluations.
        timeout_seconds: for one call.
    """

    def __init__(self, url: str, token: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._url = url + _PATH
        self._timeout_seconds = timeout_seconds
        self._client = httpx2.Client(
            headers={
                "authorization": f"Bearer {token}",
                "content-type": "application/json",
                "accept": "application/json",
            },
            timeout=timeout_seconds,
            follow_redirects=False,
            trust_env=False,
            transport=DeadlineTransport(),
        )

    def publish(self, body: bytes) -> HubAnswer:
        """Send one result.

        Args:
            body: JSON of `wire.publications.NewEvaluation`.

        Raises:
            HubRefused: the hub said no, by its code.
            HubUnavailable: no answer, or none of a hub.
        """
        status, content = self._ask(body)
        if status not in (_OK, _CREATED):
            raise _refusal(status, content)
        found = _decoded(content, _Published)
        if found is None:
            raise HubUnavailable("what answers there is no hub of this release")
        return HubAnswer(
            evaluation_id=found.evaluation.id,
            is_new=status == _CREATED,
            state=found.verdict.state,
            reasons=tuple(one.code for one in found.verdict.reasons),
            previous_id=found.verdict.evaluation_id,
        )

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _ask(self, body: bytes) -> tuple[int, bytes]:
        # Not chained: what the client says repeats the address.
        try:
            with within(self._timeout_seconds):
                return self._post(body)
        except httpcore2.TimeoutException:
            raise HubUnavailable("it did not answer in time") from None
        except _FAULTS:
            raise HubUnavailable("there is no connection to it") from None

    def _post(self, body: bytes) -> tuple[int, bytes]:
        received = bytearray()
        with self._client.stream("POST", self._url, content=body) as response:
            for content in response.iter_bytes():
                received += content
                if len(received) > MAX_ANSWER_BYTES:
                    raise HubUnavailable("its answer is longer than any of a hub")
            return response.status_code, bytes(received)


def _refusal(status: int, content: bytes) -> HubRefused | HubUnavailable:
    told = _decoded(content, _Problem)
    if told is not None and status >= 400:
        return HubRefused(told.code, status)
    return HubUnavailable(_no_hub(status))


def _decoded(content: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.convert(decode_value(content, "answer", None), kind)
    except (InvalidFile, msgspec.ValidationError):
        return None


def _no_hub(status: int) -> str:
    return f"what answers there is no hub (status {status})"
