"""Feedback, where it was put, and what was said of it; and which answers people accepted."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.review import FeedbackConflict, ReviewNotFound
from evenhand.core.review.feedback import (
    Dispatch,
    Feedback,
    Link,
    LinkRole,
    Placement,
    PlacementType,
)
from evenhand.core.review.reaction import Acceptance, Reaction, Resolution, Usefulness
from evenhand.store import tables
from evenhand.store.errors import translate
from evenhand.store.reviews.feedback_rows import row_to_feedback, state_row
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text

Row = dict[str, Any]

_PLACE_TAKEN: Final = "uq_feedback_agent_job_id_position"
_TRY_TAKEN: Final = "uq_feedback_dispatch_feedback_id_attempt"


class SqlFeedback:
    """The feedback of one open transaction; implements `ports.FeedbackRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, added: Feedback) -> None:
        """Insert one with its links.

        Raises:
            FeedbackConflict: its place is taken (``feedback_exists``).
            ConstraintRefused: it refers to nothing.
        """
        row = state_row(added) | {
            "id": added.id,
            "project_id": added.project_id,
            "agent_job_id": added.job_id,
            "recipient": require_storable(added.recipient, "recipient"),
            "channel": added.channel.value,
            "position": added.position,
            "body": None if added.body is None else require_storable(added.body, "body"),
            "replaces_id": added.replaces_id,
            "thread_key": added.thread_key,
            "created_at": time_to_text(added.created_at),
        }
        self._insert(tables.feedback, row)
        for link in added.links:
            linked = {
                "feedback_id": added.id,
                "observation_id": link.observation_id,
                "role": link.role.value,
                "ordinal": link.ordinal,
            }
            self._insert(tables.feedback_observation, linked)

    def save(self, before: Feedback, after: Feedback) -> None:
        """Write the next state of one.

        Raises:
            FeedbackConflict: somebody else changed it since.
        """
        statement = (
            tables.feedback.update()
            .where(
                tables.feedback.c.id == before.id, tables.feedback.c.state == before.state.value
            )
            .values(state_row(after))
        )
        if self._connection.execute(statement).rowcount != 1:
            raise FeedbackConflict("the feedback is in another state by now")

    def get(self, feedback_id: str) -> Feedback:
        """The one with this id.

        Raises:
            ReviewNotFound: there is none.
        """
        found = None
        if is_storable(feedback_id):
            query = sa.select(tables.feedback).where(tables.feedback.c.id == feedback_id)
            found = self._connection.execute(query).mappings().first()
        if found is None:
            raise ReviewNotFound("feedback")
        return row_to_feedback(found, self._links(feedback_id))

    def find_at(self, job_id: str, position: int) -> Feedback | None:
        """The one at a place of a review."""
        query = sa.select(tables.feedback.c.id).where(
            tables.feedback.c.agent_job_id == job_id, tables.feedback.c.position == position
        )
        found = self._connection.scalar(query)
        return None if found is None else self.get(found)

    def list_of(self, job_id: str) -> tuple[Feedback, ...]:
        """Those of a review, by position."""
        query = (
            sa.select(tables.feedback)
            .where(tables.feedback.c.agent_job_id == job_id)
            .order_by(tables.feedback.c.position)
        )
        rows = self._connection.execute(query).mappings().all()
        return tuple(row_to_feedback(row, self._links(row["id"])) for row in rows)

    def add_placement(self, one: Placement) -> None:
        """Note where feedback was put; a blank reference is none."""
        self._insert(
            tables.feedback_placement,
            {
                "id": one.id,
                "feedback_id": one.feedback_id,
                "type": one.type.value,
                "path": one.path,
                "line": one.line,
                "channel_reference": one.channel_reference if one.is_proof else None,
                "created_at": time_to_text(one.created_at),
            },
        )

    def add_dispatch(self, one: Dispatch) -> None:
        """Note that feedback was handed to a channel; a blank acknowledgement is none.

        Raises:
            FeedbackConflict: this try was noted before.
        """
        self._insert(
            tables.feedback_dispatch,
            {
                "id": one.id,
                "feedback_id": one.feedback_id,
                "attempt": one.attempt,
                "acknowledgement": one.acknowledgement if one.is_proof else None,
                "error_class": one.error_class,
                "created_at": time_to_text(one.created_at),
            },
        )

    def add_reaction(self, one: Reaction) -> None:
        """Note what was said of feedback."""
        self._insert(
            tables.reaction,
            {
                "id": one.id,
                "feedback_id": one.feedback_id,
                "reactor": one.reactor,
                "usefulness": None if one.usefulness is None else one.usefulness.value,
                "resolution": None if one.resolution is None else one.resolution.value,
                "explained": one.is_explained,
                "explanation": one.explanation,
                "created_at": time_to_text(one.created_at),
            },
        )

    def list_placements(self, feedback_id: str) -> tuple[Placement, ...]:
        """Where one was put, oldest first."""
        return tuple(
            Placement(
                id=row["id"],
                feedback_id=row["feedback_id"],
                type=PlacementType(row["type"]),
                path=row["path"],
                line=row["line"],
                channel_reference=row["channel_reference"],
                created_at=text_to_time(row["created_at"]),
            )
            for row in self._of(tables.feedback_placement, feedback_id)
        )

    def list_dispatches(self, feedback_id: str) -> tuple[Dispatch, ...]:
        """How often one was handed to a channel, oldest first."""
        return tuple(
            Dispatch(
                id=row["id"],
                feedback_id=row["feedback_id"],
                attempt=row["attempt"],
                acknowledgement=row["acknowledgement"],
                error_class=row["error_class"],
                created_at=text_to_time(row["created_at"]),
            )
            for row in self._of(tables.feedback_dispatch, feedback_id)
        )

    def list_reactions(self, feedback_id: str) -> tuple[Reaction, ...]:
        """What was said of one, oldest first."""
        return tuple(
            Reaction(
                id=row["id"],
                feedback_id=row["feedback_id"],
                reactor=row["reactor"],
                usefulness=None if row["usefulness"] is None else Usefulness(row["usefulness"]),
                resolution=None if row["resolution"] is None else Resolution(row["resolution"]),
                is_explained=bool(row["explained"]),
                explanation=row["explanation"],
                created_at=text_to_time(row["created_at"]),
            )
            for row in self._of(tables.reaction, feedback_id)
        )

    def add_acceptance(self, one: Acceptance) -> None:
        """Note what a person said of an answer."""
        self._insert(
            tables.answer_acceptance,
            {
                "id": one.id,
                "project_id": one.project_id,
                "answer_id": require_storable(one.answer_id, "answer_id"),
                "accepted": one.accepted,
                "by_kind": one.by.kind.value,
                "by_id": one.by.id,
                "created_at": time_to_text(one.created_at),
            },
        )

    def list_acceptances(self, project_id: str, answer_id: str) -> tuple[Acceptance, ...]:
        """What was said of an answer, oldest first."""
        if not is_storable(answer_id):
            return ()
        stored = tables.answer_acceptance
        query = (
            sa.select(stored)
            .where(stored.c.project_id == project_id, stored.c.answer_id == answer_id)
            .order_by(stored.c.created_at, stored.c.id)
        )
        return tuple(
            Acceptance(
                id=row["id"],
                project_id=row["project_id"],
                answer_id=row["answer_id"],
                accepted=bool(row["accepted"]),
                by=Actor(kind=ActorKind(row["by_kind"]), id=row["by_id"]),
                created_at=text_to_time(row["created_at"]),
            )
            for row in self._connection.execute(query).mappings()
        )

    def _links(self, feedback_id: str) -> tuple[Link, ...]:
        linked = tables.feedback_observation.c
        query = (
            sa.select(linked.observation_id, linked.role, linked.ordinal)
            .where(linked.feedback_id == feedback_id)
            .order_by(linked.ordinal, linked.observation_id)
        )
        return tuple(
            Link(observation_id=observation, role=LinkRole(role), ordinal=ordinal)
            for observation, role, ordinal in self._connection.execute(query)
        )

    def _of(self, table: sa.Table, feedback_id: str) -> list[RowMapping]:
        query = (
            sa.select(table)
            .where(table.c.feedback_id == feedback_id)
            .order_by(table.c.created_at, table.c.id)
        )
        return list(self._connection.execute(query).mappings())

    def _insert(self, table: sa.Table, row: Row) -> None:
        try:
            self._connection.execute(table.insert(), row)
        except IntegrityError as error:
            failure = _refusal(error)
        else:
            return
        # Outside the clause: an error of ours must not carry the driver's as its context.
        raise failure


def _refusal(error: IntegrityError) -> EvenhandError:
    refused = translate(error)
    taken = getattr(refused, "constraint", None)
    if taken in (_PLACE_TAKEN, _TRY_TAKEN):
        return FeedbackConflict("its place is taken", code="feedback_exists")
    return refused
