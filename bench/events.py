"""How fast are events taken in, checked and asked, beside what else does the like?

Each part says what it measures: `events_stores` (in process, beside the least that a database
asks for), `events_http` (batches, beside MLflow and Phoenix), `events_posts` (one at a time),
`events_validation`, and `events_query` (over Parquet).
"""

from __future__ import annotations

from bench import events_http, events_posts, events_query, events_stores, events_validation
from bench.events_data import Row


def compare(rounds: int, *, is_full: bool = False) -> list[Row]:
    """Every part.

    Args:
        rounds: interleaved runs of each.
        is_full: ask ten million events, too, which takes half a gigabyte of disk for the time.
    """
    return [
        *events_stores.compare(rounds),
        *events_validation.compare(rounds),
        *events_posts.compare(rounds),
        *events_http.compare(rounds),
        *events_query.compare(rounds, events_query.MANY if is_full else events_query.FEW),
    ]
