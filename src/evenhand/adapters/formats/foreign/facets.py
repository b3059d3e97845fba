"""What can a golden question say that another format may have no place for?

An export refuses what its format cannot hold, by name and count; the user may drop it by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from evenhand.adapters.formats.format_names import FACET_NAMES
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import Answerability, Form, GoldenQuestion, GoldenSet

_FACETS: Final[Mapping[str, Callable[[GoldenQuestion], bool]]] = MappingProxyType(
    {
        "form": lambda one: one.form is Form.GAP,
        "hard_class": lambda one: one.hard_class is not None,
        "answer_gist": lambda one: one.answer_gist is not None,
        "critical": lambda one: one.critical,
        "reviewed": lambda one: one.reviewed,
        "label_provenance": lambda one: one.label_provenance is not None,
        "grades": lambda one: bool(one.grades),
        "no_answer": lambda one: one.answerability is Answerability.NO_ANSWER,
        "unjudged": lambda one: one.unjudged,
    }
)
_HOLDOUT: Final = "holdout"

#: To drop one of these is to leave the question out: without it, it would say something else.
_WHOLE_QUESTIONS: Final = frozenset(("no_answer", "unjudged"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a format can hold.

    Attributes:
        format: its name.
        facets: of `FACET_NAMES`.
    """

    format: str
    facets: frozenset[str]


def reduced(golden_set: GoldenSet, held: Held, drop: Collection[str], file: str) -> GoldenSet:
    """The set with only what a format can hold.

    Args:
        golden_set: to be exported.
        held: by the format.
        drop: what the user gives up; what the format can hold is kept all the same.
        file: what messages call the target.

    Raises:
        InvalidFile: questions say something that the format cannot hold and nobody gave up, or
            no question is left.
    """
    lost = {name: _count(golden_set, name) for name in FACET_NAMES if name not in held.facets}
    lost = {name: count for name, count in lost.items() if count}
    kept_back = {name: count for name, count in lost.items() if name not in drop}
    if kept_back:
        raise InvalidFile(file, _cannot_hold(held.format, kept_back))
    left_out = [_FACETS[name] for name in lost if name in _WHOLE_QUESTIONS]
    questions = tuple(
        _without(one, frozenset(lost))
        for one in golden_set.questions
        if not any(says(one) for says in left_out)
    )
    if not questions:
        raise InvalidFile(file, "no question would be left")
    return GoldenSet(
        identifier=golden_set.identifier,
        name=golden_set.name,
        description=golden_set.description,
        questions=questions,
        holdout=() if _HOLDOUT in lost else golden_set.holdout,
    )


def require_utf8(golden_set: GoldenSet, held: Held, file: str) -> None:
    """See that ids and texts are UTF-8.

    Raises:
        InvalidFile: some question holds other bytes, which only Evenhand's own formats can spell.
    """
    for number, one in enumerate(golden_set.questions, 1):
        parts = (one.id, one.question, one.hard_class, one.answer_gist, *one.expected_document_ids)
        if not all(part is None or _is_utf8(part) for part in parts):
            raise InvalidFile(file, _no_utf8(held.format, number))


def ordered_judgements(one: GoldenQuestion) -> Iterator[tuple[bytes, int]]:
    """Every judged document with its grade: the targets in their order, then the others."""
    grades = dict(one.judgements)
    for target in one.expected_document_ids:
        yield target, grades.pop(target)
    yield from grades.items()


def _count(golden_set: GoldenSet, name: str) -> int:
    if name == _HOLDOUT:
        return len(golden_set.holdout)
    return sum(map(_FACETS[name], golden_set.questions))


def _without(one: GoldenQuestion, lost: frozenset[str]) -> GoldenQuestion:
    return GoldenQuestion(
        id=one.id,
        question=one.question,
        form=Form.MATCH if "form" in lost else one.form,
        expected_document_ids=one.expected_document_ids,
        hard_class=None if "hard_class" in lost else one.hard_class,
        answer_gist=None if "answer_gist" in lost else one.answer_gist,
        critical=one.critical and "critical" not in lost,
        reviewed=one.reviewed and "reviewed" not in lost,
        label_provenance=None if "label_provenance" in lost else one.label_provenance,
        unjudged=one.unjudged,
        grades=() if "grades" in lost else one.grades,
    )


def _is_utf8(held: bytes) -> bool:
    try:
        held.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _cannot_hold(name: str, lost: Mapping[str, int]) -> str:
    shown = ", ".join(
        f"{facet} ({count} {'question' if count == 1 else 'questions'})"
        for facet, count in lost.items()
    )
    flags = " ".join(f"--drop {facet}" for facet in lost)
    return f"{name} cannot hold {shown}; give it up with {flags}"


def _no_utf8(name: str, number: int) -> str:
    return f"question {number} holds bytes that are not UTF-8, which {name} cannot hold"
