"""What do all objects of the registry share? An id, a name, a time; most of them also a version.

An object is never taken away: it is deactivated, so that whatever once named it still leads
somewhere. What an object *is* never changes; what may change raises its version by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any, Final, Self

from evenhand.core.access.credential import require_name
from evenhand.core.errors import Invalid
from evenhand.core.errors.registry import VersionConflict


class Noun(StrEnum):
    """The kinds of objects; the value is how the audit and the codes of errors call one."""

    PROJECT = "project"
    BINDING = "binding"
    SERVICE_CLIENT = "service_client"
    ARTIFACT = "artifact"
    RUNTIME = "runtime"
    DEPLOYMENT = "deployment"
    ROUTE = "route"
    SUITE = "suite"
    PRACTICE = "practice"


class Unset(Enum):
    """What stands where a change says nothing of a value, since None may be one."""

    UNSET = "unset"


#: Nothing is said of this value: it stays as it is.
UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """An object of the registry.

    Attributes:
        id: UUIDv7 text.
        created_at: aware UTC.
        name: for people to tell it by; what else of its kind may not have it, each kind says.

    Raises:
        InvalidName: a name that breaks the rule.
    """

    id: str
    created_at: datetime
    name: str

    def __post_init__(self) -> None:
        require_name(self.name, "name")

    @property
    def state(self) -> str:
        """In one word, for the audit."""
        return "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeable(Registered):
    """An object of which something may change.

    Attributes:
        active: whether it is in use; what is inactive counts for nothing.
        version: begins at 1; each change raises it by one.

    Raises:
        InvalidName: as `Registered`.
        Invalid: a version below 1.
    """

    active: bool = True
    version: int = 1

    def __post_init__(self) -> None:
        # No super(): a dataclass with slots is made anew, and the old one is what it would name.
        Registered.__post_init__(self)
        if self.version < 1:
            raise Invalid("version: must be at least 1")

    @property
    def state(self) -> str:
        """In one word, for the audit."""
        return "active" if self.active else "inactive"

    def changed(self, *, expected_version: int, **values: Any) -> Self:
        """The same with other values and the next version; itself where nothing differs.

        Args:
            expected_version: what the caller saw; it decides only on what it knows.
            values: by attribute, of those that may change; `UNSET` leaves one as it is.

        Raises:
            VersionConflict: somebody changed it since.
            Invalid: a value breaks a rule.
        """
        if self.version != expected_version:
            raise VersionConflict(self.id)
        made = replace(self, **{name: to for name, to in values.items() if to is not UNSET})
        return self if made == self else replace(made, version=self.version + 1)
