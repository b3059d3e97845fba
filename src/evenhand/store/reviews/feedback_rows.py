"""How is feedback read from a row, and which columns of it move?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping

from evenhand.core.review.feedback import (
    Channel,
    Feedback,
    FeedbackState,
    Link,
    SuppressionReason,
)
from evenhand.store.times import text_to_time, time_to_text


def row_to_feedback(row: RowMapping, links: tuple[Link, ...]) -> Feedback:
    """The feedback of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    reason = row["suppression_reason"]
    delivered: datetime | None = None
    if row["delivered_at"] is not None:
        delivered = text_to_time(row["delivered_at"])
    return Feedback(
        id=row["id"],
        project_id=row["project_id"],
        job_id=row["agent_job_id"],
        recipient=row["recipient"],
        channel=Channel(row["channel"]),
        position=row["position"],
        state=FeedbackState(row["state"]),
        suppression_reason=None if reason is None else SuppressionReason(reason),
        body=row["body"],
        replaces_id=row["replaces_id"],
        thread_key=row["thread_key"],
        created_at=text_to_time(row["created_at"]),
        delivered_at=delivered,
        links=links,
    )


def state_row(one: Feedback) -> dict[str, Any]:
    """The columns of feedback that may change."""
    reason = one.suppression_reason
    return {
        "state": one.state.value,
        "suppression_reason": None if reason is None else reason.value,
        "delivered_at": None if one.delivered_at is None else time_to_text(one.delivered_at),
    }
