"""Which one ranking do several rankings of the same query make? Reciprocal rank fusion.

Weights, `k` and the rankings that go in are treatment settings: they belong in the pipeline
identity, which is the business of whoever fuses.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Final, TypeVar

from evenhand.core.errors import InvalidSetting

#: The constant of the paper: how quickly the weight of a rank falls.
DEFAULT_K: Final = 60

Item = TypeVar("Item", bound=Hashable)


def reciprocal_rank_fusion(
    lists: Sequence[Sequence[Item]],
    weights: Sequence[float] | None = None,
    k: float = DEFAULT_K,
) -> list[tuple[Item, float]]:
    """Fuse rankings by the sum of ``weight / (k + rank)`` over the lists that hold an item.

    Ranks start at 1. An item that occurs again in the same list is ignored there and still takes
    its rank. Equal sums keep the order in which the items were first seen: list by list, best
    first. A sum is rounded once, so the order of the lists cannot split a tie.

    Args:
        lists: rankings, best first; they may be empty and may repeat an item.
        weights: one finite number above 0 for each list; None weighs all lists alike.
        k: finite, at least 0.

    Returns:
        Pairs of item and score above 0, best first, each item once. Empty where nothing goes in.

    Raises:
        InvalidSetting: another number of weights than lists, or a value out of its range.

    Source: Cormack, Clarke and Büttcher 2009; statement BP-31.
    """
    shares = _require_weights(weights, len(lists))
    if not math.isfinite(k) or k < 0:
        raise InvalidSetting("k", "must be a finite number of at least 0")
    terms: dict[Item, list[float]] = {}
    for ranking, weight in zip(lists, shares, strict=True):
        seen: set[Item] = set()
        for rank, item in enumerate(ranking, start=1):
            if item not in seen:
                seen.add(item)
                terms.setdefault(item, []).append(weight / (k + rank))
    scored = [(item, math.fsum(parts)) for item, parts in terms.items()]
    # The sort is stable, and `terms` holds the items in the order of their first sight.
    return sorted(scored, key=lambda pair: -pair[1])


def _require_weights(weights: Sequence[float] | None, count: int) -> Sequence[float]:
    if weights is None:
        return (1.0,) * count
    if len(weights) != count:
        raise InvalidSetting("weights", "must be as many as the rankings")
    if not all(math.isfinite(weight) and weight > 0 for weight in weights):
        raise InvalidSetting("weights", "must be finite numbers above 0")
    return weights
