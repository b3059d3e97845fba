"""Which observations of different runs are about the same concern?"""

from __future__ import annotations

import re
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.identity.canonical import sha256_hex, to_bytes

_SEPARATOR: Final = "\x1f"
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_BLANKS: Final = re.compile(r" +")


def recurrence_key(
    *,
    practice_slug: str,
    artifact_kind: str,
    artifact_id: int | str,
    subject_id: int | str,
    first_evidence_path: str | None,
) -> str:
    """Key that an observation shares with the same concern in other runs.

    It says what the observation is about, never when or by which job it was made: no job, line,
    time or summary text goes in, for those differ from run to run. The path is normalised, so
    that case and spacing do not split a concern: ASCII controls are deleted, runs of blanks
    become one, blanks at the ends go, letters become lowercase.

    Args:
        practice_slug: stable name of the practice.
        artifact_kind: for example ``rag.answer``.
        artifact_id: the artifact under review.
        subject_id: whom or what the observation is about.
        first_evidence_path: path of the first evidence, without a line; None where there is none.

    Returns:
        64 lowercase hex digits.

    Raises:
        InvalidText: a field holds the separator U+001F, or a lone surrogate.

    Source: statement BR-23.
    """
    fields = {
        "practice_slug": practice_slug,
        "artifact_kind": artifact_kind,
        "artifact_id": str(artifact_id),
        "subject_id": str(subject_id),
    }
    for field, value in fields.items():
        if _SEPARATOR in value:
            raise InvalidText(field, "must not hold U+001F")
    path = "" if first_evidence_path is None else _normalised(first_evidence_path)
    key = _SEPARATOR.join([*fields.values(), path])
    return sha256_hex(to_bytes(key, field="recurrence key"))


def _normalised(path: str) -> str:
    # Controls go first: a tab is deleted, not turned into a blank.
    return _BLANKS.sub(" ", _CONTROLS.sub("", path)).strip(" ").lower()
