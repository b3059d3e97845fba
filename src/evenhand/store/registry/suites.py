"""Suites, which change by version, and their revisions, which are added and never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.registry.registered import Noun
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase, SuiteRevision
from evenhand.store.bulk import insert_many
from evenhand.store.pages import is_behind, newest_first
from evenhand.store.registry.registered import SqlRegistered
from evenhand.store.registry.suite_rows import (
    case_rows,
    grade_rows,
    revision_to_row,
    row_to_case,
    row_to_revision,
    row_to_suite,
    suite_to_row,
    target_rows,
)
from evenhand.store.tables import (
    suite,
    suite_case,
    suite_case_grade,
    suite_case_target,
    suite_revision,
)
from evenhand.store.text import is_storable


class SqlSuites(SqlRegistered[Suite]):
    """The suites of one open transaction; implements `ports.SuiteRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection, noun=Noun.SUITE, table=suite, to_row=suite_to_row, to_value=row_to_suite
        )

    def add_revision(self, frozen: FrozenSuite) -> None:
        """Insert a revision with its cases.

        Raises:
            ConstraintRefused: an id, a number or the content is taken.
            InvalidText: a name or description that a database cannot hold.
        """
        revision = frozen.revision
        self._connection.execute(suite_revision.insert(), revision_to_row(revision))
        insert_many(self._connection, suite_case, case_rows(frozen))
        insert_many(self._connection, suite_case_target, target_rows(frozen))
        insert_many(self._connection, suite_case_grade, grade_rows(frozen))

    def count_revisions(self, suite_id: str) -> int:
        """How many revisions a suite has."""
        query = sa.select(sa.func.count()).where(suite_revision.c.suite_id == suite_id)
        return int(self._connection.execute(query).scalar_one())

    def find_revision(self, revision_id: str) -> FrozenSuite | None:
        """One revision with all its cases, and so with its golden set.

        Raises:
            Invalid: it is not what was written.
        """
        facts = self.find_facts(revision_id)
        if facts is None:
            return None
        cases = self.list_cases(revision_id, after=-1, limit=facts.case_count + 1)
        return FrozenSuite(revision=facts, cases=cases)

    def find_facts(self, revision_id: str) -> SuiteRevision | None:
        """Identities and numbers of one revision, without its cases."""
        return self._revision(suite_revision.c.id == revision_id, revision_id)

    def find_by_content(self, suite_id: str, content_digest: str) -> SuiteRevision | None:
        """The revision of a suite that has this content."""
        same = sa.and_(
            suite_revision.c.suite_id == suite_id,
            suite_revision.c.content_digest == content_digest,
        )
        return self._revision(same, suite_id)

    def list_revisions(
        self, suite_id: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> tuple[SuiteRevision, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""
        if not is_storable(suite_id):
            return ()
        created_at, row = suite_revision.c.created_at, suite_revision.c.id
        query = _revisions().where(suite_revision.c.suite_id == suite_id)
        if after is not None:
            query = query.where(is_behind(created_at, row, after))
        query = query.order_by(*newest_first(created_at, row)).limit(limit)
        return tuple(map(row_to_revision, self._connection.execute(query).mappings()))

    def list_cases(self, revision_id: str, *, after: int, limit: int) -> tuple[SuiteCase, ...]:
        """Those behind a position, in order, at most ``limit``."""
        if not is_storable(revision_id):
            return ()
        chosen = (
            sa.select(suite_case)
            .where(suite_case.c.revision_id == revision_id, suite_case.c.position > after)
            .order_by(suite_case.c.position)
            .limit(limit)
        )
        rows = self._connection.execute(chosen).mappings().all()
        if not rows:
            return ()
        last = rows[-1]["position"]
        targets = self._below(suite_case_target, revision_id, after, last)
        grades = self._below(suite_case_grade, revision_id, after, last)
        return tuple(
            row_to_case(row, targets.get(row["position"], ()), grades.get(row["position"], ()))
            for row in rows
        )

    def find_position(self, revision_id: str, case_id: str) -> int | None:
        """The place of a case in its revision, from 0; None where the revision has no such case."""
        if not (is_storable(revision_id) and is_storable(case_id)):
            return None
        query = sa.select(suite_case.c.position).where(
            suite_case.c.revision_id == revision_id, suite_case.c.case_id == case_id
        )
        return self._connection.scalar(query)

    def _below(
        self, table: sa.Table, revision_id: str, after: int, last: int
    ) -> dict[int, list[RowMapping]]:
        """Rows below some cases of a revision, by position."""
        found: dict[int, list[RowMapping]] = {}
        query = (
            sa.select(table)
            .where(
                table.c.revision_id == revision_id,
                table.c.position > after,
                table.c.position <= last,
            )
            .order_by(table.c.position, table.c.ordinal)
        )
        for row in self._connection.execute(query).mappings():
            found.setdefault(row["position"], []).append(row)
        return found

    def _revision(self, chosen: sa.ColumnElement[bool], reference: str) -> SuiteRevision | None:
        if not is_storable(reference):
            return None
        row = self._connection.execute(_revisions().where(chosen)).mappings().first()
        return None if row is None else row_to_revision(row)


def _revisions() -> sa.Select[Any]:
    """Revisions, with the project of their suite."""
    return sa.select(suite_revision, suite.c.project_id).join(
        suite, suite.c.id == suite_revision.c.suite_id
    )
