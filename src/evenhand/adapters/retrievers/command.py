"""How is a program asked? It is started once and answers JSON lines on its standard streams.

One request line at a time goes to its standard input, one answer line comes back; `answers` says
which. Its standard error stays what it is for this process, and nobody here reads it. A line that
is no answer, an exit or silence fails that question only: the program is ended and started again
for the next one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from evenhand.adapters.retrievers import answers
from evenhand.adapters.retrievers.program import Program
from evenhand.adapters.retrievers.wrapped import grant
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import RetrievalFailed, RetrieverNotFound

DEFAULT_TIMEOUT_SECONDS: Final = 60.0

Result = TypeVar("Result")


def split_command(command: str, folder: Path, reference: str) -> tuple[str, ...]:
    """The program and its arguments, split as a shell would and never given to one.

    Args:
        command: what follows ``cmd:``.
        folder: where the program will run.
        reference: what messages call it.

    Raises:
        InvalidSetting: it is empty or a quotation does not end.
        RetrieverNotFound: there is no such program.
    """
    try:
        arguments = tuple(shlex.split(command))
    except ValueError:
        # Not chained and not repeated: an argument may be a secret.
        raise InvalidSetting("cmd", "has a quotation that does not end") from None
    if not arguments:
        raise InvalidSetting("cmd", "names no program")
    program = arguments[0]
    if shutil.which(str(folder / program) if os.sep in program else program) is None:
        raise RetrieverNotFound(reference, why="the program was not found")
    return arguments


class CommandRetriever:
    """A program that answers JSON lines.

    Safe to call from several threads, one question at a time. Close it, or use it as a context
    manager, to end the program.

    Args:
        identifier: name under which results are stored.
        arguments: the program and its arguments.
        folder: where it runs.
        timeout_seconds: how long one question may take, the start of the program included.
        scored: whether it gives scores; it then has ``retrieve_scored``.
    """

    def __init__(
        self,
        identifier: str,
        arguments: tuple[str, ...],
        *,
        folder: Path,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        scored: bool = False,
    ) -> None:
        self.identifier = identifier
        self._arguments = arguments
        self._folder = folder
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._running: Program | None = None
        if scored:
            grant(self, "retrieve_scored", self._retrieve_scored)

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first.

        Raises:
            RetrievalFailed: the code that the program stated, or ``timeout``,
                ``command_exited``, ``command_not_started``, ``malformed_answer``,
                ``answer_too_large``, ``question_not_utf8``.
        """
        with self._lock:
            return self._checked(answers.decode_ids, self._exchange(question, limit))

    def close(self) -> None:
        """End the program, if it runs."""
        with self._lock:
            if self._running is not None:
                self._running.end()
                self._running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        with self._lock:
            return self._checked(answers.decode_scored, self._exchange(question, limit))

    def _exchange(self, question: str, limit: int) -> bytes:
        request = answers.encode_request(question, limit) + b"\n"
        deadline = time.monotonic() + self._timeout_seconds
        if self._running is not None and self._running.has_spoken():
            # It ended after its last answer, or said something nobody asked for; what it says
            # next could be taken for the answer to another question.
            self._kill()
        if self._running is None:
            self._running = Program(self._arguments, self._folder)
        try:
            return self._running.exchange(request, deadline)
        except BaseException:
            # Ctrl-C included: the answer to this question may still be on its way.
            self._kill()
            raise

    def _checked(self, decode: Callable[[bytes], Result], line: bytes) -> Result:
        try:
            return decode(line)
        except RetrievalFailed as error:
            if error.code == answers.MALFORMED:
                self._kill()
            raise

    def _kill(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running = None
