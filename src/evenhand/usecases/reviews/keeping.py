"""Take reviews away: when they are older than they are kept, or a whole project's on request."""

from __future__ import annotations

from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.privacy import kept_since
from evenhand.usecases.ports import Ids, UnitOfWork

_PROJECT_KIND: Final = "project"


def purge(uow: UnitOfWork, *, days: int, actor: str, ids: Ids) -> int:
    """Delete reviews that ended more than a number of days ago, each with its whole trail.

    Args:
        uow: an open transaction.
        days: at least 1; what ended strictly more than this long ago goes, but for reviews whose
            feedback is still to be delivered.
        actor: who asks, for the trace that stays.
        ids: of the trace.

    Returns:
        How many reviews there were.

    Raises:
        InvalidSetting: days below 1.
    """
    now = uow.now()
    before = kept_since(now, days=days)
    return uow.review_retention.delete_older(before, row_id=ids.new(), at=now, actor=actor)


def delete_project(uow: UnitOfWork, project_id: str, *, actor: Actor, ids: Ids) -> int:
    """Delete every review of a project, whatever its state, and what people said of its cases.

    Criteria stay, and so do agreements and waivers: what was told as grounded rests on them, and
    they hold counts and digests.

    Args:
        uow: an open transaction.
        project_id: whose.
        actor: who asks.
        ids: of the trace and of the entry.

    Returns:
        How many reviews there were.

    Raises:
        RegisteredNotFound: there is no such project.
    """
    project = uow.projects.get(project_id)
    now, trace = uow.now(), ids.new()
    deleted = uow.review_retention.delete_project(
        project.id, row_id=trace, at=now, actor=actor.kind.value
    )
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=now,
            actor=actor,
            action="delete_reviews",
            object_kind=_PROJECT_KIND,
            object_id=project.id,
            related_id=trace,
        )
    )
    return deleted
