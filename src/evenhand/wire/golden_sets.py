"""How is a golden set sent with a request? In the shape of ``evenhand.golden/1``, as one object.

The header's members and ``questions`` beside them. Text that is not UTF-8 is the tag of
``retrieval-bytes-v1``, as in files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from evenhand.core.errors import InvalidText
from evenhand.core.errors.identity import InvalidLabel, UnknownEncoding
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.legacy_bytes import decode_text, encode_text
from evenhand.core.retrieval import golden as core
from evenhand.wire.shapes import Strict

#: Of a set's name, which stands in every list that shows it; in characters.
LONGEST_NAME: Final = 255
_NO_TARGETS = (
    "expected_document_ids is missing; an empty list says that the corpus does not answer, "
    "unjudged: true that nobody has looked"
)


class TaggedBytes(Strict):
    """Bytes that are not UTF-8."""

    encoding: Literal["base64"]
    version: Literal["retrieval-bytes-v1"]
    value: str = Field(description="Base64 of the bytes.")


Text: TypeAlias = str | TaggedBytes


class LabelProvenance(Strict):
    """Against which corpus a question's labels were made, and what the labeller saw."""

    corpus_revision: str
    model_revision: str | None = None
    chunking_identity: str | None = None
    pipeline_identity: str | None = None
    execution_revision: str | None = None


class Grade(Strict):
    """How relevant somebody found a document."""

    id: Text
    grade: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]


class GoldenQuestion(Strict):
    """One question with its labels."""

    id: Text = Field(description="Unique within the set.")
    question: Text = Field(description="What is asked.")
    form: Literal["match", "gap"]
    expected_document_ids: list[Text] | None = Field(
        default=None,
        description="The targets; empty says that nothing in the corpus answers. Missing only "
        "with unjudged.",
    )
    hard_class: Text | None = None
    answer_gist: Text | None = None
    critical: bool = False
    reviewed: bool = False
    label_provenance: LabelProvenance | None = None
    grades: list[Grade] = Field(default_factory=list)
    unjudged: bool = False
    holdout: bool = False


class GoldenSet(Strict):
    """A golden set."""

    format: Literal["evenhand.golden/1"]
    identifier: str = Field(description="Lowercase [a-z0-9_] segments joined by single dots.")
    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    description: str = ""
    questions: list[GoldenQuestion]

    @property
    def asked(self) -> int:
        """How many questions are not held out."""
        return sum(not one.holdout for one in self.questions)


def golden_set_to_core(stated: GoldenSet) -> core.GoldenSet:
    """The set that was sent.

    Raises:
        InvalidGoldenSet: it breaks a rule of golden sets; a question's place counts from 1.
    """
    built = [_question_to_core(one, number) for number, one in enumerate(stated.questions, 1)]
    _require_distinct(built)
    pairs = list(zip(stated.questions, built, strict=True))
    return core.GoldenSet(
        identifier=stated.identifier,
        name=stated.name,
        description=stated.description,
        questions=tuple(question for one, question in pairs if not one.holdout),
        holdout=tuple(question for one, question in pairs if one.holdout),
    )


def text_to_wire(content: bytes) -> Text:
    """Some bytes as they are spelt: text where they are UTF-8, else the tag."""
    spelt = encode_text(content)
    return spelt if isinstance(spelt, str) else TaggedBytes.model_validate(spelt)


def _question_to_core(stated: GoldenQuestion, number: int) -> core.GoldenQuestion:
    if stated.expected_document_ids is None and not stated.unjudged:
        raise InvalidGoldenSet(_NO_TARGETS, question=number)
    provenance = stated.label_provenance
    try:
        return core.GoldenQuestion(
            id=_bytes(stated.id, "id"),
            question=_bytes(stated.question, "question"),
            form=stated.form,
            expected_document_ids=_many(stated.expected_document_ids or ()),
            hard_class=_optional(stated.hard_class, "hard_class"),
            answer_gist=_optional(stated.answer_gist, "answer_gist"),
            critical=stated.critical,
            reviewed=stated.reviewed,
            label_provenance=None
            if provenance is None
            else core.LabelProvenance(**provenance.model_dump()),
            unjudged=stated.unjudged,
            grades=[(_bytes(one.id, "grades"), one.grade) for one in stated.grades],
        )
    except (InvalidGoldenSet, InvalidLabel, InvalidText, UnknownEncoding) as error:
        # The rule, without what it was broken by; the place is told apart.
        rule = error.rule if isinstance(error, InvalidGoldenSet) else str(error)
        raise InvalidGoldenSet(rule, question=number) from None


def _require_distinct(built: Sequence[core.GoldenQuestion]) -> None:
    seen: set[bytes] = set()
    for number, question in enumerate(built, 1):
        if question.id in seen:
            raise InvalidGoldenSet("this id occurs twice in the set", question=number)
        seen.add(question.id)


def _bytes(value: Text, field: str) -> bytes:
    return decode_text(value if isinstance(value, str) else value.model_dump(), field=field)


def _optional(value: Text | None, field: str) -> bytes | None:
    return None if value is None else _bytes(value, field)


def _many(values: Sequence[Text]) -> list[bytes]:
    return [_bytes(value, "expected_document_ids") for value in values]
