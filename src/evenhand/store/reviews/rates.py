"""Which rows are counted? Each ended attempt under each practice that it was prepared for."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.review.observation import Assessment
from evenhand.core.review.rates import ReviewedRow
from evenhand.core.review.states import AttemptOutcome, CohortKind, Origin
from evenhand.core.review.strata import Identities
from evenhand.core.review.usage import Pricing
from evenhand.store.reviews.job_rows import row_to_counts
from evenhand.store.reviews.usage_rows import JOB, cost_of, row_to_tokens
from evenhand.store.tables import (
    agent_job,
    agent_job_practice,
    llm_usage_event,
    observation,
    review_attempt,
)
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time

_BAD: Final = Assessment.BAD.value


class SqlReviewRates:
    """The rows of rates of one open transaction; implements `ports.ReviewRateRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list_rows(self, project_id: str) -> tuple[ReviewedRow, ...]:
        """Every ended attempt of a project, by practice; one without a practice has one row."""
        if not is_storable(project_id):
            return ()
        query = _rows().where(agent_job.c.project_id == project_id)
        return tuple(map(_to_value, self._connection.execute(query).mappings()))


def _rows() -> sa.Select[Any]:
    """Attempts beside what they ran with, what they used and what they found."""
    ended, used = review_attempt.c, llm_usage_event.c
    found = _found().subquery()
    for_practice = sa.and_(
        agent_job_practice.c.job_id == ended.job_id, agent_job_practice.c.attempt == ended.attempt
    )
    by_attempt = sa.and_(
        used.source_type == JOB, used.source_id == ended.job_id, used.attempt == ended.attempt
    )
    same = sa.and_(
        found.c.agent_job_id == ended.job_id,
        found.c.attempt == ended.attempt,
        found.c.practice_revision_id == agent_job_practice.c.practice_revision_id,
    )
    return (
        sa.select(
            review_attempt,
            agent_job.c.cohort_kind,
            agent_job.c.cohort,
            agent_job.c.case_id,
            agent_job.c.origin,
            agent_job_practice.c.practice_revision_id,
            used.input_tokens,
            used.cached_input_tokens,
            used.output_tokens,
            used.pricing,
            used.cost_micros,
            found.c.assessed,
            found.c.bad,
        )
        .join(agent_job, agent_job.c.id == ended.job_id)
        .outerjoin(agent_job_practice, for_practice)
        .outerjoin(llm_usage_event, by_attempt)
        .outerjoin(found, same)
        .order_by(ended.ended_at, ended.job_id, ended.attempt)
    )


def _found() -> sa.Select[Any]:
    """How many assessed observations an attempt has under a practice, and how many are bad."""
    seen = observation.c
    return sa.select(
        seen.agent_job_id,
        seen.attempt,
        seen.practice_revision_id,
        sa.func.count(seen.assessment).label("assessed"),
        sa.func.sum(sa.case((seen.assessment == _BAD, 1), else_=0)).label("bad"),
    ).group_by(seen.agent_job_id, seen.attempt, seen.practice_revision_id)


def _to_value(row: RowMapping) -> ReviewedRow:
    return ReviewedRow(
        job_id=row["job_id"],
        attempt=row["attempt"],
        identities=row_to_identities(row),
        origin=Origin(row["origin"]),
        case_id=row["case_id"],
        ended_at=text_to_time(row["ended_at"]),
        outcome=AttemptOutcome(row["outcome"]),
        candidates=row_to_counts(row),
        tokens=None if row["pricing"] is None else row_to_tokens(row),
        pricing=None if row["pricing"] is None else Pricing(row["pricing"]),
        cost=cost_of(row["cost_micros"]),
        assessment=row_to_assessment(row),
    )


def row_to_identities(row: RowMapping) -> Identities:
    """The four identities of a row that has them by name."""
    kind = CohortKind(row["cohort_kind"])
    return Identities(
        config_digest=row["config_digest"],
        prompt_digest=row["prompt_digest"],
        cohort_kind=kind,
        cohort=row["inputs_digest"] if kind is CohortKind.INPUTS else row["cohort"],
        practice_revision_id=row["practice_revision_id"],
    )


def row_to_assessment(row: RowMapping) -> Assessment | None:
    """Bad where one of the assessed observations is, good where none is; None without any."""
    if not row["assessed"]:
        return None
    return Assessment.BAD if row["bad"] else Assessment.GOOD
