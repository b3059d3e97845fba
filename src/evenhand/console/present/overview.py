"""What does the overview show?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.parts import Mode
from evenhand.console.present.evaluation_rows import EvaluationRow, evaluation_rows
from evenhand.core.scoring.evaluation import EvaluationRecord

#: What to type where nothing is stored yet, in the order in which it helps.
_ON_A_LAPTOP: Final = (
    "evenhand demo",
    "evenhand init",
    "evenhand run SET RETRIEVER",
)
_ON_A_HUB: Final = ("evenhand evaluations publish latest --project NAME",)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewView:
    """What is new.

    Attributes:
        latest: evaluations, newest first.
        commands: what to run where there are none; empty otherwise.
    """

    latest: tuple[EvaluationRow, ...]
    commands: tuple[str, ...]


def build_overview(
    records: Sequence[EvaluationRecord], *, now: datetime, mode: Mode
) -> OverviewView:
    """The overview.

    Args:
        records: the latest, newest first.
        now: aware UTC.
        mode: whose console it is; what to run next differs.
    """
    commands = _ON_A_LAPTOP if mode is Mode.LAPTOP else _ON_A_HUB
    return OverviewView(
        latest=evaluation_rows(records, now=now), commands=() if records else commands
    )
