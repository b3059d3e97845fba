"""What was changed, when and by whom? Entries of the audit, which stay for good.

An entry is written in the transaction that makes the change, so there is none without the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import Invalid

_WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change that is told of for good; never a token, its digest, a query or a ranking.

    Attributes:
        id: UUIDv7 text.
        at: aware UTC, the time of the transaction that made the change.
        actor: who made it.
        action: what was done, such as ``revoke``.
        object_kind, object_id: to what, such as ``credential`` and its row id.
        from_state, to_state: between which states, None where there was or is none.
        code: what else is to be known in one word, such as the role of a new credential.
        version: that the object has from then on; None where it has none.
        related_id: the row id of what else took part, such as the deployment that a route points
            to from then on, or the client that a credential belongs to.

    Raises:
        Invalid: a word of another shape than a lowercase word with underscores, or a version
            below 1.

    Source: statement G-60.
    """

    id: str
    at: datetime
    actor: Actor
    action: str
    object_kind: str
    object_id: str
    from_state: str | None = None
    to_state: str | None = None
    code: str | None = None
    version: int | None = None
    related_id: str | None = None

    def __post_init__(self) -> None:
        for name in ("action", "object_kind", "from_state", "to_state", "code"):
            word = getattr(self, name)
            if word is not None and not _WORD.fullmatch(word):
                raise Invalid(_no_word(name))
        if self.version is not None and self.version < 1:
            raise Invalid("version: must be at least 1")


def _no_word(name: str) -> str:
    return f"{name}: must be a lowercase word, digits and underscores, at most 64 characters"
