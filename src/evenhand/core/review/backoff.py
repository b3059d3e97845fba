"""How long does a review wait that was given back? Longer each time, and not all alike."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Final

_BACKOFF_FLOOR: Final = 15.0
_BACKOFF_CEILING: Final = 900.0
_JITTER: Final = 0.1
_WORD_END: Final = 2**32 - 1


def backoff(attempt: int, *, job_id: str) -> timedelta:
    """How long a job waits after an attempt that was given back.

    ``attempt`` to the fourth power and 15 seconds, give or take a tenth, at most 15 minutes. What
    is given or taken is drawn from the digest of job and attempt, so that jobs that failed
    together do not come back together, and the same failure always waits as long.

    Args:
        attempt: number of the attempt that ended, from 1.
        job_id: whose.

    Source: statement BR-15.
    """
    drawn = hashlib.sha256(f"{job_id}:{attempt}".encode()).digest()
    share = int.from_bytes(drawn[:4], "big") / _WORD_END
    factor = 1 - _JITTER + 2 * _JITTER * share
    seconds = (attempt**4 + _BACKOFF_FLOOR) * factor
    return timedelta(seconds=min(seconds, _BACKOFF_CEILING))
