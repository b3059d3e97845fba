"""Practices, which change by version, and their revisions, which are added and never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.registry.practice import Practice
from evenhand.core.registry.registered import Noun
from evenhand.core.review.practice import Criteria, PracticeRevision
from evenhand.core.review.states import ArtifactKind
from evenhand.store.pages import is_behind, newest_first
from evenhand.store.registry.registered import (
    Row,
    SqlRegistered,
    registered_row,
    registered_values,
)
from evenhand.store.tables import agent_job_practice, practice, practice_revision
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text


class SqlPractices(SqlRegistered[Practice]):
    """The practices of one open transaction; implements `ports.PracticeRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection,
            noun=Noun.PRACTICE,
            table=practice,
            to_row=_to_row,
            to_value=row_to_practice,
        )

    def add_revision(self, added: PracticeRevision) -> None:
        """Insert a revision.

        Raises:
            ConstraintRefused: an id, a number or the content is taken.
            InvalidText: a text that a database cannot hold.
        """
        criteria = added.criteria
        row = {
            "id": added.id,
            "practice_id": added.practice_id,
            "number": added.number,
            "created_at": time_to_text(added.created_at),
            "made_by_kind": added.made_by.kind.value,
            "made_by_id": added.made_by.id,
            "artifact_kind": criteria.artifact_kind.value,
            "title": require_storable(criteria.title, "title"),
            "practice_group": require_storable(criteria.group, "group"),
            "criteria": require_storable(criteria.text, "text"),
            "content_digest": criteria.digest,
        }
        self._connection.execute(practice_revision.insert(), row)

    def count_revisions(self, practice_id: str) -> int:
        """How many revisions a practice has."""
        query = sa.select(sa.func.count()).where(practice_revision.c.practice_id == practice_id)
        return int(self._connection.execute(query).scalar_one())

    def find_revision(self, revision_id: str) -> PracticeRevision | None:
        """The revision with this id."""
        if not is_storable(revision_id):
            return None
        return self._first(revisions().where(practice_revision.c.id == revision_id))

    def find_by_content(self, practice_id: str, content_digest: str) -> PracticeRevision | None:
        """The revision of a practice that says this very thing."""
        query = revisions().where(
            practice_revision.c.practice_id == practice_id,
            practice_revision.c.content_digest == content_digest,
        )
        return self._first(query)

    def list_revisions(
        self, practice_id: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> tuple[PracticeRevision, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""
        created_at, row = practice_revision.c.created_at, practice_revision.c.id
        query = revisions().where(practice_revision.c.practice_id == practice_id)
        if after is not None:
            query = query.where(is_behind(created_at, row, after))
        query = query.order_by(*newest_first(created_at, row)).limit(limit)
        return tuple(map(row_to_revision, self._connection.execute(query).mappings()))

    def list_admitted(self, job_id: str, attempt: int) -> tuple[PracticeRevision, ...]:
        """The revisions that an attempt of a job was prepared for, by id."""
        query = (
            revisions()
            .join(
                agent_job_practice,
                agent_job_practice.c.practice_revision_id == practice_revision.c.id,
            )
            .where(agent_job_practice.c.job_id == job_id, agent_job_practice.c.attempt == attempt)
            .order_by(practice_revision.c.id)
        )
        return tuple(map(row_to_revision, self._connection.execute(query).mappings()))

    def _first(self, query: sa.Select[Any]) -> PracticeRevision | None:
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_revision(row)


def revisions() -> sa.Select[Any]:
    """Revisions, with name and project of their practice."""
    return sa.select(practice_revision, practice.c.name, practice.c.project_id).join(
        practice, practice.c.id == practice_revision.c.practice_id
    )


def row_to_practice(row: RowMapping) -> Practice:
    """The practice of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Practice(**registered_values(row), project_id=row["project_id"])


def row_to_revision(row: RowMapping) -> PracticeRevision:
    """The revision of a row of :func:`revisions`.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return PracticeRevision(
        id=row["id"],
        practice_id=row["practice_id"],
        practice_name=row["name"],
        project_id=row["project_id"],
        number=row["number"],
        created_at=text_to_time(row["created_at"]),
        made_by=Actor(kind=ActorKind(row["made_by_kind"]), id=row["made_by_id"]),
        criteria=Criteria(
            artifact_kind=ArtifactKind(row["artifact_kind"]),
            title=row["title"],
            group=row["practice_group"],
            text=row["criteria"],
        ),
    )


def _to_row(one: Practice) -> Row:
    return {**registered_row(one), "project_id": one.project_id}
