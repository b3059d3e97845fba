"""For which decisions has a golden set been used? The entries of a ledger.

Each decision that is taken on one set makes the next one on it a little easier to win by chance.
Evenhand counts them by the labels, so that renaming a set does not start a new page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.errors import Invalid
from evenhand.core.identity.canonical import is_fingerprint

_CONCLUSION: Final = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)


class SetUseKind(StrEnum):
    """What kind of decision was taken.

    ``holdout`` is a reading of the part that is held out: a gate, a comparison of its results, or
    a new measure of one.
    """

    COMPARE = "compare"
    AB = "ab"
    GATE = "gate"
    HOLDOUT = "holdout"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUse:
    """One decision.

    Attributes:
        id: UUIDv7 text.
        at: aware UTC.
        labels_fingerprint: of the set, ``v1:`` and hex.
        set_identifier: what the set was called then.
        kind: of decision.
        evaluation_ids: the stored evaluations it rested on, the current one first; may be empty,
            and they may be gone by now.
        conclusion: a lowercase word with underscores, such as ``pass`` or ``inconclusive``.

    Raises:
        Invalid: a fingerprint or a conclusion of another shape.
    """

    id: str
    at: datetime
    labels_fingerprint: str
    set_identifier: str
    kind: SetUseKind
    evaluation_ids: tuple[str, ...]
    conclusion: str

    def __post_init__(self) -> None:
        if not is_fingerprint(self.labels_fingerprint):
            raise Invalid("labels_fingerprint: must be v1: and 64 lowercase hex digits")
        if not _CONCLUSION.fullmatch(self.conclusion):
            raise Invalid("conclusion: must be a lowercase word of at most 64 characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUseCounts:
    """How many decisions rested on one set of labels.

    Attributes:
        by_kind: number per kind, of kinds that occur.
    """

    by_kind: Mapping[SetUseKind, int]

    @property
    def total(self) -> int:
        """Over all kinds."""
        return sum(self.by_kind.values())

    def of(self, kind: SetUseKind) -> int:
        """Of one kind."""
        return self.by_kind.get(kind, 0)
