"""How does one review read? As one trail, from its configuration to the reaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from evenhand.core.review.attempt import Attempt, Transition
from evenhand.core.review.feedback import (
    Dispatch,
    Placement,
    PlacementEvidence,
    placement_evidence,
)
from evenhand.core.review.job import AgentJob
from evenhand.core.review.observation import Observation
from evenhand.core.review.reaction import Reaction, current_responses
from evenhand.core.review.trail import FeedbackTrail, Trail
from evenhand.core.review.usage import Usage
from evenhand.reports import numbers
from evenhand.reports.review_words import (
    cohort_text,
    cost_text,
    known_text,
    output_text,
    tokens_text,
    truth_text,
    word_text,
)
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.view import Fact
from evenhand.reports.wording import UNKNOWN

_NOT_KEPT: Final = "unknown: not kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One attempt that ended."""

    number: int
    outcome: str
    key: str
    error: str
    worker: str
    ended: str
    output: str
    calls: str
    tokens: str
    cost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationRow:
    """What was found: what it says, by which criteria."""

    words: str
    key: str
    summary: str
    rationale: str
    criteria: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRow:
    """One composed unit, where it was put and what was said of it.

    Attributes:
        state: what the delivery policy decided, with the reason where it was withheld.
        recipient, channel: whom it is meant for, and where.
        body: what is kept of it.
        evidence: whether its channel said where it is.
        placements, dispatches, reactions: a line each; without a reaction that is unknown.
    """

    state: str
    recipient: str
    channel: str
    body: str
    evidence: str
    placements: tuple[str, ...]
    dispatches: tuple[str, ...]
    reactions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """That the review went from one state to another: when, by whom and why."""

    at: str
    attempt: int
    states: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailView:
    """One review, from its configuration to what came back; a part that is empty is none.

    Attributes:
        id: of the review.
        state, key: where it stands.
        asked: what is reviewed.
        identities: configuration, prompt and inputs.
        criteria: revisions of practices; name and number, and the id.
        attempts, observations, feedback, steps: in their order.
        refused: candidates that were refused: position and reason.
        accepted: whether people accepted the answer.
    """

    id: str
    state: str
    key: str
    asked: tuple[Fact, ...]
    identities: tuple[Fact, ...]
    criteria: tuple[tuple[str, str], ...]
    attempts: tuple[AttemptRow, ...]
    observations: tuple[ObservationRow, ...]
    refused: tuple[tuple[str, str], ...]
    feedback: tuple[FeedbackRow, ...]
    accepted: str
    steps: tuple[StepRow, ...]


def trail_view(trail: Trail) -> TrailView:
    """One review with everything that is stored of it."""
    job = trail.job
    used = {one.attempt: one for one in trail.usage}
    named = {one.id: f"{one.practice_name} revision {one.number}" for one in trail.revisions}
    said = trail.acceptances[-1].accepted if trail.acceptances else None
    return TrailView(
        id=job.id,
        state=word_text(job.state),
        key=job.state.value,
        asked=_asked(job),
        identities=_identities(job),
        criteria=tuple((shown_id(name), row) for row, name in named.items()),
        attempts=tuple(_attempt(one, used.get(one.attempt)) for one in trail.attempts),
        observations=tuple(_observation(one, named) for one in trail.observations),
        refused=tuple(
            ("the output" if one.position < 0 else str(one.position), word_text(one.reason))
            for one in trail.rejections
        ),
        feedback=tuple(map(_feedback, trail.feedback)),
        accepted=truth_text(said),
        steps=tuple(map(_step, trail.transitions)),
    )


def _asked(job: AgentJob) -> tuple[Fact, ...]:
    asked = job.submission
    return (
        Fact(name="Reviewed", value=f"{asked.artifact_kind.value} {shown_id(asked.artifact_id)}"),
        Fact(name="About", value=shown_id(asked.subject_id)),
        Fact(name="Submitted", value=numbers.instant_text(job.created_at)),
        Fact(name="Origin", value=word_text(asked.origin), note="only live reviews make rates"),
        Fact(name="Cohort", value=cohort_text(job), note=asked.cohort_kind.value),
        Fact(name="Case", value=known_text(asked.case_id)),
        Fact(name="Repository revision", value=known_text(asked.repository_revision)),
    )


def _identities(job: AgentJob) -> tuple[Fact, ...]:
    prepared = job.prepared
    prompt = None if prepared is None else prepared.prompt_digest
    return (
        Fact(name="Model", value=shown_id(job.effective_snapshot.model), note="as admitted"),
        Fact(
            name="Configuration",
            value=UNKNOWN if job.snapshot is None else job.snapshot.sha256,
            note="digest of the whole",
        ),
        Fact(name="Prompt", value=prompt or UNKNOWN, note="digest of the scaffolding"),
        Fact(
            name="Inputs",
            value=UNKNOWN if prepared is None else prepared.inputs_digest,
            note="digest of the staged files",
        ),
    )


def _attempt(one: Attempt, usage: Usage | None) -> AttemptRow:
    return AttemptRow(
        number=one.attempt,
        outcome=word_text(one.outcome),
        key=one.outcome.value,
        error="" if one.error_class is None else shown_id(one.error_class),
        worker=known_text(one.worker),
        ended=numbers.instant_text(one.ended_at),
        output=output_text(one.candidates),
        calls=UNKNOWN if usage is None else numbers.count(usage.calls, "call"),
        tokens=tokens_text(None if usage is None else usage.tokens),
        cost=UNKNOWN if usage is None else f"{cost_text(usage.cost)} ({word_text(usage.pricing)})",
    )


def _observation(one: Observation, named: Mapping[str, str]) -> ObservationRow:
    words = [word_text(one.presence)]
    words += [word_text(word) for word in (one.assessment, one.severity) if word is not None]
    criteria = named.get(one.practice_revision_id, one.practice_revision_id)
    return ObservationRow(
        words=", ".join(words),
        key="none" if one.assessment is None else one.assessment.value,
        summary=_NOT_KEPT if one.summary is None else shown_text(one.summary, limit=None),
        rationale="" if one.rationale is None else shown_text(one.rationale, limit=None),
        criteria=shown_id(criteria),
        paths=tuple(map(shown_id, one.paths or ())),
    )


def _feedback(trail: FeedbackTrail) -> FeedbackRow:
    one = trail.feedback
    why = "" if one.suppression_reason is None else f": {word_text(one.suppression_reason)}"
    evidence = placement_evidence(trail.placements, trail.dispatches)
    is_proven = evidence is PlacementEvidence.PROVEN
    return FeedbackRow(
        state=f"{word_text(one.state)}{why}",
        recipient=shown_id(one.recipient),
        channel=word_text(one.channel),
        body=_NOT_KEPT if one.body is None else shown_text(one.body, limit=None),
        evidence="proven by its channel" if is_proven else "none",
        placements=tuple(map(_placement, trail.placements)),
        dispatches=tuple(map(_dispatch, trail.dispatches)),
        reactions=_reactions(trail.reactions),
    )


def _placement(one: Placement) -> str:
    line = "" if one.line is None else f" line {one.line}"
    place = "" if one.path is None else f" at {shown_id(one.path)}{line}"
    return (
        f"{word_text(one.type)}{place}; the channel calls it {known_text(one.channel_reference)}"
    )


def _dispatch(one: Dispatch) -> str:
    failed = "" if one.error_class is None else f"; failed ({shown_id(one.error_class)})"
    return f"try {one.attempt}: acknowledged {known_text(one.acknowledgement)}{failed}"


def _reactions(reactions: Iterable[Reaction]) -> tuple[str, ...]:
    found = current_responses(reactions)
    return tuple(
        f"{shown_id(reactor)}: usefulness {_said(newest.usefulness)}, "
        f"resolution {_said(newest.resolution)}"
        for (_, reactor), newest in found.items()
    ) or (UNKNOWN,)


def _said(word: object) -> str:
    return UNKNOWN if word is None else str(word).replace("_", " ")


def _step(one: Transition) -> StepRow:
    states = word_text(one.to_state)
    if one.from_state is not None:
        states = f"{word_text(one.from_state)} to {states}"
    who = one.actor_kind.replace("_", " ")
    return StepRow(
        at=numbers.instant_text(one.at),
        attempt=one.attempt,
        states=states,
        actor=who if one.actor_id is None else f"{who} {shown_id(one.actor_id)}",
        reason=one.reason or "",
    )
