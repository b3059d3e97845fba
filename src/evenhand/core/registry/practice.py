"""What are criteria kept under? A practice, which is a name in a project.

What it says is a revision of it (`core.review.practice`), which never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.registry.registered import Changeable


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice(Changeable):
    """A named practice that answers or runs are reviewed for.

    No other practice of the project has its name.

    Attributes:
        project_id: whose, for good.
    """

    project_id: str
