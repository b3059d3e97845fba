"""What people say of cases, how judges agree with them, and waivers: written once, never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.review.grounds import RecordedAgreement, Waiver
from evenhand.core.review.labels import HumanLabel, LabelledCohort
from evenhand.store.pages import is_behind, newest_first
from evenhand.store.reviews.grounding_rows import (
    agreement_row,
    label_row,
    row_to_agreement,
    row_to_label,
    row_to_waiver,
    waiver_row,
)
from evenhand.store.tables import human_label, review_agreement, review_waiver
from evenhand.store.text import is_storable

Value = TypeVar("Value")


class SqlGrounding:
    """By what findings may be told as grounded, in one open transaction.

    Implements `ports.GroundingRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add_labels(self, labels: Sequence[HumanLabel]) -> None:
        """Insert labels.

        Raises:
            ConstraintRefused: one person's label of a case of that very time is there already.
            InvalidText: a text that a database cannot hold.
        """
        if labels:
            self._connection.execute(human_label.insert(), list(map(label_row, labels)))

    def list_labels(self, of: LabelledCohort) -> tuple[HumanLabel, ...]:
        """Those of a cohort under a revision, by case, labeller and time."""
        if not (is_storable(of.practice_revision_id) and is_storable(of.name)):
            return ()
        said = human_label.c
        query = (
            sa.select(human_label)
            .where(
                said.practice_revision_id == of.practice_revision_id,
                said.cohort_kind == of.kind.value,
                said.cohort == of.name,
            )
            .order_by(said.case_id, said.labeller, said.labelled_at)
        )
        return tuple(map(row_to_label, self._connection.execute(query).mappings()))

    def add_agreement(self, added: RecordedAgreement) -> None:
        """Insert an agreement.

        Raises:
            ConstraintRefused: it was recorded before, of the same labels and findings.
        """
        self._connection.execute(review_agreement.insert(), agreement_row(added))

    def find_counted(self, like: RecordedAgreement) -> RecordedAgreement | None:
        """The agreement that was counted from the same labels and findings of the same stratum."""
        row = agreement_row(like)
        names = ("stratum", "labels_digest", "observations_digest")
        query = sa.select(review_agreement).where(
            *(review_agreement.c[name] == row[name] for name in names)
        )
        found = self._connection.execute(query).mappings().first()
        return None if found is None else row_to_agreement(found)

    def list_agreements(
        self,
        practice_revision_id: str,
        *,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[RecordedAgreement, ...]:
        """Those of a revision, newest first; all without a limit."""
        query = _of_revision(review_agreement, practice_revision_id, limit, after)
        return self._values(query, row_to_agreement)

    def add_waiver(self, added: Waiver) -> None:
        """Insert a waiver.

        Raises:
            InvalidText: a reason that a database cannot hold.
        """
        self._connection.execute(review_waiver.insert(), waiver_row(added))

    def list_waivers(
        self,
        practice_revision_id: str,
        *,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Waiver, ...]:
        """Those of a revision, newest first; all without a limit."""
        query = _of_revision(review_waiver, practice_revision_id, limit, after)
        return self._values(query, row_to_waiver)

    def _values(
        self, query: sa.Select[Any] | None, to_value: Callable[[sa.RowMapping], Value]
    ) -> tuple[Value, ...]:
        if query is None:
            return ()
        return tuple(map(to_value, self._connection.execute(query).mappings()))


def _of_revision(
    table: sa.Table,
    practice_revision_id: str,
    limit: int | None,
    after: tuple[datetime, str] | None,
) -> sa.Select[Any] | None:
    """Rows of a revision, newest first; None where no row can be of it."""
    if not is_storable(practice_revision_id):
        return None
    query = sa.select(table).where(table.c.practice_revision_id == practice_revision_id)
    if after is not None:
        query = query.where(is_behind(table.c.created_at, table.c.id, after))
    return query.order_by(*newest_first(table.c.created_at, table.c.id)).limit(limit)
