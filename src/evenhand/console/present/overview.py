"""What does the overview show?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import compare_address
from evenhand.console.parts import Mode
from evenhand.console.present.evaluation_rows import EvaluationRow, evaluation_row
from evenhand.console.present.verdicts import verdict_of
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.verdict import Verdict, VerdictState
from evenhand.reports import wording
from evenhand.usecases.comparisons import BASELINE
from evenhand.usecases.ports.browsing import BaselineEntry

#: What to type where nothing is stored yet, in the order in which it helps.
_ON_A_LAPTOP: Final = (
    "evenhand demo",
    "evenhand init",
    "evenhand run SET RETRIEVER",
)
#: Of a result before which there is none of its series.
_FIRST_WORD: Final = "First"
_FIRST: Final = "nothing earlier"
_NONE_SET: Final = "none set"
_ITSELF: Final = "is the baseline itself"
_ON_A_HUB: Final = ("evenhand evaluations publish latest --project NAME",)


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """A new evaluation with what it may be held against.

    Attributes:
        record: the evaluation.
        previous: the result before it, of its series; None where there is none.
        baseline: the active one of its set and retriever; None where none was set.
    """

    record: EvaluationRecord
    previous: EvaluationRecord | None
    baseline: BaselineEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The verdict on an evaluation against something else.

    Attributes:
        against: what it was held against.
        state, word: the verdict.
        dimensions: what moved, or that there is nothing earlier; empty where nothing moved.
        address: where the difference is shown; empty unless comparable.
    """

    against: str
    state: VerdictState
    word: str
    dimensions: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """An evaluation on the overview.

    Attributes:
        row: what came out.
        held: the verdicts on it, against the previous one first.
        unheld: why it is held against no baseline; empty where it is.
    """

    row: EvaluationRow
    held: tuple[Held, ...]
    unheld: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewView:
    """What is new.

    Attributes:
        latest: evaluations with their verdicts, newest first.
        commands: what to run where there are none; empty otherwise.
    """

    latest: tuple[Latest, ...]
    commands: tuple[str, ...]


def build_overview(latest: Sequence[New], *, now: datetime, mode: Mode) -> OverviewView:
    """The overview.

    Args:
        latest: what is new, newest first.
        now: aware UTC.
        mode: whose console it is; what to run next differs.
    """
    commands = _ON_A_LAPTOP if mode is Mode.LAPTOP else _ON_A_HUB
    return OverviewView(
        latest=tuple(_latest(one, now=now) for one in latest),
        commands=() if latest else commands,
    )


def _latest(new: New, *, now: datetime) -> Latest:
    pinned = None if new.baseline is None else new.baseline.evaluation_id
    unheld = _NONE_SET if new.baseline is None else ""
    if pinned == new.record.id:
        unheld = _ITSELF
    return Latest(row=evaluation_row(new.record, now=now), held=_held(new), unheld=unheld)


def _held(new: New) -> tuple[Held, ...]:
    record, previous, baseline = new.record, new.previous, new.baseline
    address = "" if previous is None else compare_address(previous.id, record.id)
    cards = [_one("previous", verdict_of(record, previous), address)]
    if baseline is not None and baseline.evaluation_id != record.id:
        address = compare_address(BASELINE, record.id)
        cards.append(_one("baseline", verdict_of(record, baseline), address))
    return tuple(cards)


def _one(against: str, verdict: Verdict, address: str) -> Held:
    is_first = verdict.state is VerdictState.BASELINE
    moved = [wording.dimension_word(one.dimension) for one in verdict.reasons]
    return Held(
        against=against,
        state=verdict.state,
        # Beside a column of baselines the word of that state would say that this is one.
        word=_FIRST_WORD if is_first else wording.state_word(verdict.state),
        dimensions=_FIRST if is_first else ", ".join(moved),
        address=address if verdict.is_comparable else "",
    )
