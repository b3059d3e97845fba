"""How does a process serve the hub until it is told to stop?"""

from __future__ import annotations

import gc
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TextIO

import uvicorn
from starlette.types import ASGIApp

from evenhand.core.errors import InvalidSetting
from evenhand.hub.observe import Log

#: How long requests in work may take to end once the process is told to stop.
GRACE_SECONDS: Final = 20
_BACKLOG: Final = 2048


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; who connects waits until requests are answered.

    Args:
        host: address or name.
        port: 0 takes one that is free.

    Raises:
        InvalidSetting: there is no such address here, or it is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidSetting("serve_host", _reason(error)) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        # Here, where it can be said that the port is taken: two may be bound to it, one listens.
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        raise InvalidSetting("serve_port", _reason(error)) from None
    made.set_inheritable(False)
    return made


def address_of(listening: socket.socket) -> str:
    """The URL of a socket that is bound."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine reaches a socket."""
    return ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def serve(
    app: ASGIApp, listening: socket.socket, *, log: TextIO, ready: Callable[[], None]
) -> None:
    """Answer requests until SIGTERM or Ctrl-C; then let those in work end.

    Args:
        app: the application.
        listening: of :func:`listen`.
        log: where lines of the log go.
        ready: called once requests are answered.

    Raises:
        KeyboardInterrupt: it was Ctrl-C that ended it.
    """
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        # Nothing asks for the address of who calls.
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )
    with _server_log(log), _ending_well():
        _Server(config, ready).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What is loaded stays. To look through it for garbage again and again would hold every
        # request up for a tenth of a second.
        gc.freeze()
        self._ready()


class _Lines(logging.Handler):
    """What the server says of itself: level and message without its values, which it got."""

    def __init__(self, log: TextIO) -> None:
        super().__init__(logging.WARNING)
        self._log = Log(log)

    def emit(self, record: logging.LogRecord) -> None:
        self._log.lines.warning("server", level_name=record.levelname, message=str(record.msg))


@contextmanager
def _server_log(log: TextIO) -> Iterator[None]:
    logger, handler = logging.getLogger("uvicorn"), _Lines(log)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


@contextmanager
def _ending_well() -> Iterator[None]:
    """To be told to stop is no failure: the server raises the signal anew when it has stopped."""

    def _heard(_number: int, _frame: FrameType | None) -> None:
        """Nothing is left to do."""

    before = signal.signal(signal.SIGTERM, _heard)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _reason(error: OSError) -> str:
    return f"cannot be listened on ({error.strerror or type(error).__name__})"
