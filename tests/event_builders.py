"""Events for tests: number *n* has ids of its own; everything else has a quiet default."""

from typing import Any

from evenhand.contracts.emission import PseudonymKey
from evenhand.contracts.events import Event, validate_event
from evenhand.core.review.grounds import GroundingBasis
from evenhand.usecases.ports import Ids
from evenhand.usecases.results import Results
from tests.builders import RELEASE

KEY = PseudonymKey(version="1", value=b"k" * 32)


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


def an_emitter(ids: Ids, basis: GroundingBasis | None = GroundingBasis.AGREED) -> Results:
    """Emits results; every rubric says of an answer whether it is grounded by this, or by none."""
    return Results(key=lambda _: KEY, grounding=lambda _, __: basis, ids=ids, release=RELEASE)
