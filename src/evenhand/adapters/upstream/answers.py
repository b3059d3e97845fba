"""How is an answer of HTTP read while it comes? By a parser of its own, and no further than wanted.

A small part of HTTP is wanted: a status, a number of seconds to wait, and a body that is held whole.
Each answer has its own parser, so nothing of one can be left over for the next.
"""

from __future__ import annotations

import asyncio
from typing import Final

import aiohttp
import httptools

_OK: Final = 200
#: How many bytes the lines before a body may have.
_MOST_HEAD: Final = 65_536
_LENGTH: Final = b"content-length"
_ENCODING: Final = b"transfer-encoding"
_RETRY_AFTER: Final = b"retry-after"


class Answer:
    """One answer, from the first byte to where nothing more of it is wanted.

    Args:
        limit: how many bytes the body may have, at least 1; no more than that is held.
        loop: in which it is waited for.

    Attributes:
        done: ends where the body is whole, where nothing more is wanted, or where nothing more
            will come: then it raises why.
        status: of HTTP, once the answer has begun; one that is only informative does not count.
        retry_after: as the server said it, in words.
        is_too_large: whether the body has more bytes than the limit.
        may_stay: whether all of it was read and the connection may carry another call.
    """

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        self.done: asyncio.Future[None] = loop.create_future()
        self.status: int | None = None
        self.retry_after: str | None = None
        self.is_too_large = False
        self.may_stay = False
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._head_size = 0
        self._is_whole = False
        self._ends_with_connection = True
        #: None once nothing more is read: it holds on to this answer, as this one does to it.
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        # What servers in use get wrong and what has one meaning all the same.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    @property
    def body(self) -> bytes:
        """What has come of the body."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def feed(self, data: bytes) -> None:
        """Read some bytes of it."""
        if self._parser is None:
            # Nobody asked for it.
            self.may_stay = False
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            # What follows a whole answer is no part of it; the connection is not used again.
            self.may_stay = False
            if not self._is_whole:
                self._fail(_unreadable(has_begun=self.status is not None))
                return
        if self.status is None:
            self._head_size += len(data)
            if self._head_size > _MOST_HEAD:
                self._fail(_unreadable(has_begun=False))
        elif self._is_whole or self.is_too_large or self.status != _OK:
            self._succeed()

    def end(self, error: BaseException | None) -> None:
        """Nothing more comes: the connection has ended."""
        self.may_stay = False
        if error is None and self.status is not None and self._ends_with_connection:
            self._succeed()
        else:
            self._fail(aiohttp.ServerDisconnectedError())

    def give_up(self) -> None:
        """It took too long."""
        self._fail(TimeoutError())

    def on_message_begin(self) -> None:
        """Something else begins behind a whole answer, or behind one that only informs."""
        self.may_stay = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep what is wanted of a line."""
        if self._is_whole:
            return
        name = name.lower()
        if name == _LENGTH:
            self._ends_with_connection = False
            # No number stands for one that is too large: the parser refuses it.
            self.is_too_large = value.isdigit() and int(value) > self._limit
        elif name == _ENCODING:
            self._ends_with_connection = False
        elif name == _RETRY_AFTER:
            self.retry_after = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Note the status."""
        if self._is_whole or self._parser is None:
            return
        status: int = self._parser.get_status_code()
        if 100 <= status < 200:
            # Its lines say nothing of the answer that follows.
            self.is_too_large, self.retry_after, self._ends_with_connection = False, None, True
        else:
            self.status = status

    def on_body(self, body: bytes) -> None:
        """Keep a piece, while all of them are within the limit."""
        if self._is_whole:
            return
        self._size += len(body)
        if self._size > self._limit:
            self.is_too_large = True
        else:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        """All of it is there."""
        if self.status is not None and not self._is_whole and self._parser is not None:
            self._is_whole = True
            self.may_stay = self._parser.should_keep_alive()

    def _succeed(self) -> None:
        self._parser = None
        if not self.done.done():
            self.done.set_result(None)

    def _fail(self, error: Exception) -> None:
        self._parser = None
        if not self.done.done():
            self.done.set_exception(error)


def _unreadable(*, has_begun: bool) -> Exception:
    return aiohttp.ClientPayloadError() if has_begun else ValueError("this is no answer of HTTP")
