"""How does a program ask a hub? One call, one answer, no redirect and no proxy.

A redirect is a refusal, not a new address: it could carry the token elsewhere. The environment's
proxies and stored logins are not consulted. No message repeats the address, the token or a body.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import httpx2

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.refusals import refusal

#: Seconds that each wait of a call may take: to connect, to send, for the next bytes.
TIMEOUT_SECONDS: Final = 60.0
#: Longest answer that is read, in bytes.
MAX_ANSWER_BYTES: Final = 16 * 2**20

_FIRST_REFUSAL: Final = 400
_FIRST_REDIRECT: Final = 300
_LONGEST_TOKEN: Final = 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hub answered to a call that it took.

    Attributes:
        status: below 300.
        content: the body.
        request_id: by which the hub knows the call; None where it told none.
    """

    status: int
    content: bytes
    request_id: str | None


class Transport:
    """Calls to one hub; safe to use from several threads.

    Args:
        url: of the hub, without a credential.
        token: of a service client.
        timeout_seconds: see `TIMEOUT_SECONDS`.
        inner: how bytes get there; by default over the network.

    Raises:
        InvalidSetting: the address is none of HTTP, or holds a credential, or the token cannot be
            sent as a header.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        inner: httpx2.BaseTransport | None = None,
    ) -> None:
        self._base = _base(url)
        if not token.isascii() or not token.isprintable() or not 0 < len(token) <= _LONGEST_TOKEN:
            raise InvalidSetting("token", "is no token of a hub")
        self._client = httpx2.Client(
            headers={"authorization": f"Bearer {token}", "accept": "application/json"},
            timeout=timeout_seconds,
            follow_redirects=False,
            trust_env=False,
            transport=inner,
        )

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        """Make one call.

        Args:
            method: of HTTP.
            path: from the root of the hub, with a slash first.
            body: JSON; None for none.

        Raises:
            EvenhandError: what the hub refused, by its code (`sdk.refusals.refusal`).
            HubUnavailable: no answer, or none of a hub. Whether the call was carried out is then
                not known.
        """
        headers = {} if body is None else {"content-type": "application/json"}
        # Not chained: what the client says repeats the address.
        try:
            status, content, told = self._send(method, path, body, headers)
        except httpx2.TimeoutException:
            raise HubUnavailable("it did not answer in time", is_stored=False) from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise HubUnavailable("there is no connection to it", is_stored=False) from None
        if status >= _FIRST_REFUSAL:
            error = refusal(status, content, retry_after=told.get("retry-after"))
            if error is not None:
                raise error
        if status >= _FIRST_REDIRECT:
            raise HubUnavailable(_no_hub(status), is_stored=False)
        return Answer(status, content, told.get("x-request-id"))

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes, httpx2.Headers]:
        received = bytearray()
        with self._client.stream(
            method, self._base + path, content=body, headers=headers
        ) as response:
            for content in response.iter_bytes():
                received += content
                if len(received) > MAX_ANSWER_BYTES:
                    raise HubUnavailable("its answer is longer than any of a hub", is_stored=False)
            return response.status_code, bytes(received), response.headers


class Connected:
    """Something that asks one hub. Use it as a context manager, or close it.

    Args:
        url: of the hub, such as ``https://hub.example``.
        token: of the service client; it goes into no message and no log.
        timeout_seconds: that each wait of a call may take.
        transport: how bytes get there; by default over the network.

    Raises:
        InvalidSetting: the address or the token cannot be used.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._transport = Transport(url, token, timeout_seconds=timeout_seconds, inner=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections; what is in hand can then no longer be told."""
        self._transport.close()


def _no_hub(status: int) -> str:
    return f"what answers there is no hub (status {status})"


def _base(url: str) -> str:
    try:
        read = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise InvalidSetting("url", "is no address of HTTP") from None
    if read.scheme not in ("http", "https") or not read.host:
        raise InvalidSetting("url", "is no address of HTTP")
    if read.userinfo or read.query or read.fragment:
        raise InvalidSetting("url", "holds more than scheme, host, port and path")
    return str(read).rstrip("/")
