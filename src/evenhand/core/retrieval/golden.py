"""What is a golden question, and what is a set of them? Validated values, held as bytes.

Files are read elsewhere (`adapters.formats`); what the digests cover is `core.identity`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import to_bytes, to_text
from evenhand.core.identity.labels_bytes import LabelRow, labels_fingerprint
from evenhand.core.identity.qrels import qrels_digest
from evenhand.core.retrieval.grades import Grades, all_judgements, hold_grades
from evenhand.core.retrieval.label_provenance import LabelProvenance as LabelProvenance

QueryId = NewType("QueryId", bytes)
DocId = NewType("DocId", bytes)

#: Customary hard classes; any other non-empty text is legal too (BP-03).
CUSTOMARY_HARD_CLASSES = (
    "near-duplicate",
    "specific-vs-general",
    "prose-free",
    "boilerplate",
    "normal",
)

#: Longest identifier of a set or a retriever: both are keys of an index on both databases.
MAX_NAME_BYTES = 255
TOO_LONG = f"must be at most {MAX_NAME_BYTES} bytes long"

#: What the holdout part of a set is called, after the set's own identifier.
HOLDOUT_SUFFIX = ".holdout"

_NO_QUESTION = "a golden set needs at least one question"
_SUFFIX_TAKEN = (
    f"identifier must not end in {HOLDOUT_SUFFIX}: so is called what a set holds out, and "
    "evenhand gate SET --holdout asks that"
)
_ALL_HELD_OUT = "a golden set needs at least one question that is not held out"
_IDENTIFIER = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*", re.ASCII)


class Form(StrEnum):
    """How a question relates to its target's wording: the primary reporting split.

    ``match`` shares vocabulary with its target; ``gap`` is an everyday rewording of it.
    """

    MATCH = "match"
    GAP = "gap"


class Answerability(StrEnum):
    """What the labels say of a question."""

    ANSWERABLE = "answerable"
    NO_ANSWER = "no_answer"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True, init=False)
class GoldenQuestion:
    """A query with its labels. Ids and texts are bytes; text given as ``str`` becomes UTF-8.

    Attributes:
        id: unique within the set, not empty.
        question: what is asked, not empty.
        form: primary split.
        expected_document_ids: the targets, any one of which is a hit. Empty means that nothing
            in the corpus answers the question, unless ``unjudged``.
        hard_class: secondary split, None when the question has none.
        answer_gist: a hint for people, never scored, in no digest.
        critical: a regression on this question weighs more (gates).
        reviewed: a second person has looked at the labels.
        label_provenance: against which corpus the labels were made.
        unjudged: nobody has looked; retrieved and counted, in neither labels digest nor rates.
        grades: of every judged document, by id; empty where they say no more than the targets.

    Raises:
        InvalidGoldenSet: empty id, question, target or hard class; a target twice; targets on an
            unjudged question; grades that are not those of the targets; NUL or a lone surrogate
            in a text. The text is never repeated.
    """

    id: QueryId
    question: bytes
    form: Form
    expected_document_ids: tuple[DocId, ...]
    hard_class: bytes | None
    answer_gist: bytes | None
    critical: bool
    reviewed: bool
    label_provenance: LabelProvenance | None
    unjudged: bool
    grades: Grades

    def __init__(  # noqa: PLR0913 -- the fields of the file format, all by keyword
        self,
        *,
        id: str | bytes,  # noqa: A002 -- the interchange name
        question: str | bytes,
        form: Form | str,
        expected_document_ids: Sequence[str | bytes] = (),
        hard_class: str | bytes | None = None,
        answer_gist: str | bytes | None = None,
        critical: bool = False,
        reviewed: bool = False,
        label_provenance: LabelProvenance | None = None,
        unjudged: bool = False,
        grades: Iterable[tuple[str | bytes, int]] = (),
    ) -> None:
        """Check and hold the fields; see the class."""
        put = object.__setattr__
        put(self, "id", QueryId(_text(id, "id")))
        put(self, "question", _text(question, "question"))
        put(self, "form", _form(form))
        put(self, "expected_document_ids", _targets(expected_document_ids))
        put(self, "hard_class", None if hard_class is None else _text(hard_class, "hard_class"))
        put(self, "answer_gist", None if answer_gist is None else _held(answer_gist, "gist"))
        put(self, "critical", critical)
        put(self, "reviewed", reviewed)
        put(self, "label_provenance", label_provenance)
        put(self, "unjudged", unjudged)
        put(self, "grades", hold_grades(grades, self.expected_document_ids))
        if unjudged and self.expected_document_ids:
            raise InvalidGoldenSet("an unjudged question cannot have expected_document_ids")

    @property
    def answerability(self) -> Answerability:
        """Whether the corpus answers this question, as far as the labels know."""
        if self.unjudged:
            return Answerability.UNJUDGED
        return Answerability.ANSWERABLE if self.expected_document_ids else Answerability.NO_ANSWER

    @property
    def judgements(self) -> Grades:
        """Every judged document with its grade, in byte order of the ids."""
        return all_judgements(self.expected_document_ids, self.grades)

    @property
    def text(self) -> str:
        """The question as a retriever gets it; bytes that are not UTF-8 become surrogates."""
        return to_text(self.question)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """Golden questions about one corpus.

    Attributes:
        identifier: lowercase ``[a-z0-9_]`` segments joined by single dots.
        name: what people call it, not empty. Name and description are in no digest; unlike ids
            and questions they must be UTF-8.
        questions: at least one; ids are distinct. The order is the order of evaluation only.
        description: free text.
        holdout: questions that are kept back, whose ids are none of the others'. Whatever goes
            over `questions` never meets them; they are asked as a set of their own,
            `holdout_part` (ADR-0008).
        is_holdout: whether this is such a part of another set; by this its identifier, and no
            other, ends in ``.holdout``.

    Raises:
        InvalidGoldenSet: one of these rules is broken.
    """

    identifier: str
    name: str
    questions: tuple[GoldenQuestion, ...]
    description: str = ""
    holdout: tuple[GoldenQuestion, ...] = ()
    is_holdout: bool = False

    def __post_init__(self) -> None:
        """Check the set's own rules; see the class."""
        longest = MAX_NAME_BYTES - (len(HOLDOUT_SUFFIX) if self.holdout else 0)
        if len(self.identifier) > longest:
            rule = f"identifier must be at most {longest} bytes long"
            raise InvalidGoldenSet(rule)
        if not _IDENTIFIER.fullmatch(self.identifier):
            rule = "identifier must be lowercase [a-z0-9_] segments joined by single dots"
            raise InvalidGoldenSet(rule)
        if is_holdout_identifier(self.identifier) is not self.is_holdout:
            raise InvalidGoldenSet(_SUFFIX_TAKEN)
        _require_utf8(_text(self.name, "name"), "name")
        _require_utf8(_held(self.description, "description"), "description")
        # A list would make the frozen value changeable, and unfit as a key.
        object.__setattr__(self, "questions", tuple(self.questions))
        object.__setattr__(self, "holdout", tuple(self.holdout))
        if not self.questions:
            raise InvalidGoldenSet(_ALL_HELD_OUT if self.holdout else _NO_QUESTION)
        seen: set[bytes] = set()
        for number, question in enumerate(self.with_holdout, 1):
            if question.id in seen:
                raise InvalidGoldenSet("this id occurs twice in the set", question=number)
            seen.add(question.id)

    @property
    def with_holdout(self) -> tuple[GoldenQuestion, ...]:
        """Every question, those that are held out last: for readers of labels, never to be asked."""
        return self.questions + self.holdout

    @property
    def holdout_part(self) -> GoldenSet | None:
        """What is held out as a set of its own, with labels and results of its own; None without.

        Its identifier is the set's with ``.holdout``. Only ``evenhand gate --holdout`` asks it.
        """
        if not self.holdout:
            return None
        return GoldenSet(
            identifier=self.identifier + HOLDOUT_SUFFIX,
            name=f"{self.name} (holdout)",
            questions=self.holdout,
            description=self.description,
            is_holdout=True,
        )

    @property
    def judged(self) -> tuple[GoldenQuestion, ...]:
        """The questions that labels digest and rates cover, in the set's order."""
        return tuple(question for question in self.questions if not question.unjudged)

    @property
    def by_position(self) -> tuple[GoldenQuestion, ...]:
        """All questions in byte order of their ids: position *i* of every stored outcome."""
        return tuple(sorted(self.questions, key=lambda question: question.id))

    @property
    def labels_fingerprint(self) -> str:
        """Digest of ids, texts, forms, hard classes and targets (`labels-bytes-v1`).

        What is held out is not in it: it was not asked, so no result depends on it.
        """
        return labels_fingerprint(
            LabelRow(q.id, q.question, q.form.value, q.hard_class, q.expected_document_ids)
            for q in self.judged
        )

    @property
    def qrels_digest(self) -> str:
        """Digest of every judgement, grades of 0 and below included (`qrels-v1`)."""
        return qrels_digest((q.id, d, grade) for q in self.questions for d, grade in q.judgements)


def is_holdout_identifier(identifier: str) -> bool:
    """Whether a set of this identifier is the holdout part of another, as stored results name it.

    Of such a result counts are shown, and nothing question by question (ADR-0008).
    """
    return identifier.endswith(HOLDOUT_SUFFIX)


def _held(value: str | bytes, field: str) -> bytes:
    try:
        held = to_bytes(value)
    except EvenhandError:
        rule = f"{field} is not text that can be held as bytes"
        raise InvalidGoldenSet(rule) from None
    if b"\0" in held:
        rule = f"{field} contains a NUL"
        raise InvalidGoldenSet(rule)
    return held


def _text(value: str | bytes, field: str) -> bytes:
    held = _held(value, field)
    if not held:
        rule = f"{field} must not be empty"
        raise InvalidGoldenSet(rule)
    return held


def _require_utf8(held: bytes, field: str) -> None:
    try:
        held.decode("utf-8")
    except UnicodeDecodeError:
        rule = f"{field} is not UTF-8"
        raise InvalidGoldenSet(rule) from None


def _form(value: Form | str) -> Form:
    try:
        return Form(value)
    except ValueError:
        # Not chained: the enum's message repeats the value.
        raise InvalidGoldenSet("form must be 'match' or 'gap'") from None


def _targets(values: Iterable[str | bytes]) -> tuple[DocId, ...]:
    if isinstance(values, str | bytes):
        # Text is a sequence of text: each of its characters would become a target.
        raise InvalidGoldenSet("expected_document_ids must be a list, not one text")
    targets = tuple(DocId(_text(value, "expected_document_ids")) for value in values)
    if len(set(targets)) != len(targets):
        raise InvalidGoldenSet("expected_document_ids names a document twice")
    return targets
