"""What can be compared with what? Stored results beside the verdict on each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evenhand.console.addresses import compare_address
from evenhand.console.present.evaluation_rows import EvaluationRow, evaluation_row
from evenhand.console.present.verdicts import verdict_of
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.verdict import VerdictState
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_text
from evenhand.usecases.comparisons import BASELINE
from evenhand.usecases.ports.browsing import BaselineEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A stored result that another one could be compared with.

    Attributes:
        row: the result.
        state, word: the verdict on the two.
        dimensions: what moved; empty where nothing did, or is known.
        address: where the two are compared.
    """

    row: EvaluationRow
    state: VerdictState
    word: str
    dimensions: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineProposal:
    """The pinned baseline as the same; ``title`` says when it was set and why."""

    state: VerdictState
    word: str
    title: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingView:
    """What to compare.

    Attributes:
        candidate: what was tried; None while that is to be chosen.
        candidates: results to choose it from; empty once it is chosen.
        baseline: the pinned one; None where none is set.
        proposals: stored results of the same set, newest first.
        limit: how many results are looked at.
    """

    candidate: EvaluationRow | None
    candidates: tuple[tuple[EvaluationRow, str], ...]
    baseline: BaselineProposal | None
    proposals: tuple[Proposal, ...]
    limit: int


def choose_candidate(
    records: Sequence[EvaluationRecord], *, limit: int, now: datetime
) -> ChoosingView:
    """Which result is the candidate.

    Args:
        records: newest first.
        limit: how many of them were looked for.
        now: aware UTC.
    """
    return ChoosingView(
        candidate=None,
        candidates=tuple(
            (evaluation_row(one, now=now), compare_address(None, one.id)) for one in records
        ),
        baseline=None,
        proposals=(),
        limit=limit,
    )


def choose_current(
    candidate: EvaluationRecord,
    others: Sequence[EvaluationRecord],
    baseline: BaselineEntry | None,
    *,
    limit: int,
    now: datetime,
) -> ChoosingView:
    """What a candidate is compared with.

    Args:
        candidate: what was tried.
        others: results of its set, newest first; it may be among them.
        baseline: the active one of its set and retriever.
        limit: how many results were looked for.
        now: aware UTC.
    """
    return ChoosingView(
        candidate=evaluation_row(candidate, now=now),
        candidates=(),
        baseline=None if baseline is None else _baseline(candidate, baseline),
        proposals=tuple(
            _proposal(candidate, one, now) for one in others if one.id != candidate.id
        ),
        limit=limit,
    )


def _proposal(candidate: EvaluationRecord, other: EvaluationRecord, now: datetime) -> Proposal:
    verdict = verdict_of(candidate, other)
    return Proposal(
        row=evaluation_row(other, now=now),
        state=verdict.state,
        word=wording.state_word(verdict.state),
        dimensions=", ".join(wording.dimension_word(one.dimension) for one in verdict.reasons),
        address=compare_address(other.id, candidate.id),
    )


def _baseline(candidate: EvaluationRecord, baseline: BaselineEntry) -> BaselineProposal:
    verdict = verdict_of(candidate, baseline)
    note = f": {shown_text(baseline.note)}" if baseline.note else ""
    return BaselineProposal(
        state=verdict.state,
        word=wording.state_word(verdict.state),
        title=f"The pinned baseline, set {numbers.instant_text(baseline.set_at)}{note}",
        address=compare_address(BASELINE, candidate.id),
    )
