"""Where are golden sets frozen? In a suite, which is a name in a project.

What is frozen is a revision of it (`core.retrieval.suite_revision`), which never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.registry.registered import Changeable


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(Changeable):
    """A named place in which golden sets are frozen. No other suite of the project has its name.

    Attributes:
        project_id: whose, for good.
    """

    project_id: str
