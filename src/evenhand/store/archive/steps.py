"""What has to be done to a database after an archive was loaded, before it may be used?

A backup is of a past that goes on without it: whoever held a claim then holds none now. Each
capability that knows of such things brings one step; all of them run in the transaction that
loads the rows, so that no state between is ever seen (G-61).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.usecases.ports import UnitOfWork


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreStep:
    """What one capability does after a restore.

    Attributes:
        name: of the capability; the database keeps which steps were done.
        run: a use case: changes what has to be changed, and neither commits nor starts anything.
            Done twice it has to change nothing more.
    """

    name: str
    run: Callable[[UnitOfWork], object]
