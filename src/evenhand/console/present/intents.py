"""How does a selected model comparison look: in a list, and how far it has come?

States by word and sentence. A state tells what the hub was told and what time it is; of a program
elsewhere it says nothing, and neither do these sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import intent_address
from evenhand.console.present.times import Moment, moment
from evenhand.core.comparison.concluded import Concluded
from evenhand.core.comparison.intent import (
    ACTIVE,
    DEADLINE_PASSED,
    HELD,
    LEASE_EXPIRED,
    RESTORE_INTERRUPTED,
    Intent,
    IntentState,
)
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_text

#: How often a browser asks how far a comparison has come.
POLL_SECONDS: Final = 3
_SENTENCES: Final[Mapping[IntentState, str]] = {
    IntentState.PENDING: "It waits until its consumer claims it. Nothing here starts a program.",
    IntentState.RUNNING: "Its consumer has claimed it and reports how far it has come.",
    IntentState.CANCEL_REQUESTED: (
        "Its consumer is asked to start no further work; the comparison ends when it says so, or "
        "when the claim runs out."
    ),
    IntentState.COMPLETED: "Its consumer published both sides, and the hub scored them.",
    IntentState.FAILED: "Its consumer ended it without a result.",
    IntentState.CANCELLED: "It was cancelled; there is no result.",
    IntentState.INTERRUPTED: (
        "Its claim ended without a word of its consumer. That program may still run: look at it "
        "before another comparison is prepared."
    ),
}
_WHY: Final[Mapping[str, str]] = {
    LEASE_EXPIRED: "its claim was not renewed within 120 seconds",
    DEADLINE_PASSED: "an hour had passed since the claim",
    RESTORE_INTERRUPTED: "the database was restored from a backup",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StateView:
    """Where a comparison stands.

    Attributes:
        key: the state, as styles and programs know it.
        word: for people.
        sentence: what it means, and what it does not.
        code: why it failed or was interrupted; empty without.
        why: the same in words; empty where only its consumer knows.
    """

    key: str
    word: str
    sentence: str
    code: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountView:
    """How many cases of one side its consumer reports as done.

    Attributes:
        name: of the side.
        done: so far.
        total: of all cases.
    """

    name: str
    done: int
    total: int

    @property
    def text(self) -> str:
        """``3 of 40``."""
        return numbers.fraction_text(self.done, self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView:
    """How far a comparison has come; what is asked for again and again.

    Attributes:
        id: of the comparison.
        state: where it stands.
        version: to be given with a cancellation.
        counts: of both sides.
        claimed, expires, deadline, finished: times of the claim; None where there is none.
        is_active: whether it may still change.
        is_held: whether it is under a claim.
        poll_seconds: how often to ask again; 0 for never.
        progress_address: where to ask.
    """

    id: str
    state: StateView
    version: int
    counts: tuple[CountView, ...]
    claimed: Moment | None
    expires: Moment | None
    deadline: Moment | None
    finished: Moment | None
    is_active: bool
    is_held: bool
    poll_seconds: int
    progress_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRow:
    """A comparison in a list.

    Attributes:
        id: of the comparison.
        address: of its page.
        prepared: when.
        state: where it stands.
        title: both sides.
        binding: project and binding.
        cases: how many were reported as done, of how many.
        result: what came of it in a few words; empty before.
        is_active: whether something may still come of it.
    """

    id: str
    address: str
    prepared: Moment
    state: StateView
    title: str
    binding: str
    cases: str
    result: str
    is_active: bool


def state_view(intent: Intent) -> StateView:
    """Where a comparison stands."""
    code = intent.error_code or ""
    return StateView(
        key=intent.state.value,
        word=state_word(intent.state),
        sentence=_SENTENCES[intent.state],
        code=shown_text(code),
        why=_WHY.get(code, ""),
    )


def state_word(state: IntentState) -> str:
    """The state for people: ``cancel requested``."""
    return state.value.replace("_", " ")


def progress_view(intent: Intent, *, now: datetime) -> ProgressView:
    """How far a comparison has come.

    Args:
        intent: as it is stored.
        now: aware UTC.
    """
    pins = intent.pins
    is_active = intent.state in ACTIVE
    is_held = intent.state in HELD
    return ProgressView(
        id=intent.id,
        state=state_view(intent),
        version=intent.version,
        counts=(
            CountView(name="current", done=intent.current_completed, total=pins.case_count),
            CountView(name="candidate", done=intent.candidate_completed, total=pins.case_count),
        ),
        claimed=_moment(intent.claimed_at, now),
        # What an ended claim once was good for says nothing any more.
        expires=_moment(intent.claim_expires_at, now) if is_held else None,
        deadline=_moment(intent.deadline_at, now) if is_held else None,
        finished=_moment(intent.finished_at, now),
        is_active=is_active,
        is_held=is_held,
        poll_seconds=POLL_SECONDS if is_active else 0,
        progress_address=f"{intent_address(intent.id)}/progress",
    )


def intent_rows(
    told: Sequence[tuple[Intent, Concluded | None]],
    *,
    names: Mapping[str, str],
    now: datetime,
) -> tuple[IntentRow, ...]:
    """Comparisons of a list, in its order.

    Args:
        told: each with what came of it.
        names: of deployments, bindings and projects, by id.
        now: aware UTC.
    """
    return tuple(_row(intent, concluded, names, now) for intent, concluded in told)


def title_of(intent: Intent, names: Mapping[str, str]) -> str:
    """Both sides by name: ``small → large``."""
    pins = intent.pins
    return f"{_name(names, pins.current.deployment_id)} → {_name(names, pins.candidate.deployment_id)}"


def result_words(concluded: Concluded) -> str:
    """What came of a comparison in a few words; never more than is known."""
    summary = concluded.summary
    if not summary.comparable:
        return "not comparable"
    if not summary.complete:
        failed = summary.current.failed + summary.candidate.failed
        return f"incomplete: {numbers.count(failed, 'failed case')}"
    return "eligible" if summary.eligible else "not eligible"


def _row(
    intent: Intent, concluded: Concluded | None, names: Mapping[str, str], now: datetime
) -> IntentRow:
    pins = intent.pins
    done = min(intent.current_completed, intent.candidate_completed)
    return IntentRow(
        id=intent.id,
        address=intent_address(intent.id),
        prepared=moment(intent.created_at, now=now),
        state=state_view(intent),
        title=title_of(intent, names),
        binding=f"{_name(names, pins.project_id)} / {_name(names, pins.binding_id)}",
        cases=numbers.fraction_text(done, pins.case_count),
        result="" if concluded is None else result_words(concluded),
        is_active=intent.state in ACTIVE,
    )


def _name(names: Mapping[str, str], row_id: str) -> str:
    return names.get(row_id, wording.UNKNOWN)


def _moment(at: datetime | None, now: datetime) -> Moment | None:
    return None if at is None else moment(at, now=now)
