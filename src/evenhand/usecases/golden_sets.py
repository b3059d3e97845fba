"""Keep golden sets under their identifiers, and find them again."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.errors.retrieval import GoldenSetNotFound
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.usecases.ports import UnitOfWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did.

    Attributes:
        identifier: under which the set is kept.
        questions: how many it has that are not held out.
        holdout: how many are held out.
        replaced: whether a set of that identifier was there before.
        labels_changed: whether the labels of either part differ from that set's; results before
            and after are then not comparable. False where nothing was replaced.
    """

    identifier: str
    questions: int
    holdout: int
    replaced: bool
    labels_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSummary:
    """One line of a list of sets.

    Attributes:
        identifier, name: of the set.
        questions: how many it has that are not held out.
        holdout: how many are held out.
    """

    identifier: str
    name: str
    questions: int
    holdout: int


def import_set(uow: UnitOfWork, golden_set: GoldenSet) -> Imported:
    """Keep a set, in place of the one that has its identifier."""
    previous = uow.golden_sets.find(golden_set.identifier)
    uow.golden_sets.save(golden_set, imported_at=uow.now())
    changed = previous is not None and _labels(previous) != _labels(golden_set)
    return Imported(
        identifier=golden_set.identifier,
        questions=len(golden_set.questions),
        holdout=len(golden_set.holdout),
        replaced=previous is not None,
        labels_changed=changed,
    )


def list_sets(uow: UnitOfWork) -> tuple[SetSummary, ...]:
    """The sets that are kept, by identifier."""
    return tuple(
        SetSummary(identifier=identifier, name=name, questions=questions, holdout=holdout)
        for identifier, name, questions, holdout in uow.golden_sets.list_all()
    )


def find_set(uow: UnitOfWork, identifier: str) -> GoldenSet | None:
    """The set that is kept under an identifier, None where there is none."""
    return uow.golden_sets.find(identifier)


def require_set(uow: UnitOfWork, identifier: str) -> None:
    """Refuse an identifier under which no set is kept.

    Raises:
        GoldenSetNotFound: so it is; the message names those that are kept.
    """
    known = tuple(summary.identifier for summary in list_sets(uow))
    if identifier not in known:
        raise GoldenSetNotFound(identifier, known)


def delete_set(uow: UnitOfWork, identifier: str) -> None:
    """Let a set go. Evaluations keep what they hold of it.

    Raises:
        GoldenSetNotFound: none is kept under this identifier.
    """
    require_set(uow, identifier)
    uow.golden_sets.delete(identifier)


def _labels(golden_set: GoldenSet) -> tuple[str, str | None]:
    part = golden_set.holdout_part
    return golden_set.labels_fingerprint, None if part is None else part.labels_fingerprint
