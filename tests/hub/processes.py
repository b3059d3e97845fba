"""Hubs as processes of their own, each on a port of this machine that is free."""

import json
import os
import signal
import subprocess
import sys
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2

PATIENCE = 60


class Process:
    """A hub process.

    Attributes:
        said: the JSON that it printed once it answered; it is waited for.
    """

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        self._errors = (folder / "errors.txt").open("ab+")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evenhand", *options, "serve", "--port", "0", "--json"],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), **settings},
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    @cached_property
    def said(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        text = b""
        for line in self._process.stdout:
            text += line
            if line == b"}\n":
                break
        # It ended before it answered.
        assert text, self.errors
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def get(self, path: str, token: str | None = None) -> httpx2.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx2.get(self.said["address"] + path, headers=headers, timeout=PATIENCE)

    def tell(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The exit code after a signal."""
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


class RoundRobin(httpx2.BaseTransport):
    """Puts each request to the next of several hubs, as a proxy before them would."""

    def __init__(self, addresses: list[str]) -> None:
        self._turn = cycle([httpx2.URL(address) for address in addresses])
        self._transport = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        address = next(self._turn)
        request.url = request.url.copy_with(host=address.host, port=address.port)
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()
