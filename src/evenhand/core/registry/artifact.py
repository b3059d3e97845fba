"""Which content is a model? An artifact: a digest that an operator states, and a label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.identity.labels import require_revision
from evenhand.core.registry.registered import Registered

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact(Registered):
    """The content of a model. No other artifact has its name; nothing of it ever changes.

    Attributes:
        digest: SHA-256 of the content, lowercase hex. It is what the operator states: nothing
            here has seen the content.
        model: label of the model and its revision.

    Raises:
        InvalidText: a digest of another shape.
        InvalidLabel: the model's label breaks the label rule.
    """

    digest: str
    model: str

    def __post_init__(self) -> None:
        Registered.__post_init__(self)
        if not _DIGEST.fullmatch(self.digest):
            raise InvalidText("digest", "must be 64 lowercase hex digits")
        require_revision(self.model, "model")
