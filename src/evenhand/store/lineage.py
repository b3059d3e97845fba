"""Which chain of migrations does this release know, and does a database stand on it?

A revision string does not prove a compatible database (C-126): two chains may use the same one.
So each revision has a chain digest, over its id, its file's SHA-256 and the digest before it, and
a database stores the digests of the revisions that were applied to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from evenhand.core.identity.canonical import json_ascii_v1_digest

MIGRATIONS: Final = Path(__file__).parent / "migrations"
LINEAGE_FILE: Final = MIGRATIONS / "lineage.json"
_TAG: Final = "lineage-v1"


class Status(StrEnum):
    """Where a database stands against the chain of this release."""

    ABSENT = "absent"
    BEHIND = "behind"
    CURRENT = "current"
    AHEAD = "ahead"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Step:
    """One revision of the chain.

    Attributes:
        revision: ``YYYYMMDD_NNNN``.
        sha256: of the migration's file.
        chain: digest of everything up to this revision.
    """

    revision: str
    sha256: str
    chain: str


def chain_steps(files: Iterable[tuple[str, str]]) -> tuple[Step, ...]:
    """The chain over pairs of revision and file digest, oldest first."""
    steps: list[Step] = []
    before: str | None = None
    for revision, sha256 in files:
        before = json_ascii_v1_digest([_TAG, before, revision, sha256])
        steps.append(Step(revision, sha256, before))
    return tuple(steps)


@cache
def load_lineage() -> tuple[Step, ...]:
    """The chain of this release, from the committed list; oldest first."""
    listed = msgspec.json.decode(LINEAGE_FILE.read_bytes(), type=list[tuple[str, str]])
    return chain_steps(listed)


def head() -> Step:
    """The newest revision of this release."""
    return load_lineage()[-1]


def compare_lineage(
    applied: Sequence[tuple[str, str]], known: Sequence[Step], version: str | None
) -> Status:
    """Where a database stands.

    Args:
        applied: (revision, chain digest) as the database stores them, oldest first.
        known: the chain of this release.
        version: the revision under which the migration tool left the database.

    Returns:
        ``foreign`` as soon as one common step differs, or when the tool's own note is not the
        last applied step: then somebody stamped it (C-119, C-127).
    """
    if not applied:
        return Status.ABSENT if version is None else Status.FOREIGN
    if version != applied[-1][0]:
        return Status.FOREIGN
    if any(stored != (step.revision, step.chain) for stored, step in zip(applied, known)):  # noqa: B905 -- one may be longer
        return Status.FOREIGN
    if len(applied) < len(known):
        return Status.BEHIND
    return Status.CURRENT if len(applied) == len(known) else Status.AHEAD
