"""Which relevance judgements was a graded result measured against, as one digest (``qrels-v1``)?

Graded measures need more than targets: the digest covers every judged triple, grades of zero and
below included. The scoring identity of one graded measure binds that digest together with the
measure and the depth, so that two evaluations compare on a measure only if the judgements behind
it are equal. Reading judgements is the business of ``core.retrieval``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from evenhand.core.errors import InvalidQrels
from evenhand.core.identity.canonical import Tagged, b64, tagged_digest

QRELS_TAG: Final = "qrels-v1"


def qrels_members(rows: Iterable[tuple[bytes, bytes, int]]) -> Tagged:
    """The members of ``qrels-v1``: rows in byte order of query, then document.

    Raises:
        InvalidQrels: a grade that is no integer, or one query and document judged twice; the
            position counts from 1 in the given order.
    """
    numbered = [
        (query, document, position, _require_grade(grade, position))
        for position, (query, document, grade) in enumerate(rows, start=1)
    ]
    numbered.sort()
    for before, row in pairwise(numbered):
        if before[:2] == row[:2]:
            raise InvalidQrels("judges a query and document a second time", position=row[2])
    return [
        QRELS_TAG,
        [[b64(query), b64(document), grade] for query, document, _, grade in numbered],
    ]


def qrels_digest(rows: Iterable[tuple[bytes, bytes, int]]) -> str:
    """Digest of judgements, ``v1:`` and hex.

    It is also the labels fingerprint of judgements that come without question texts.

    Args:
        rows: query id, document id and grade (any integer), in any order.

    Raises:
        InvalidQrels: as :func:`qrels_members`.
    """
    return tagged_digest(qrels_members(rows))


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


def _require_grade(grade: object, position: int) -> int:
    # A bool is an int to Python, and JSON would print it as true.
    if type(grade) is not int:
        raise InvalidQrels("has a grade that is not an integer", position=position)
    return grade
