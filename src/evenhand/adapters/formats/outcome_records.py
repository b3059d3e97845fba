"""How do outcomes, counts and what was declared stand in a file? Shared by every format with them.

Types and ranges are those of the database's columns, so that what reads well can be stored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from evenhand.core.errors import InvalidFile
from evenhand.core.identity.stored import StoredIdentity, from_stored
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.outcome_rules import find_broken_rule
from evenhand.core.scoring.protocols import HitCounts, count_hits

T = TypeVar("T")

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Grade = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1)]
Fingerprint = Annotated[str, msgspec.Meta(pattern="^v1:[0-9a-f]{64}$")]
Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

#: msgspec's own words that name a type or a key; any other message may hold a value.
_SAFE: Final = re.compile(
    r"(Expected|Object missing required field|Object contains unknown field)"
)
_PLACE: Final = re.compile(r" - at `([^`]*)`$")


class CountsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whole numbers, recomputed from the outcomes when a file is read."""

    questions: Whole
    answerable: Whole
    no_answer: Whole
    failed: Whole
    unjudged: Whole
    top1_hits: Whole
    top3_hits: Whole
    answerable_top1_hits: Whole
    answerable_top3_hits: Whole
    abstained: Whole
    false_abstained: Whole


class ConditionsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What latencies depend on; the machine is a label of its kind and names no host."""

    machine: str
    jobs: Positive
    warmup: Whole
    batch: Positive


class ProvenanceRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was declared, with the labels and the protocol that it was measured against."""

    corpusRevision: str  # noqa: N815 -- interchange names
    modelRevision: str  # noqa: N815
    chunkingIdentity: str  # noqa: N815
    pipelineIdentity: str  # noqa: N815
    executionRevision: str | None  # noqa: N815
    labelsFingerprint: Fingerprint  # noqa: N815
    scoringVersion: str  # noqa: N815


class OutcomeRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One question's contribution: no id, no text. A judged hit is a rank and a grade."""

    position: Whole
    state: Literal["scored", "failed", "unjudged"]
    targets: Whole | None
    retrieved: Whole | None
    window: Whole | None
    judged_hits: list[tuple[Positive, Grade]]
    latency_ms: Milliseconds | None
    error_class: Name | None
    # Absent in files from before grades were kept.
    judged_grades: list[Grade] | None = None


def convert(value: object, kind: type[T], file: str) -> T:
    """A decoded JSON value as a record.

    Raises:
        InvalidFile: it is not one; the message names the place and no value.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InvalidFile(file, _rule(str(error))) from None


def read_outcomes(records: Sequence[OutcomeRecord], file: str) -> tuple[Outcome, ...]:
    """Outcomes by position.

    Raises:
        InvalidFile: there are none, or one could not have come out of an evaluation.
    """
    if not records:
        raise InvalidFile(file, "outcomes: there are none")
    outcomes = tuple(map(_outcome, records))
    broken = find_broken_rule(outcomes)
    if broken is not None:
        raise InvalidFile(file, _broken(broken.place, broken.rule))
    return outcomes


def require_counts(stated: CountsRecord, outcomes: tuple[Outcome, ...], file: str) -> HitCounts:
    """The counts of some outcomes, if a file states the same.

    Raises:
        InvalidFile: it states others; the message names them.
    """
    counted = count_hits(outcomes)
    wrong = [name for name in _COUNT_NAMES if getattr(counted, name) != getattr(stated, name)]
    if wrong:
        raise InvalidFile(file, _miscounted(wrong))
    return counted


def read_counts(stated: CountsRecord, file: str) -> HitCounts:
    """Counts as they are stated, where there are no outcomes to count.

    Raises:
        InvalidFile: they contradict each other.
    """
    counts = HitCounts(**msgspec.to_builtins(stated))
    consistent = (
        counts.questions == counts.answerable + counts.no_answer
        and counts.top1_hits == counts.answerable_top1_hits + counts.abstained
        and counts.top3_hits == counts.answerable_top3_hits + counts.abstained
        and counts.top3_hits + counts.failed <= counts.questions
        and counts.answerable_top1_hits <= counts.answerable_top3_hits
        and counts.answerable_top3_hits + counts.false_abstained <= counts.answerable
        and counts.abstained <= counts.no_answer
    )
    if not consistent:
        raise InvalidFile(file, "counts: contradict each other")
    return counts


def require_identity(
    provenance: ProvenanceRecord, benchmark: str, variant: str, file: str
) -> StoredIdentity:
    """What was declared, if the fingerprints are those of the declaration.

    Raises:
        InvalidFile: a label is not legal, or a fingerprint is another one.
    """
    identity = from_stored(msgspec.to_builtins(provenance), benchmark, variant)
    if identity is None:
        raise InvalidFile(file, "provenance: the fingerprints are not those of this declaration")
    return identity


def outcome_record(outcome: Outcome) -> OutcomeRecord:
    """The record of an outcome."""
    return OutcomeRecord(
        position=outcome.position,
        state=outcome.state.value,
        targets=outcome.targets,
        retrieved=outcome.retrieved,
        window=outcome.window,
        judged_hits=[(hit.rank, hit.grade) for hit in outcome.judged_hits],
        latency_ms=outcome.latency_ms,
        error_class=outcome.error_class,
        judged_grades=None if outcome.judged_grades is None else list(outcome.judged_grades),
    )


_COUNT_NAMES: Final = tuple(field.name for field in fields(HitCounts))


def _outcome(record: OutcomeRecord) -> Outcome:
    return Outcome(
        position=record.position,
        state=OutcomeState(record.state),
        targets=record.targets,
        retrieved=record.retrieved,
        window=record.window,
        judged_hits=tuple(JudgedHit(rank, grade) for rank, grade in record.judged_hits),
        latency_ms=record.latency_ms,
        error_class=record.error_class,
        judged_grades=None if record.judged_grades is None else tuple(record.judged_grades),
    )


def _rule(message: str) -> str:
    found = _PLACE.search(message)
    place = "" if found is None else f"{found[1].removeprefix('$').removeprefix('.')}: "
    words = message[: None if found is None else found.start()]
    return place + (words if _SAFE.match(words) else "holds a value that the format does not know")


def _broken(place: int, rule: str) -> str:
    return f"outcomes[{place}]: {rule}"


def _miscounted(names: list[str]) -> str:
    return f"counts: counting the outcomes gives other numbers: {', '.join(names)}"
