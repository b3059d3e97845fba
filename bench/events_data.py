"""Which events are measured, and what is said of a measurement?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from evenhand.contracts.events import Event, validate_event
from evenhand.core.identity.canonical import sha256_hex

PROJECT = "01990000-0000-7000-e001-000000000001"
START = datetime(2026, 7, 29, tzinfo=UTC)
#: What is the same for all of them.
COMMON = {
    "account_id": "acct_" + "a" * 24,
    "release": "2026.07.3",
    "evaluator_version": "grounding_rubric_v2",
    "outcome": "evaluated",
    "benchmark": "v1:" + "b" * 64,
    "review_stratum": "c" * 64,
    "timestamp_utc": "2026-07-29T00:00:00Z",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What some work used, as microseconds of one event.

    Attributes:
        wall: on the clock.
        cpu: user and system, of the processes that did it.
        mib: most memory that they held; None where it was not looked at.
    """

    wall: float
    cpu: float
    mib: float | None = None

    def __str__(self) -> str:
        held = "" if self.mib is None else f", {self.mib:.0f} MiB"
        return f"{self.wall:.3g} us (CPU {self.cpu:.3g}{held})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison: medians of the rounds, and the median of their ratios.

    Attributes:
        name: what was measured.
        peer: what it is compared with.
        ours: medians of ours.
        theirs: medians of the other.
        ratio: how many times as fast ours is; where ``is_most``, how many times as long it takes.
        goal: what the ratio has to reach, or must not pass; None for none.
        is_most: whether the goal is a greatest value.
    """

    name: str
    peer: str
    ours: Used
    theirs: Used
    ratio: float
    goal: float | None
    is_most: bool = False

    @property
    def missed(self) -> bool:
        """Whether there is a goal and it is missed."""
        if self.goal is None:
            return False
        return self.ratio > self.goal if self.is_most else self.ratio < self.goal

    def __str__(self) -> str:
        said = f"  {self.name:36} {self.ours!s:34} {self.peer} {self.theirs}  {self.ratio:.3g} ×"
        if self.goal is None:
            return said
        sign = "≤" if self.is_most else "≥"
        return f"{said}  goal {sign} {self.goal} ×: {'missed' if self.missed else 'met'}"


def compared(  # noqa: PLR0913 -- what one row is made of
    name: str,
    peer: str,
    ours: Sequence[Used],
    theirs: Sequence[Used],
    *,
    goal: float | None,
    is_most: bool = False,
    by_cpu: bool = False,
) -> Row:
    """The row of two ways that were measured in the same rounds, by the clock or by CPU."""
    times = [[one.cpu if by_cpu else one.wall for one in each] for each in (ours, theirs)]
    pairs = zip(*times, strict=True)
    ratios = [one / two if is_most else two / one for one, two in pairs]
    return Row(
        name=name,
        peer=peer,
        ours=_median(ours),
        theirs=_median(theirs),
        ratio=statistics.median(ratios),
        goal=goal,
        is_most=is_most,
    )


def used(work: Callable[[], object], number: int) -> Used:
    """What some work in this process used for so many events."""
    # It begins anew with what is held now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return Used(wall=wall / number * 1e6, cpu=cpu / number * 1e6, mib=int(peak) / 1024)


def make_events(number: int, mark: str) -> Iterator[Event]:
    """Events that differ as those of a team do; those of another mark have other ids."""
    for place in range(number):
        digest = sha256_hex(f"{mark}{place}".encode())
        event = validate_event(
            COMMON
            | {
                "event_id": f"evt_{digest[:24]}",
                "evaluation_id": f"eval_{digest[24:48]}",
                "retrieval_version": f"hybrid_v{place % 7}",
                "prompt_version": f"prompt_v{place % 5}",
                "retrieval_score": (place % 101) / 100,
                "grounded": place % 3 > 0,
                "accepted": place % 2 > 0,
                "duration_ms": place % 5_000,
            }
        )
        at = START + timedelta(milliseconds=place)
        yield msgspec.structs.replace(event, timestamp_utc=at)


def _median(found: Sequence[Used]) -> Used:
    middle = {}
    for one in fields(Used):
        values = [getattr(each, one.name) for each in found]
        middle[one.name] = None if None in values else statistics.median(values)
    return Used(**middle)
