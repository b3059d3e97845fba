"""Which relevance judgements was a graded result measured against, as one digest (``qrels-v1``)?

Graded measures need more than targets: the digest covers every judged triple, grades of zero and
below included. The scoring identity of one graded measure binds that digest together with the
measure and the depth, so that two evaluations compare on a measure only if the judgements behind
it are equal. Reading judgements is the business of ``core.retrieval``.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.identity.canonical import b64, tagged_digest

if TYPE_CHECKING:
    from evenhand.core.identity.canonical import Tagged

QRELS_TAG: Final = "qrels-v1"

Row: TypeAlias = tuple[bytes, bytes, int]
"""Query id, document id and grade."""


def qrels_members(rows: Iterable[Row]) -> Tagged:
    """The members of ``qrels-v1``: rows in byte order of query, then document.

    Raises:
        InvalidQrels: a grade that is no integer, or one query and document judged twice; the
            position counts from 1 in the given order.
    """
    grouped = _grouped(rows)
    return [
        QRELS_TAG,
        [
            [b64(query), b64(document), grouped[query][document]]
            for query in sorted(grouped)
            for document in sorted(grouped[query])
        ],
    ]


def qrels_digest(rows: Iterable[Row]) -> str:
    """Digest of judgements, ``v1:`` and hex: that of the text of :func:`qrels_members`.

    It is also the labels fingerprint of judgements that come without question texts. The text is
    hashed query by query, never held as a whole.

    Args:
        rows: query id, document id and grade (any integer), in any order.

    Raises:
        InvalidQrels: as :func:`qrels_members`.
    """
    grouped = _grouped(rows)
    sha256 = hashlib.sha256(f'["{QRELS_TAG}",['.encode("ascii"))
    comma = ""
    for query in sorted(grouped):
        sha256.update((comma + _text(query, grouped[query])).encode("ascii"))
        comma = ","
    sha256.update(b"]]")
    return "v1:" + sha256.hexdigest()


def _text(query: bytes, grades: Mapping[bytes, int]) -> str:
    """The compact JSON of the rows of one query; base64 and integers need no escapes."""
    head = f'["{_b64(query)}","'
    return ",".join(
        [f'{head}{_b64(document)}",{grades[document]}]' for document in sorted(grades)]
    )


def _b64(content: bytes) -> str:
    # As canonical.b64, a third faster: there are hundreds of thousands of rows.
    return b2a_base64(content, newline=False).decode("ascii")


def _grouped(rows: Iterable[Row]) -> dict[bytes, dict[bytes, int]]:
    grouped: dict[bytes, dict[bytes, int]] = {}
    for position, (query, document, grade) in enumerate(rows, start=1):
        # A bool is an int to Python, and JSON would print it as true.
        if type(grade) is not int:
            raise InvalidQrels("has a grade that is not an integer", position=position)
        grades = grouped.setdefault(query, {})
        if document in grades:
            raise InvalidQrels("judges a query and document a second time", position=position)
        grades[document] = grade
    return grouped


def scoring_identity(protocol: str, digest: str, measure: str, depth: int) -> str:
    """What stands for the scoring version in the benchmark of one graded measure.

    One identity a measure: asking for one more measure changes nothing for the others.

    Args:
        protocol: version of the graded protocol, such as ``trec-eval-v1``.
        digest: the qrels digest.
        measure: name in ir_measures spelling, with its relevance threshold where it has one.
        depth: how many documents of a ranking were asked for, at least 1.

    Returns:
        ``v1:`` and hex.
    """
    return tagged_digest([protocol, digest, measure, depth])
