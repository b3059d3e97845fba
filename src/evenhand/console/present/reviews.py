"""How do reviews read in a list?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from evenhand.console.addresses import review_address
from evenhand.console.present.times import Moment, moment
from evenhand.core.review.job import AgentJob
from evenhand.reports import numbers
from evenhand.reports.review_words import word_text
from evenhand.reports.safe_text import shown_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One review in a list.

    Attributes:
        id, short_id: whole, and its beginning.
        address: of its trail.
        submitted: when.
        state: where it stands, as a word; ``key`` is the same for a class of the stylesheet.
        artifact: what is reviewed.
        project: whose.
        model: the admitted one.
        attempt: which one runs, or ran last.
        outcome: how that ended; ``none yet`` before.
    """

    id: str
    short_id: str
    address: str
    submitted: Moment
    state: str
    key: str
    artifact: str
    project: str
    model: str
    attempt: int
    outcome: str


def review_row(job: AgentJob, projects: Mapping[str, str], *, now: datetime) -> ReviewRow:
    """One review as a row.

    Args:
        job: the review.
        projects: names by id.
        now: aware UTC.
    """
    asked = job.submission
    return ReviewRow(
        id=job.id,
        short_id=numbers.short_id(job.id),
        address=review_address(job.id),
        submitted=moment(job.created_at, now=now),
        state=word_text(job.state),
        key=job.state.value,
        artifact=f"{asked.artifact_kind.value} {shown_id(asked.artifact_id)}",
        project=shown_id(projects.get(asked.project_id, asked.project_id)),
        model=shown_id(job.effective_snapshot.model),
        attempt=job.attempt,
        outcome="none yet" if job.outcome is None else word_text(job.outcome),
    )
