"""What does only the machine know: the time, new ids, what it is, what is checked out on it?

Everything here is handed down as a value or behind a protocol of `usecases.ports`, so that the
rest of the package gives the same answer twice.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from evenhand.core.access.credential import SECRET_BYTES
from evenhand.core.identity.canonical import json_ascii_v1_digest

_GIT_SECONDS: Final = 10
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
#: A look at a repository neither writes its index nor runs a monitor or a hook that it names.
_GIT: Final = (
    *("git", "--no-optional-locks"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
)

_COUNTER_BITS: Final = 42
_TAIL_BITS: Final = 32


class SystemClock:
    """The clock of this process."""

    def now(self) -> datetime:
        """Aware UTC, to the microsecond."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some moment, for durations only; never goes back."""
        return time.perf_counter()


class UuidV7Ids:
    """Row ids of this process: UUIDv7, each greater than the one before it.

    A counter of 42 bits follows the milliseconds, so that ids of one millisecond, or ids made
    while the clock goes back, still rise. Safe to call from several threads.

    Args:
        milliseconds: Unix time in whole milliseconds, by default the system's.

    Source: RFC 9562, 5.7 and 6.2 (method 1).
    """

    def __init__(self, milliseconds: Callable[[], int] | None = None) -> None:
        self._milliseconds = milliseconds or _unix_milliseconds
        self._lock = threading.Lock()
        self._last = -1
        self._counter = 0

    def new(self) -> str:
        """A new id as text: 36 characters, lowercase."""
        with self._lock:
            self._step()
            instant, counter = self._last, self._counter
        high, low = counter >> 30, counter & 0x3FFF_FFFF
        value = (
            (instant & 0xFFFF_FFFF_FFFF) << 80
            | 0x7 << 76
            | high << 64
            | 0b10 << 62
            | low << _TAIL_BITS
            | secrets.randbits(_TAIL_BITS)
        )
        return str(uuid.UUID(int=value))

    def _step(self) -> None:
        now = self._milliseconds()
        if now > self._last:
            self._last = now
            # The top bit is left free: room to count before the milliseconds must move on.
            self._counter = secrets.randbits(_COUNTER_BITS - 1)
            return
        self._counter += 1
        if self._counter >> _COUNTER_BITS:
            self._last += 1
            self._counter = secrets.randbits(_COUNTER_BITS - 1)


class SystemSecrets:
    """Random bytes of this machine's operating system, for tokens."""

    def new(self) -> bytes:
        """32 bytes that nobody can guess."""
        return secrets.token_bytes(SECRET_BYTES)


def machine_label(facts: Mapping[str, object] | None = None) -> str:
    """A label of this machine's kind, which latencies and floating point depend on.

    Args:
        facts: what is known of the machine, by default `platform_facts()`.

    Returns:
        ``machine:`` and 16 hex digits of a digest. No host name and no address goes in, so equal
        machines have equal labels.
    """
    known = platform_facts() if facts is None else facts
    return f"machine:{json_ascii_v1_digest(dict(known))[:16]}"


def platform_facts() -> dict[str, object]:
    """What this machine is: system, processor, cores that this process may use, Python."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": _usable_cores(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """What git says of a folder.

    Attributes:
        label: ``git:`` and the commit, with ``-dirty`` where a tracked file differs from it or an
            untracked, not ignored file is there (it may be the very code that runs). None is
            unknown.
        why: the reason why it is unknown, None where it is known.
        is_inside: whether there is a repository around the folder.
    """

    label: str | None = None
    why: str | None = None
    is_inside: bool = True


def execution_revision(folder: Path) -> str | None:
    """The label of `checkout_of`."""
    return checkout_of(folder).label


def checkout_of(folder: Path) -> Checkout:
    """The git commit that a folder is at.

    It is unknown outside a repository, before the first commit, where git is missing or slow,
    and in a folder of which the repository around it tracks nothing: that one's commit says
    nothing about the code in the folder, were it a clone, a download or an ignored folder.

    Args:
        folder: any folder inside a work tree.
    """
    top = _git(folder, "rev-parse", "--show-toplevel")
    if top is None:
        return Checkout(why="the folder is in no git repository that can be read", is_inside=False)
    is_top = Path(top).resolve() == folder.resolve()
    if not is_top and not _git(folder, "ls-files", "--", "."):
        return Checkout(why="the git repository around the folder tracks nothing in it")
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None or not _COMMIT.fullmatch(commit):
        return Checkout(why="the git repository has no commit yet")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=normal")
    if changes is None:
        return Checkout(why="git does not say whether the checkout has changes")
    return Checkout(label=f"git:{commit}-dirty" if changes else f"git:{commit}")


def version_of(distribution: str) -> str:
    """Version of an installed distribution; ``unknown`` where it has no metadata."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed command without a shell
            (*_GIT, "-C", str(folder), *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _unix_milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _processor() -> str:
    """The processor's model; Linux tells it in a file, other systems through `platform`."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor()


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
