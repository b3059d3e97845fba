"""Events for tests: number *n* has ids of its own; everything else has a quiet default."""

from typing import Any

from evenhand.contracts.events import Event, validate_event


def event_document(number: int = 1, /, **stated: Any) -> dict[str, Any]:
    """The JSON object of an event; what is None is left out."""
    document = {
        "timestamp_utc": "2026-07-29T10:12:43.000000Z",
        "event_id": f"evt_{number}",
        "account_id": "acct_1",
        "release": "2026.07.3",
        "evaluation_id": f"eval_{number}",
        "retrieval_version": "hybrid_v4",
        "evaluator_version": "grounding_rubric_v2",
        "retrieval_score": 0.5,
        "grounded": True,
        "duration_ms": 1280,
    }
    return {name: one for name, one in (document | stated).items() if one is not None}


def an_event(number: int = 1, /, **stated: Any) -> Event:
    return validate_event(event_document(number, **stated))
