"""How is a retriever asked over HTTP? By POST, with the JSON that `answers` describes.

A redirect is a failure, not a new address: it could carry a query or a credential elsewhere. The
environment's proxies and stored logins are not consulted.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

import httpcore2
import httpx2

from evenhand.adapters.retrievers import answers
from evenhand.adapters.retrievers.deadline import DeadlineTransport, within
from evenhand.adapters.retrievers.wrapped import grant
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import RetrievalFailed
from evenhand.core.privacy import scrub

DEFAULT_TIMEOUT_SECONDS: Final = 60.0
CONNECTION_FAILED: Final = "connection_failed"

_OK: Final = 200
#: Of the connection and of what came over it; the client has errors of its own beside.
_FAULTS: Final = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
)
_TOKEN: Final = re.compile(r"[!-~]+")


def require_url(url: str) -> str:
    """The URL, if it may be asked and holds no credential that one can see.

    Raises:
        InvalidSetting: it is no HTTP URL with a host, or holds a user, a password, a fragment or
            a query member that reads as a credential. The URL is never repeated.
    """
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or parts.fragment or not _TOKEN.fullmatch(url):
        raise InvalidSetting("retriever URL", "must be http:// or https:// with a host")
    if "@" in parts.netloc or scrub(url) != url:
        raise InvalidSetting(
            "retriever URL", "must hold no credentials; name a variable as token_env"
        )
    return url


class HttpRetriever:
    """A retriever behind a URL.

    Safe to call from several threads. Close it to end its connections.

    Args:
        identifier: name under which results are stored.
        url: see `require_url`.
        token: sent as a bearer token; None sends none.
        timeout_seconds: how long one question may take, from the connection to the last byte
            of the answer; only the look-up of the host's name is not counted.
        scored: whether it gives scores; it then has ``retrieve_scored``.

    Raises:
        InvalidSetting: the URL or the token cannot be used.
    """

    def __init__(
        self,
        identifier: str,
        url: str,
        *,
        token: str | None = None,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        scored: bool = False,
    ) -> None:
        self.identifier = identifier
        self._url = require_url(url)
        self._timeout_seconds = timeout_seconds
        headers = {"content-type": "application/json", "accept": "application/json"}
        if token is not None:
            if not _TOKEN.fullmatch(token):
                raise InvalidSetting("token_env", "names a variable that holds no bearer token")
            headers["authorization"] = f"Bearer {token}"
        self._client = httpx2.Client(
            headers=headers,
            timeout=timeout_seconds,
            follow_redirects=False,
            trust_env=False,
            transport=DeadlineTransport(),
        )
        if scored:
            grant(self, "retrieve_scored", self._retrieve_scored)

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first.

        Raises:
            RetrievalFailed: the code that the answer stated, or ``timeout``,
                ``connection_failed``, ``http_`` and a status other than 200,
                ``malformed_answer``, ``answer_too_large``, ``question_not_utf8``.
        """
        return answers.decode_ids(self._ask(question, limit))

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        return answers.decode_scored(self._ask(question, limit))

    def _ask(self, question: str, limit: int) -> bytes:
        request = answers.encode_request(question, limit)
        # Not chained: what the client says repeats the address.
        try:
            with within(self._timeout_seconds):
                return self._post(request)
        except httpcore2.TimeoutException:
            raise RetrievalFailed(answers.TIMEOUT) from None
        except _FAULTS:
            raise RetrievalFailed(CONNECTION_FAILED) from None

    def _post(self, request: bytes) -> bytes:
        received = bytearray()
        with self._client.stream("POST", self._url, content=request) as response:
            if response.status_code != _OK:
                raise RetrievalFailed(_status(response.status_code))
            for content in response.iter_bytes():
                received += content
                if len(received) > answers.MAX_ANSWER_BYTES:
                    raise RetrievalFailed(answers.TOO_LARGE)
        return bytes(received)


def _status(number: int) -> str:
    return f"http_{number}"
