"""Which rows are counted? Each ended attempt under each practice that it was prepared for."""

from __future__ import annotations

from collections.abc import Iterator
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
from evenhand.store.streams import streamed
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

    def iterate_rows(
        self, project_id: str, *, of_stratum: Identities | None = None
    ) -> Iterator[ReviewedRow]:
        """Ended attempts of a project by practice, the oldest first, a few at a time.

        One without a practice has one row. With identities only the live ones that have them.
        """
        if not is_storable(project_id):
            return
        query = rows_of(project_id)
        if of_stratum is not None:
            query = query.where(*_have(of_stratum))
        with streamed(self._connection, query) as rows:
            yield from map(_to_value, rows.mappings())


def rows_of(project_id: str) -> sa.Select[Any]:
    """Attempts of a project beside what they ran with, what they used and what they found."""
    ended, used = review_attempt.c, llm_usage_event.c
    for_practice = sa.and_(
        agent_job_practice.c.job_id == ended.job_id, agent_job_practice.c.attempt == ended.attempt
    )
    by_attempt = sa.and_(
        used.source_type == JOB, used.source_id == ended.job_id, used.attempt == ended.attempt
    )
    seen = observation.c
    # Asked for each row, by the index of a job's observations: to group them first would read
    # those of every project.
    found = sa.select(seen.id).where(
        seen.agent_job_id == ended.job_id,
        seen.attempt == ended.attempt,
        seen.practice_revision_id == agent_job_practice.c.practice_revision_id,
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
            sa.exists(found.where(seen.assessment.is_not(None))).label("assessed"),
            sa.exists(found.where(seen.assessment == _BAD)).label("bad"),
        )
        .join(agent_job, agent_job.c.id == ended.job_id)
        .outerjoin(agent_job_practice, for_practice)
        .outerjoin(llm_usage_event, by_attempt)
        .where(agent_job.c.project_id == project_id)
        .order_by(ended.ended_at, ended.job_id, ended.attempt)
    )


def _have(identities: Identities) -> tuple[sa.ColumnElement[bool], ...]:
    kind = identities.cohort_kind
    cohort = review_attempt.c.inputs_digest if kind is CohortKind.INPUTS else agent_job.c.cohort
    return (
        agent_job.c.origin == Origin.LIVE.value,
        agent_job.c.cohort_kind == kind.value,
        cohort == identities.cohort,
        review_attempt.c.config_digest == identities.config_digest,
        review_attempt.c.prompt_digest == identities.prompt_digest,
        agent_job_practice.c.practice_revision_id == identities.practice_revision_id,
    )


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
