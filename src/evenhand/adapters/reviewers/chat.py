"""How is a chat endpoint asked? One POST with a deadline, and an answer that is read strictly.

No text of the server leaves this module but the content of an answer with status 200: an error
may repeat the key or the prompt. No redirect is followed and no proxy of the environment is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

import httpcore2
import httpx2

from evenhand.adapters.formats.strict_json import decode_value
from evenhand.adapters.retrievers.deadline import DeadlineTransport, within
from evenhand.core.errors import InvalidFile, InvalidSetting
from evenhand.core.gateway.failure import read_retry_after
from evenhand.core.review.usage import Tokens

#: Longest answer that is read, in bytes.
MAX_ANSWER_BYTES: Final = 4 * 2**20
_PATH: Final = "/chat/completions"
_OK: Final = 200
_TOO_MANY: Final = 429
_FIRST_FAULT: Final = 500
#: What a server says that does not know a member of the request.
_NOT_UNDERSTOOD: Final = frozenset({400, 422})
_FAULTS: Final = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
)
_LONGEST_COUNT: Final = 2**53


class Missing(StrEnum):
    """Why there is no answer; the value is the class of the error that is recorded."""

    BUSY = "UPSTREAM_BUSY"
    FAILED = "UPSTREAM_FAILED"
    TIMED_OUT = "UPSTREAM_TIMED_OUT"
    UNREACHABLE = "UPSTREAM_UNREACHABLE"
    NOT_UNDERSTOOD = "UPSTREAM_DID_NOT_UNDERSTAND"
    REFUSED = "UPSTREAM_REFUSED"

    @property
    def may_pass(self) -> bool:
        """Whether the same call may be answered a little later."""
        return self not in (Missing.NOT_UNDERSTOOD, Missing.REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReply:
    """That there is no answer.

    Attributes:
        why: of it.
        retry_after: seconds that the server asked to wait, at least 0; None where it named none.
    """

    why: Missing
    retry_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer.

    Attributes:
        content: what the model wrote, whole; None where it wrote nothing, was cut off, refused,
            or the answer is none of a chat endpoint.
        tokens: as the server counted them; unknown where it told nothing that adds up.
    """

    content: str | None
    tokens: Tokens


class ChatEndpoint:
    """One endpoint; safe to use from one thread at a time. Close it to end its connections.

    Args:
        url: up to and with the version, such as ``https://models.example/v1``.
        secret: sent as a bearer token; None sends none.

    Raises:
        InvalidSetting: the address or the secret cannot be used; neither is repeated.
    """

    def __init__(self, url: str, *, secret: str | None = None) -> None:
        self.url = require_base_url(url)
        headers = {"content-type": "application/json", "accept": "application/json"}
        if secret is not None:
            if not secret.isascii() or not secret.isprintable() or not secret:
                raise InvalidSetting("api_key_env", "names a variable that holds no key")
            headers["authorization"] = f"Bearer {secret}"
        self._secret = None if secret is None else secret.encode()
        self._client = httpx2.Client(
            headers=headers,
            follow_redirects=False,
            trust_env=False,
            transport=DeadlineTransport(),
        )

    def ask(self, body: bytes, *, seconds: float) -> Reply | NoReply:
        """Make one call.

        Args:
            body: JSON.
            seconds: from the connection to the last byte of the answer, above 0.
        """
        try:
            with within(seconds):
                status, content, wait = self._post(body)
        except httpcore2.TimeoutException:
            return NoReply(why=Missing.TIMED_OUT)
        except _FAULTS:
            return NoReply(why=Missing.UNREACHABLE)
        if status != _OK:
            return NoReply(why=_why(status), retry_after=read_retry_after(wait))
        # An answer that repeats the key goes nowhere, not even into a rejected candidate.
        if self._secret is not None and self._secret in content:
            return Reply(content=None, tokens=Tokens())
        return read_reply(content)

    def is_repeated(self, text: str) -> bool:
        """Whether the key is in a text, such as one that JSON had written with escapes."""
        return self._secret is not None and self._secret in text.encode("utf-8", "replace")

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _post(self, body: bytes) -> tuple[int, bytes, str | None]:
        received = bytearray()
        with self._client.stream("POST", self.url + _PATH, content=body) as response:
            for content in response.iter_bytes():
                received += content
                if len(received) > MAX_ANSWER_BYTES:
                    return response.status_code, b"", None
            return response.status_code, bytes(received), response.headers.get("retry-after")


def require_base_url(url: str) -> str:
    """The address without a slash at its end, if it may be asked.

    Raises:
        InvalidSetting: it is none of HTTP, or holds a credential, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidSetting("base_url", "must be http:// or https:// with a host")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidSetting(
            "base_url", "must be scheme, host, port and path, without a credential"
        )
    return url.rstrip("/")


def read_reply(content: bytes) -> Reply:
    """What an answer with status 200 says; nothing in it is mended."""
    try:
        answer = decode_value(content, "answer", None)
    except InvalidFile:
        return Reply(content=None, tokens=Tokens())
    if not isinstance(answer, dict):
        return Reply(content=None, tokens=Tokens())
    return Reply(content=_content(answer.get("choices")), tokens=_tokens(answer.get("usage")))


def _content(choices: Any) -> str | None:
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    # An answer that was cut off may still read as JSON: what is missing of it is not known.
    if choices[0].get("finish_reason") != "stop" or not isinstance(message, dict):
        return None
    if message.get("refusal"):
        return None
    return _text(message.get("content"))


def _text(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [_part(one) for one in content]
    whole = [one for one in parts if one is not None]
    return "".join(whole) if whole and len(whole) == len(parts) else None


def _part(part: Any) -> str | None:
    if not isinstance(part, dict) or part.get("type") != "text":
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def _tokens(usage: Any) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    prompt, output = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if prompt is None or output is None or (cached or 0) > prompt:
        return Tokens()
    return Tokens(input=prompt - (cached or 0), cached_input=cached, output=output)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _LONGEST_COUNT else None


def _why(status: int) -> Missing:
    if status == _TOO_MANY:
        return Missing.BUSY
    if status >= _FIRST_FAULT:
        return Missing.FAILED
    return Missing.NOT_UNDERSTOOD if status in _NOT_UNDERSTOOD else Missing.REFUSED
