"""What becomes of comparisons when a database is restored? Those that had not ended, end."""

from __future__ import annotations

from typing import Final

from evenhand.core.comparison.intent import restored
from evenhand.usecases.intents.telling import save_interrupted
from evenhand.usecases.ports import Ids, UnitOfWork

#: The step's name, which the database keeps.
STEP: Final = "comparisons"
_AT_A_TIME: Final = 100


def interrupt_restored(uow: UnitOfWork, *, ids: Ids) -> int:
    """Interrupt every comparison that had not ended, and start nothing; how many that were.

    Their claims are of a time before the backup, so none of them can be proved any more; what was
    pinned, what was completed and the keys stay. Done again it changes nothing.

    Args:
        uow: the restore's transaction.
        ids: of the rows.

    Source: statements C-112 to C-116, G-61.
    """
    ended = 0
    while found := uow.intents.lock_active(limit=_AT_A_TIME):
        now = uow.now()
        for intent in found:
            save_interrupted(uow, intent, restored(intent, now), now=now, ids=ids)
        ended += len(found)
    return ended
