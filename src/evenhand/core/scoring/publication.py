"""How is it known that an evaluation was published before? By a key, and a digest of what was sent.

A client that got no answer sends the same again; with the same key it gets the record that was
made, and nothing is stored twice (G-44).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.core.errors import Invalid
from evenhand.core.errors.publication import IdempotencyConflict
from evenhand.core.identity.canonical import is_sha256

#: What a key may be, in one pattern for the network, the command line and the table.
KEY_PATTERN: Final = r"^[A-Za-z0-9._:-]{1,128}$"
_KEY: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
#: Every code of a failed question that a client may report.
ERROR_CODE_PATTERN: Final = r"^[A-Z][A-Z0-9_]{0,63}$"
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", re.ASCII)
_LONGEST: Final = 64
_UNNAMED: Final = "ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """That an evaluation came over the network, by whom and under which key.

    Attributes:
        evaluation_id: what was made of it.
        project_id: where it belongs.
        suite_revision_id: what was asked; None where the set was sent along or only described.
        client_id: of the service client that sent it; None where a person did.
        credential_id: by which it was sent.
        idempotency_key: of one call and its retries, within the project.
        body_digest: of what was sent (the C-92 rule), plain hex.
        created_at: aware UTC.

    Raises:
        Invalid: a key or a digest of another shape.
    """

    evaluation_id: str
    project_id: str
    suite_revision_id: str | None
    client_id: str | None
    credential_id: str
    idempotency_key: str
    body_digest: str
    created_at: datetime

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.idempotency_key):
            raise Invalid("idempotency_key: must be 1 to 128 letters, digits and . _ : -")
        if not is_sha256(self.body_digest):
            raise Invalid("body_digest: must be 64 lowercase hex digits")

    def require_same(self, body_digest: str) -> None:
        """Nothing, where what is sent again is what was sent.

        Raises:
            IdempotencyConflict: it is something else.
        """
        if body_digest != self.body_digest:
            raise IdempotencyConflict


def error_code_of(error_class: str) -> str:
    """The code by which a failure is reported: the words of its name in capitals.

    Args:
        error_class: name of an error's class, or a code: ``ConnectionError``, ``http_503``.
    """
    words = [word for word in _WORDS.split(error_class) if word]
    code = "_".join(words).upper()[:_LONGEST]
    if not code or not code[0].isalpha():
        code = f"{_UNNAMED}_{code}".rstrip("_")[:_LONGEST]
    return code
