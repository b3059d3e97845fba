"""How long are requests to the gateway kept? Until somebody asks that those of long ago go."""

from __future__ import annotations

from typing import Final

from evenhand.core.privacy import kept_since
from evenhand.usecases.ports import UnitOfWork

#: What the trace of a purge calls them.
RETENTION_CATEGORY: Final = "gateway_request"


def purge(uow: UnitOfWork, *, days: int, actor: str) -> int:
    """Delete the requests that are older than a number of days, but those that prove something.

    Args:
        uow: an open transaction.
        days: at least 1; what began strictly more than this long ago goes. A request that a
            comparison rests on stays.
        actor: who asked, for the trace that stays.

    Returns:
        How many were deleted.

    Raises:
        InvalidSetting: days below 1.
    """
    before = kept_since(uow.now(), days=days)
    return uow.gateway_requests.purge(before=before, category=RETENTION_CATEGORY, actor=actor)
