"""Which golden labels was a result measured against, as one digest (``labels-bytes-v1``)?

The digest covers what scoring depends on: id, question, form, hard class and targets of each
question. Order of questions and targets, presentation text and answer gists are no labels. The
format is frozen: a change of any byte would need a successor with a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import b64, tagged_digest

if TYPE_CHECKING:
    from evenhand.core.identity.canonical import Tagged

LABELS_TAG: Final = "labels-bytes-v1"


class LabelRow(NamedTuple):
    """One question's labels as plain data; free text as its original bytes.

    Attributes:
        id: question id.
        question: question text.
        form: lowercase name of the form, ASCII.
        hard_class: None where the question has none, which is not the same as empty.
        targets: expected document ids in any order; none says that the corpus does not answer.
    """

    id: bytes
    question: bytes
    form: str
    hard_class: bytes | None
    targets: tuple[bytes, ...]


def labels_members(rows: Iterable[LabelRow]) -> Tagged:
    """The members of ``labels-bytes-v1``: rows in byte order of the ids, free text in Base64.

    Raises:
        InvalidGoldenSet: two rows have one id; their order, and so the digest, would be chance.
    """
    # Sorting sees the bytes: Base64 text, and text with surrogates, sort differently.
    ordered = sorted(rows, key=lambda row: row.id)
    for before, row in pairwise(ordered):
        if before.id == row.id:
            raise InvalidGoldenSet("two questions have one id")
    return [LABELS_TAG, [_row_members(row) for row in ordered]]


def labels_fingerprint(rows: Iterable[LabelRow]) -> str:
    """Digest of the labels of a golden set, ``v1:`` and hex.

    Raises:
        InvalidGoldenSet: two rows have one id.

    Source: statements P-35 to P-41, BP-16, G-07.
    """
    return tagged_digest(labels_members(rows))


def _row_members(row: LabelRow) -> Tagged:
    return [
        b64(row.id),
        b64(row.question),
        row.form,
        None if row.hard_class is None else b64(row.hard_class),
        [b64(target) for target in sorted(row.targets)],
    ]
