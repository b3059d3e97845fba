"""Did a job hand in its output before, and was it this one? One payload a job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evenhand.core.errors.review import ObservationsConflict
from evenhand.core.review.attempt import CandidateCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """That a job handed in its output, once (BR-21).

    Attributes:
        job_id, attempt: which.
        payload_digest: of what was handed in (the C-92 rule), 64 hex digits.
        counts: what it held.
        created_at: aware UTC.
    """

    job_id: str
    attempt: int
    payload_digest: str
    counts: CandidateCounts
    created_at: datetime

    def require_same(self, payload_digest: str) -> None:
        """Nothing, where what is handed in again is what was handed in.

        Raises:
            ObservationsConflict: it is something else.
        """
        if payload_digest != self.payload_digest:
            raise ObservationsConflict
