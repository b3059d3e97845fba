"""How are lines exchanged with a child process, within a time and without a thread?"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from pathlib import Path
from typing import IO, Final

from evenhand.adapters.retrievers.answers import MALFORMED, MAX_ANSWER_BYTES, TIMEOUT, TOO_LARGE
from evenhand.core.errors.retrieval import RetrievalFailed

EXITED: Final = "command_exited"
NOT_STARTED: Final = "command_not_started"

_CHUNK: Final = 65_536
_GRACE_SECONDS: Final = 2.0


class Program:
    """A running program that is sent one line at a time and answers each with one line.

    It leads a process group of its own: Ctrl-C reaches this process only, which then ends it, and
    whatever it started ends with it.

    Args:
        arguments: the program and its arguments; no shell is involved.
        folder: where it runs.

    Raises:
        RetrievalFailed: ``command_not_started``.
    """

    def __init__(self, arguments: tuple[str, ...], folder: Path) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- the user's own command, no shell
                arguments,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise RetrievalFailed(NOT_STARTED) from error
        assert self._process.stdin is not None  # noqa: S101 -- a pipe was asked for
        assert self._process.stdout is not None  # noqa: S101 -- likewise
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        # A program that does not read must not block the write past the deadline.
        os.set_blocking(self._input.fileno(), False)
        # Also at the exit of this process, should nobody close.
        self._finalizer = weakref.finalize(self, _end, self._process)

    def has_spoken(self) -> bool:
        """Whether there is output that nobody asked for, or its end."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            return bool(selector.select(timeout=0))

    def exchange(self, request: bytes, deadline: float) -> bytes:
        """Send a line and give the line that answers it, without its end.

        Args:
            request: the line with its end.
            deadline: on the monotonic clock, in seconds.

        Raises:
            RetrievalFailed: ``timeout``, ``command_exited``, ``answer_too_large``, or
                ``malformed_answer`` where more than one line comes. The program is then of no
                more use: which answer belongs to which question is unknown.
        """
        unsent = memoryview(request)
        received = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            is_complete = False
            while not is_complete:
                ready = selector.select(timeout=max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise RetrievalFailed(TIMEOUT)
                files = [key.fileobj for key, _ in ready]
                if self._input in files:
                    unsent = self._send(unsent)
                    if not unsent:
                        selector.unregister(self._input)
                if self._output in files:
                    content = self._receive(len(received))
                    received += content
                    is_complete = b"\n" in content
        line, _, more = bytes(received).partition(b"\n")
        if more or unsent:
            raise RetrievalFailed(MALFORMED)
        return line

    def end(self) -> None:
        """End the program: its input closes, then it is told to end, then it is made to."""
        self._finalizer()

    def kill(self) -> None:
        """End the program and what it started at once."""
        if self._process.poll() is None:
            _signal(self._process, signal.SIGKILL)
        self._finalizer()

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._input.fileno(), unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except BrokenPipeError as error:
            raise RetrievalFailed(EXITED) from error

    def _receive(self, held: int) -> bytes:
        content = os.read(self._output.fileno(), _CHUNK)
        if not content:
            raise RetrievalFailed(EXITED)
        if held + len(content) > MAX_ANSWER_BYTES:
            raise RetrievalFailed(TOO_LARGE)
        return content


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
            return
        _signal(process, number)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        # Not yet waited for, so the number still is this program's, and that of its group.
        os.killpg(process.pid, number)
