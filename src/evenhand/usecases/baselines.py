"""Choose the result that later ones are compared with, and say which it is and was."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Principal
from evenhand.core.comparison.pinned import (
    BaselineContent,
    PinnedBaseline,
    content_of,
    pin,
    require_keepable,
    require_share,
)
from evenhand.core.errors.evaluation import BaselineNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases.ports import Ids, UnitOfWork

#: Nobody asks how many questions failed.
_ANY_SHARE = Fraction(1)
_NO_SUCH = "no baseline has this id"
_NOTHING = "no baseline is set; evenhand baseline set REFERENCE sets one"
_NOT_FOR = "no baseline is set for this golden set and retriever"
_SEVERAL = "several baselines are active; name the golden set and the retriever"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What setting a baseline did.

    Attributes:
        baseline: the one that is active now.
        replaced: the one that was active before, None where there was none; it stays in history.
    """

    baseline: PinnedBaseline
    replaced: PinnedBaseline | None

    @property
    def benchmark_changed(self) -> bool:
        """Whether results that were comparable with the former baseline no longer are."""
        before = self.replaced
        return (
            before is not None
            and before.benchmark_fingerprint != self.baseline.benchmark_fingerprint
        )


def set_from_evaluation(  # noqa: PLR0913 -- what one row is made of, by keyword
    uow: UnitOfWork,
    record: EvaluationRecord,
    *,
    id: str,  # noqa: A002 -- the row's name for it
    level: PrivacyLevel,
    actor: str,
    note: str = "",
    max_failed_share: Fraction = _ANY_SHARE,
) -> Pinned:
    """Make a stored evaluation the baseline of its set and retriever.

    The baseline holds a copy, so that no purge of evaluations takes it away.

    Args:
        uow: the open transaction.
        record: the evaluation.
        id: the new row's UUIDv7.
        level: what may be kept.
        actor: who asked.
        note: why; may be empty.
        max_failed_share: of its questions may have failed; in [0, 1].

    Raises:
        InvalidBaseline: the evaluation does not say what was run, or has no outcomes.
        TooManyFailed: a larger share of its questions failed.
    """
    content = content_of(record, uow.evaluations.get_outcomes(record.id), level=level)
    require_share(content, max_failed_share)
    return _pin(uow, content, id=id, evaluation_id=record.id, actor=actor, note=note)


def set_from_file(  # noqa: PLR0913 -- as above
    uow: UnitOfWork,
    content: BaselineContent,
    *,
    id: str,  # noqa: A002 -- as above
    level: PrivacyLevel,
    actor: str,
    note: str = "",
    max_failed_share: Fraction = _ANY_SHARE,
) -> Pinned:
    """Make the content of a baseline file the baseline of its set and retriever.

    Raises:
        InvalidBaseline: the privacy level keeps no outcomes.
        TooManyFailed: a larger share of its questions failed.
    """
    require_keepable(level)
    require_share(content, max_failed_share)
    return _pin(uow, content, id=id, evaluation_id=None, actor=actor, note=note)


def set_over_network(  # noqa: PLR0913 -- as above
    uow: UnitOfWork,
    evaluation_id: str,
    *,
    principal: Principal,
    ids: Ids,
    level: PrivacyLevel,
    note: str,
    max_failed_share: Fraction,
) -> Pinned:
    """Make a stored evaluation the baseline of its set and retriever, and tell the audit.

    Args:
        uow: the open transaction.
        evaluation_id: the whole id.
        principal: who asks.
        ids: of the rows.
        level: what may be kept.
        note: why; may be empty.
        max_failed_share: of its questions may have failed; in [0, 1].

    Raises:
        EvaluationNotFound: there is no such evaluation.
        InvalidBaseline, TooManyFailed: as `set_from_evaluation`.
    """
    actor = principal.actor
    pinned = set_from_evaluation(
        uow,
        uow.evaluations.get(evaluation_id),
        id=ids.new(),
        level=level,
        actor=f"{actor.kind.value} {actor.id}",
        note=note,
        max_failed_share=max_failed_share,
    )
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=pinned.baseline.set_at,
            actor=actor,
            action="set",
            object_kind="baseline",
            object_id=pinned.baseline.id,
            to_state="active",
        )
    )
    return pinned


def get_with_history(
    uow: UnitOfWork, baseline_id: str, *, limit: int
) -> tuple[PinnedBaseline, tuple[PinnedBaseline, ...]]:
    """A baseline, and all of its set and retriever, newest first, at most ``limit``.

    Raises:
        BaselineNotFound: there is no such baseline.
    """
    found = uow.baselines.find(baseline_id)
    if found is None:
        raise BaselineNotFound(_NO_SUCH)
    return found, history(uow, found.set_identifier, found.retriever, limit=limit)


def find_active(uow: UnitOfWork, set_identifier: str, retriever: str) -> PinnedBaseline | None:
    """The baseline of a set and retriever, None where none was ever set."""
    return uow.baselines.find_active(set_identifier, retriever)


def list_active(uow: UnitOfWork) -> tuple[PinnedBaseline, ...]:
    """The active baseline of each set and retriever, by these two."""
    return uow.baselines.list_active()


def get_active(
    uow: UnitOfWork, set_identifier: str | None, retriever: str | None
) -> PinnedBaseline:
    """The active baseline of a set and retriever, or the only one where none is named.

    Raises:
        BaselineNotFound: there is none, or more than one.
    """
    if set_identifier is not None and retriever is not None:
        named = uow.baselines.find_active(set_identifier, retriever)
        if named is None:
            raise BaselineNotFound(_NOT_FOR)
        return named
    found = uow.baselines.list_active()
    if not found:
        raise BaselineNotFound(_NOTHING)
    if len(found) > 1:
        raise BaselineNotFound(_SEVERAL)
    return found[0]


def history(
    uow: UnitOfWork, set_identifier: str | None, retriever: str | None, *, limit: int
) -> tuple[PinnedBaseline, ...]:
    """Every baseline that was ever set, newest first; None means any."""
    return uow.baselines.history(set_identifier=set_identifier, retriever=retriever, limit=limit)


def _pin(
    uow: UnitOfWork,
    content: BaselineContent,
    *,
    id: str,  # noqa: A002 -- as above
    evaluation_id: str | None,
    actor: str,
    note: str,
) -> Pinned:
    replaced = uow.baselines.find_active(content.set_identifier, content.retriever)
    baseline = pin(
        content, id=id, evaluation_id=evaluation_id, set_at=uow.now(), actor=actor, note=note
    )
    uow.baselines.add(baseline)
    return Pinned(baseline=baseline, replaced=replaced)
