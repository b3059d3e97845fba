"""What is an event as a row, and the other way round?"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import astuple
from sqlalchemy import RowMapping

from evenhand.contracts.decoding import timestamp_text
from evenhand.contracts.events import Event, EventOutcome
from evenhand.contracts.ingestion import Rejection, StoredEvent, grain_bytes
from evenhand.store.times import text_to_time, time_to_text

#: Those fields of an event that a row holds as they are.
_AS_THEY_ARE: Final = tuple(
    name for name in Event.__struct_fields__ if name not in ("timestamp_utc", "outcome")
)
#: The columns of `event_to_row`, in its order.
COLUMNS: Final = (
    *("project_id", "grain_digest", "client_id", "received_at", "timestamp_utc", "outcome"),
    *_AS_THEY_ARE,
)


def event_to_row(
    event: Event, *, project_id: str, client_id: str | None, received_at: str
) -> tuple[Any, ...]:
    """The row of an event, as a tuple in the order of `COLUMNS`: thousands come at once.

    Args:
        event: the event.
        project_id: whose it is.
        client_id: the service client that sent it; None for people and the hub itself.
        received_at: text of `store.times`, which is the same for all that came together.
    """
    at, *before, outcome, prompt_version, benchmark, review_stratum = astuple(event)
    return (
        project_id,
        grain_bytes(project_id, event),
        client_id,
        received_at,
        timestamp_text(at),
        # The drivers know text and no enum.
        None if outcome is None else outcome.value,
        *before,
        prompt_version,
        benchmark,
        review_stratum,
    )


def row_to_event(row: RowMapping) -> Event:
    """The event of a row.

    Raises:
        ValueError, TypeError: it is not what was written.
    """
    accepted = row["accepted"]
    return Event(
        timestamp_utc=text_to_time(row["timestamp_utc"]),
        event_id=row["event_id"],
        account_id=row["account_id"],
        release=row["release"],
        evaluation_id=row["evaluation_id"],
        retrieval_version=row["retrieval_version"],
        evaluator_version=row["evaluator_version"],
        retrieval_score=row["retrieval_score"],
        grounded=bool(row["grounded"]),
        duration_ms=row["duration_ms"],
        accepted=None if accepted is None else bool(accepted),
        outcome=None if row["outcome"] is None else EventOutcome(row["outcome"]),
        prompt_version=row["prompt_version"],
        benchmark=row["benchmark"],
        review_stratum=row["review_stratum"],
    )


def row_to_stored(row: RowMapping) -> StoredEvent:
    """The event of a row with what is known of its coming.

    Raises:
        ValueError, TypeError: it is not what was written.
    """
    return StoredEvent(
        project_id=row["project_id"],
        event=row_to_event(row),
        client_id=row["client_id"],
        received_at=text_to_time(row["received_at"]),
    )


def rejection_to_row(rejection: Rejection) -> dict[str, Any]:
    """The row of a rejection."""
    return {
        "id": rejection.id,
        "project_id": rejection.project_id,
        "client_id": rejection.client_id,
        "received_at": time_to_text(rejection.received_at),
        "place": rejection.place,
        "code": rejection.code,
        "field": rejection.field,
    }


def row_to_rejection(row: RowMapping) -> Rejection:
    """The rejection of a row.

    Raises:
        ValueError: it is not what was written.
    """
    return Rejection(
        id=row["id"],
        project_id=row["project_id"],
        client_id=row["client_id"],
        received_at=text_to_time(row["received_at"]),
        place=row["place"],
        code=row["code"],
        field=row["field"],
    )
