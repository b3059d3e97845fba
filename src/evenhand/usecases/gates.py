"""Find the baseline of a candidate, and note in the ledger that a gate was decided on its set."""

from __future__ import annotations

from dataclasses import replace

from evenhand.core.comparison.gate import Gated
from evenhand.core.comparison.set_use import SetUse, SetUseCounts, SetUseKind
from evenhand.core.comparison.side import Side, pinned_side
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.usecases.ports import UnitOfWork


def find_baseline(uow: UnitOfWork, candidate: Side) -> Side | None:
    """The active baseline of the candidate's set and retriever, None where none was ever set.

    Its rankings come along where both state the same of everything, for then they should be equal.
    """
    found = uow.baselines.find_active(candidate.set_identifier, candidate.retriever)
    if found is None:
        return None
    side = pinned_side(found)
    if side.variant is None or side.variant != candidate.variant or side.evaluation_id is None:
        return side
    try:
        return replace(side, rankings=uow.evaluations.get_rankings(side.evaluation_id))
    except EvaluationNotFound:
        # A baseline outlives the evaluation that it was made of.
        return side


def note_gate(
    uow: UnitOfWork,
    gated: Gated,
    *,
    id: str,  # noqa: A002 -- the row's name for it
) -> SetUseCounts | None:
    """Note a decision; what could not be compared decided nothing.

    Args:
        uow: the open transaction.
        gated: what was decided.
        id: the new row's UUIDv7.

    Returns:
        How many decisions rest on these labels now; None where they are unknown.
    """
    labels, comparison = gated.candidate.labels, gated.comparison
    if labels is None:
        return None
    if comparison is not None and comparison.is_comparable:
        uow.set_uses.add(_use(uow, gated, labels, kind=SetUseKind.GATE, row_id=id))
    return uow.set_uses.count(labels)


def note_reading(
    uow: UnitOfWork,
    gated: Gated,
    labels: str,
    *,
    id: str,  # noqa: A002 -- the row's name for it
) -> SetUseCounts:
    """Note that the holdout part of a set was read, whatever came of it.

    Also what could not be compared showed how the candidate does on it.

    Args:
        uow: the open transaction.
        gated: what was decided.
        labels: labels fingerprint of the holdout part, known even where nothing was declared.
        id: the new row's UUIDv7.

    Returns:
        How many decisions rest on these labels now.
    """
    uow.set_uses.add(_use(uow, gated, labels, kind=SetUseKind.HOLDOUT, row_id=id))
    return uow.set_uses.count(labels)


def _use(uow: UnitOfWork, gated: Gated, labels: str, *, kind: SetUseKind, row_id: str) -> SetUse:
    comparison = gated.comparison
    sides = (gated.candidate,) if comparison is None else (comparison.current, gated.candidate)
    return SetUse(
        id=row_id,
        at=uow.now(),
        labels_fingerprint=labels,
        set_identifier=gated.candidate.set_identifier,
        kind=kind,
        evaluation_ids=tuple(one.evaluation_id for one in sides if one.evaluation_id is not None),
        conclusion=gated.result.state.value,
    )
