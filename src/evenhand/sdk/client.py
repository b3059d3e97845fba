"""What can a service client ask of a hub? Its assigned work, a claim, and an embedding."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx2
import msgspec

from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.answers import STRANGE, path_part, read_answer
from evenhand.sdk.claim import ClaimSession
from evenhand.sdk.transport import TIMEOUT_SECONDS, Connected
from evenhand.wire import claims as wire
from evenhand.wire.intents import PATH, USUAL, Assigned, Comparison

_ROOT: Final = "/api/v1" + PATH
_EMBEDDINGS: Final = "/v1/embeddings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """One vector, and the request that proves it.

    Attributes:
        vector: as the deployment gave it.
        request_id: the gateway's public id of the request.
    """

    vector: tuple[float, ...]
    request_id: str


class _Vector(msgspec.Struct):
    embedding: list[float]


class _Vectors(msgspec.Struct):
    data: list[_Vector]


class _Question(msgspec.Struct):
    model: str
    input: str


class HubClient(Connected):
    """A hub, for one service client with ``rag.embedding@1``; made as `Connected` is.

    Args:
        url, token, timeout_seconds, transport: see `Connected`.
        monotonic: seconds that never go back, by which a claim knows its lease.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.BaseTransport | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(url, token, timeout_seconds=timeout_seconds, transport=transport)
        self._monotonic = monotonic

    def list_assigned(self, *, limit: int = USUAL) -> list[Comparison]:
        """The client's comparisons that have not ended, oldest first.

        Args:
            limit: 1 to 100.

        Raises:
            EvenhandError: as `Transport.ask`.
        """
        answer = self._transport.ask("GET", f"{_ROOT}/assigned?limit={limit:d}")
        return read_answer(answer, Assigned).items

    def claim(self, comparison_id: str) -> ClaimSession:
        """Take a comparison. There is one claim for each; a lost answer cannot be asked for again.

        Returns:
            The claim, kept alive inside ``with``.

        Raises:
            AlreadyClaimed, TargetChanged, EvenhandError: as the hub refuses it.
        """
        # Before the call: the lease counts from an instant that is later than this.
        asked_at = self._monotonic()
        path = f"{_ROOT}/{path_part(comparison_id)}"
        answer = self._transport.ask("POST", f"{path}/claim")
        return ClaimSession(
            self._transport,
            read_answer(answer, wire.Claimed),
            path=path,
            asked_at=asked_at,
            monotonic=self._monotonic,
        )

    def embed(self, model: str, text: str) -> Embedded:
        """The vector of one text, as it is, through the gateway.

        Args:
            model: name of a route.
            text: the only input of the request, unchanged.

        Raises:
            UpstreamFailed: the deployment gave no vector.
            EvenhandError: as the hub refuses it.
            HubUnavailable: no answer, or one without the request's id, which proves nothing.
        """
        body = msgspec.json.encode(_Question(model=model, input=text))
        answer = self._transport.ask("POST", _EMBEDDINGS, body)
        try:
            found = msgspec.json.decode(answer.content, type=_Vectors).data
        except msgspec.DecodeError:
            raise HubUnavailable(STRANGE, is_stored=False) from None
        if len(found) != 1 or answer.request_id is None:
            raise HubUnavailable(STRANGE, is_stored=False)
        return Embedded(vector=tuple(found[0].embedding), request_id=answer.request_id)
