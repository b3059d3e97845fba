"""Which grades do the judged documents of a golden question have?

Targets say which documents are hits; grades say how relevant they are, and which documents
somebody judged and found not relevant. They are in no labels digest, whose bytes are fixed, but in
the digest of judgements (``qrels-v1``), which every graded measure is bound to (ADR-0009).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import to_bytes

Grades: TypeAlias = tuple[tuple[bytes, int], ...]
"""Document id and grade, in byte order of the ids."""

#: From this grade on a document is a target.
MIN_RELEVANCE: Final = 1

_LOWEST, _HIGHEST = -(2**31), 2**31 - 1
_NOT_THE_TARGETS: Final = (
    "grades of 1 and above must be those of exactly the expected_document_ids"
)


def hold_grades(given: Iterable[tuple[str | bytes, int]], targets: Sequence[bytes]) -> Grades:
    """Grades as a question holds them.

    Args:
        given: document id and grade, in any order; empty where nobody graded.
        targets: the question's targets.

    Returns:
        In byte order of the ids. Empty also where they say no more than the targets do: each
        of them has grade 1, and nothing else was judged.

    Raises:
        InvalidGoldenSet: an id that cannot be held, or twice; a grade that is no integer of 32
            bits; a document of grade 1 or above that is no target, or a target that is not.
    """
    held = sorted((_document(document), _grade(grade)) for document, grade in given)
    if len({document for document, _ in held}) != len(held):
        raise InvalidGoldenSet("grades name a document twice")
    if held and {d for d, grade in held if grade >= MIN_RELEVANCE} != set(targets):
        raise InvalidGoldenSet(_NOT_THE_TARGETS)
    if all(grade == MIN_RELEVANCE for _, grade in held):
        return ()
    return tuple(held)


def all_judgements(targets: Sequence[bytes], grades: Grades) -> Grades:
    """Every judged document with its grade: the grades, or grade 1 for each target."""
    return grades or tuple((document, MIN_RELEVANCE) for document in sorted(targets))


def _document(value: str | bytes) -> bytes:
    try:
        held = to_bytes(value, field="grades", refuse_nul=True)
    except EvenhandError:
        raise InvalidGoldenSet("grades name a document that cannot be held as bytes") from None
    if not held:
        raise InvalidGoldenSet("grades name an empty document id")
    return held


def _grade(value: object) -> int:
    # A bool is an int to Python, and JSON would print it as true.
    if type(value) is not int or not _LOWEST <= value <= _HIGHEST:
        raise InvalidGoldenSet("a grade must be a whole number of 32 bits")
    return value
