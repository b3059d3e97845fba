"""Who hears how the demo goes? Whoever runs it; the command line prints it to standard error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from evenhand.usecases.ports import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Two ways to say something.

    Attributes:
        tell: hears a sentence.
        track: opens the progress of long work, given a title and a number of units.
    """

    tell: Callable[[str], None]
    track: Callable[[str, int], AbstractContextManager[Progress]]
