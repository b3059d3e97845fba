"""Which positions have the best scores? Exact, with ties in order of position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_positions(
    scores: NDArray[np.float32] | NDArray[np.float64], limit: int, *, above: float | None = None
) -> list[int]:
    """Positions of the highest scores.

    Args:
        scores: one finite score for each position.
        limit: most positions that are given, at least 1.
        above: only scores greater than this; None takes all.

    Returns:
        Positions by descending score, equal scores by ascending position.
    """
    if limit < len(scores):
        # Everything that ties with the last place goes into the sort, which settles the tie.
        place = len(scores) - limit
        floor = np.partition(scores, place)[place]
        candidates = np.flatnonzero(scores >= floor)
    else:
        candidates = np.arange(len(scores))
    if above is not None:
        candidates = candidates[scores[candidates] > above]
    order = np.argsort(-scores[candidates], kind="stable")
    return [int(position) for position in candidates[order[:limit]]]
