"""Find the two sides of a comparison, and note that a decision was taken on a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from evenhand.core.comparison.checks import SelfCheck, other_rankings
from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.set_use import SetUse, SetUseCounts, SetUseKind
from evenhand.core.comparison.side import Side, pinned_side, stored_side
from evenhand.core.errors import Invalid
from evenhand.core.errors.evaluation import BaselineNotFound, EvaluationNotFound
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases.ports import UnitOfWork

LATEST: Final = "latest"
PREVIOUS: Final = "previous"
BASELINE: Final = "baseline"

#: Earlier results that a report draws.
HISTORY: Final = 30
_PREFIX_LENGTH: Final = 4
#: How far back a series is looked through.
_REACH: Final = 1000
#: How far back the ledger is looked through for the same decision.
_LEDGER_REACH: Final = 100
#: What the ledger says of a reading that decided nothing.
_UNDECIDED: Final = "undecided"

Operand: TypeAlias = str | Side
"""What a user typed, or a side that was made of a file."""


def find_sides(
    uow: UnitOfWork, current: Operand, candidate: Operand, *, set_identifier: str | None = None
) -> tuple[Side, Side]:
    """The two sides that operands name.

    An operand is ``latest``, ``previous`` (the result before the other operand's, of its set and
    retriever), ``baseline`` (that of the other operand's set and retriever, else the only one of
    its set), a retriever's name (its latest result), or an id or a unique prefix of one, at least
    four characters. Rankings come along where both sides state the same of everything, for then
    they should be equal.

    Args:
        uow: the open transaction.
        current: the current side.
        candidate: the candidate.
        set_identifier: only results of this set, None for any.

    Raises:
        EvaluationNotFound, BaselineNotFound: an operand names nothing, or more than one thing.
        Invalid: both operands are relative to the other one, or name one evaluation.
    """
    relative = [one in (PREVIOUS, BASELINE) for one in (current, candidate)]
    if all(relative):
        raise Invalid("operands: previous and baseline are relative to the other operand")
    if relative[0]:
        known = _absolute(uow, candidate, set_identifier)
        sides = (_relative(uow, str(current), known), known)
    else:
        known = _absolute(uow, current, set_identifier)
        other = (
            _relative(uow, str(candidate), known)
            if relative[1]
            else _absolute(uow, candidate, set_identifier)
        )
        sides = (known, other)
    _require_two(*sides)
    return _with_rankings(uow, *sides)


def find_with_set(
    uow: UnitOfWork, current: Operand, candidate: Operand, *, set_identifier: str | None = None
) -> tuple[tuple[Side, Side], GoldenSet | None]:
    """Both sides as `find_sides`, and the imported set of the candidate; None without one."""
    sides = find_sides(uow, current, candidate, set_identifier=set_identifier)
    return sides, uow.golden_sets.find(sides[1].set_identifier)


def is_use(comparison: Comparison) -> bool:
    """Whether the ledger of the set has to hear of a comparison.

    What decided nothing is none, and what was read of files leaves no trace. Of a holdout part
    each look is a reading, and heard of.
    """
    if comparison.is_holdout:
        return comparison.is_comparable
    sides = (comparison.current, comparison.candidate)
    return comparison.conclusion is not None and all(one.evaluation_id for one in sides)


def against_baseline(uow: UnitOfWork, candidate: Side, golden_set: GoldenSet) -> Comparison | None:
    """A fresh result against the baseline that is pinned for its set and retriever.

    Args:
        uow: the open transaction.
        candidate: the fresh result.
        golden_set: what it was asked.

    Returns:
        The comparison, in which the baseline is the current side; None without a baseline.
    """
    found = uow.baselines.find_active(candidate.set_identifier, candidate.retriever)
    if found is None:
        return None
    return compare_sides(pinned_side(found), candidate, golden_set=golden_set)


def find_history(uow: UnitOfWork, side: Side) -> tuple[EvaluationRecord, ...]:
    """Stored results of a side's set and retriever, newest first, at most `HISTORY` of them."""
    return uow.evaluations.list_latest(
        set_identifier=side.set_identifier, retriever=side.retriever, limit=HISTORY
    )


def unlike_previous(
    uow: UnitOfWork, previous: EvaluationRecord | None, candidate: Side
) -> tuple[SelfCheck, ...]:
    """That the previous result declares the same of everything and ranked otherwise, if it did.

    Args:
        uow: the open transaction.
        previous: the preceding result, None when there is none.
        candidate: the fresh result with its rankings and outcomes.
    """
    if previous is None:
        return ()
    before = stored_side(previous, None)
    if candidate.variant is None or before.variant != candidate.variant:
        return ()
    rankings = uow.evaluations.get_rankings(previous.id)
    # Outcomes are kept at more privacy levels than rankings, and show some of what moved.
    outcomes = uow.evaluations.get_outcomes(previous.id) if rankings is None else None
    return tuple(other_rankings(replace(before, rankings=rankings, outcomes=outcomes), candidate))


def count_uses(uow: UnitOfWork, labels_fingerprint: str | None) -> SetUseCounts | None:
    """For how many decisions sets with these labels were used; None where the labels are unknown."""
    return None if labels_fingerprint is None else uow.set_uses.count(labels_fingerprint)


def note_uses(
    uow: UnitOfWork, comparisons: Sequence[Comparison], *, kind: SetUseKind, ids: Sequence[str]
) -> SetUseCounts | None:
    """Note in the ledger of the set that comparisons were decided on it.

    What was not comparable, or had no difference, decided nothing. Looking again at two stored
    evaluations is no further decision. Of a holdout part each look is a reading, and noted as
    ``evenhand gate --holdout`` notes one.

    Args:
        uow: the open transaction.
        comparisons: decided together, over one set.
        kind: of decision.
        ids: UUIDv7 text, one for each comparison.

    Returns:
        How many decisions rest on the set now; None where its labels are unknown.
    """
    for comparison, row_id in zip(comparisons, ids, strict=True):
        as_kind = SetUseKind.HOLDOUT if comparison.is_holdout else kind
        use = _use(uow, comparison, as_kind, row_id)
        if use is not None and (comparison.is_holdout or not _is_noted(uow, use)):
            uow.set_uses.add(use)
    return count_uses(uow, comparisons[0].current.labels) if comparisons else None


def _use(uow: UnitOfWork, comparison: Comparison, kind: SetUseKind, row_id: str) -> SetUse | None:
    labels, decided = comparison.current.labels, comparison.conclusion
    conclusion = None if decided is None else decided.value
    if conclusion is None and comparison.is_holdout and comparison.is_comparable:
        # Both results are shown side by side, though nothing is decided.
        conclusion = _UNDECIDED
    if labels is None or conclusion is None:
        return None
    sides = (comparison.current, comparison.candidate)
    return SetUse(
        id=row_id,
        at=uow.now(),
        labels_fingerprint=labels,
        set_identifier=comparison.candidate.set_identifier,
        kind=kind,
        evaluation_ids=tuple(one.evaluation_id for one in sides if one.evaluation_id is not None),
        conclusion=conclusion,
    )


def _is_noted(uow: UnitOfWork, use: SetUse) -> bool:
    # Without both ids nobody knows whether it is the same decision.
    if len(use.evaluation_ids) != 2:
        return False
    return any(
        (one.kind, one.evaluation_ids) == (use.kind, use.evaluation_ids)
        for one in uow.set_uses.list_latest(use.labels_fingerprint, _LEDGER_REACH)
    )


def _absolute(uow: UnitOfWork, operand: Operand, set_identifier: str | None) -> Side:
    if isinstance(operand, Side):
        return operand
    record = _find(uow, operand, set_identifier)
    return stored_side(record, uow.evaluations.get_outcomes(record.id))


def _find(uow: UnitOfWork, reference: str, set_identifier: str | None) -> EvaluationRecord:
    if reference == LATEST:
        newest = uow.evaluations.list_latest(
            set_identifier=set_identifier, retriever=None, limit=1
        )
        if not newest:
            raise EvaluationNotFound(reference, "nothing is stored yet")
        return newest[0]
    named = uow.evaluations.list_latest(
        set_identifier=set_identifier, retriever=reference, limit=_REACH
    )
    if named:
        return _only_set(reference, named)
    if len(reference) < _PREFIX_LENGTH:
        raise EvaluationNotFound(reference, "no retriever has this name, and it is no id")
    found = uow.evaluations.find_by_prefix(reference, 2)
    if not found:
        raise EvaluationNotFound(reference, "no file, no retriever and no id has this name")
    if len(found) > 1:
        raise EvaluationNotFound(reference, "several ids start so; give more of it")
    return found[0]


def _only_set(reference: str, named: tuple[EvaluationRecord, ...]) -> EvaluationRecord:
    sets = sorted({record.set_identifier for record in named})
    if len(sets) > 1:
        raise EvaluationNotFound(reference, _several_sets(sets))
    return named[0]


def _several_sets(sets: list[str]) -> str:
    return f"it has results on {', '.join(sets)}; --set says which"


def _relative(uow: UnitOfWork, word: str, known: Side) -> Side:
    if word == BASELINE:
        return _baseline(uow, known)
    series = uow.evaluations.list_latest(
        set_identifier=known.set_identifier, retriever=known.retriever, limit=_REACH
    )
    ids = [record.id for record in series]
    if known.evaluation_id not in ids:
        raise EvaluationNotFound(word, "the other operand is no stored evaluation")
    this = series[ids.index(known.evaluation_id)]
    older = [one for one in series[ids.index(this.id) + 1 :] if one.grader == this.grader]
    if not older:
        raise EvaluationNotFound(word, "no earlier result of this set and retriever is stored")
    return stored_side(older[0], uow.evaluations.get_outcomes(older[0].id))


def _baseline(uow: UnitOfWork, known: Side) -> Side:
    own = uow.baselines.find_active(known.set_identifier, known.retriever)
    if own is not None:
        return pinned_side(own)
    found = [
        one for one in uow.baselines.list_active() if one.set_identifier == known.set_identifier
    ]
    if len(found) != 1:
        raise BaselineNotFound(_no_baseline(len(found)))
    return pinned_side(found[0])


def _no_baseline(found: int) -> str:
    if found:
        return "several baselines are active for this golden set, none of them of this retriever"
    return "no baseline is set for this golden set; evenhand baseline set REFERENCE sets one"


def _require_two(current: Side, candidate: Side) -> None:
    same = current.evaluation_id is not None and current.evaluation_id == candidate.evaluation_id
    if same and current.is_baseline == candidate.is_baseline:
        raise Invalid("operands: both name the same evaluation")


def _with_rankings(uow: UnitOfWork, current: Side, candidate: Side) -> tuple[Side, Side]:
    same = current.variant is not None and current.variant == candidate.variant
    if not (same and current.benchmark == candidate.benchmark):
        return current, candidate
    loaded = [
        replace(side, rankings=uow.evaluations.get_rankings(side.evaluation_id))
        if side.evaluation_id is not None and not side.is_baseline
        else side
        for side in (current, candidate)
    ]
    return loaded[0], loaded[1]
