"""How is a golden question written as an object, and read back without losing a byte?

The objects of ``evenhand.golden/1``, the same in JSONL and YAML. Unknown keys are refused, ids
are text, and bytes that are not UTF-8 are spelt as the ``retrieval-bytes-v1`` tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

import msgspec

from evenhand.core.errors import EvenhandError, InvalidFile, InvalidText
from evenhand.core.errors.identity import InvalidLabel, UnknownEncoding
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.legacy_bytes import decode_text, encode_text
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance

FORMAT: Final = "evenhand.golden/1"

#: A question or header as an object: what both writers write.
Record: TypeAlias = dict[str, object]
#: Number of the line (from 1) and the object that begins there.
NumberedRecord: TypeAlias = tuple[int, Mapping[str, object]]

#: Text, or a tag, whose keys and values the reader of tags looks at.
_Text: TypeAlias = str | dict[str, object]
_T = TypeVar("_T")

_PROVENANCE: Final = tuple(LabelProvenance.__slots__)
_TYPE_ERROR: Final = re.compile(r"Expected `(?P<want>[^`]+)`, got `(?P<got>[^`]+)`")
_PATH: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_WANTED: Final = {
    "str": "text",
    "str | object": "text",
    "str | object | null": "text or null",
    "str | null": "text or null",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "object | null": "an object or null",
}
_NUMBERS: Final = ("int", "float")


class _Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """First line of the file."""

    format: str
    identifier: str
    name: str
    description: str = ""


class _LabelProvenance(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The names are snake_case in files (settled 6)."""

    corpus_revision: str
    model_revision: str | None = None
    chunking_identity: str | None = None
    pipeline_identity: str | None = None
    execution_revision: str | None = None


class _Grade(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How relevant somebody found a document."""

    id: _Text
    grade: int


class _Question(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One question, before the rules of the core are asked."""

    id: _Text
    question: _Text
    form: str
    expected_document_ids: list[_Text] | msgspec.UnsetType = msgspec.UNSET
    hard_class: _Text | None = None
    answer_gist: _Text | None = None
    critical: bool = False
    reviewed: bool = False
    label_provenance: _LabelProvenance | None = None
    grades: list[_Grade] = []
    unjudged: bool = False
    holdout: bool = False


def build_golden_set(
    header: NumberedRecord | None, questions: Iterator[NumberedRecord], file: str
) -> GoldenSet:
    """The golden set that a file holds.

    Args:
        header: line and object of the header, None where the file has none.
        questions: lines and objects of the questions, in the order of the file.
        file: what messages call the file.

    Raises:
        InvalidFile: an object breaks a rule of the format or of the core. The message names file,
            line and rule; for an id that occurs twice, both lines.
    """
    if header is None:
        raise InvalidFile(file, "is empty; the header comes first", line=1)
    line, record = header
    head = _build_header(record, file, line)
    asked: list[GoldenQuestion] = []
    held_out: list[GoldenQuestion] = []
    lines: dict[bytes, int] = {}
    for number, question_record in questions:
        question, is_held_out = build_question(question_record, file, number)
        first = lines.setdefault(question.id, number)
        if first != number:
            raise InvalidFile(file, _same_id(first, number), line=number)
        (held_out if is_held_out else asked).append(question)
    try:
        return GoldenSet(
            identifier=head.identifier,
            name=head.name,
            description=head.description,
            questions=tuple(asked),
            holdout=tuple(held_out),
        )
    except InvalidGoldenSet as error:
        raise InvalidFile(file, error.rule, line=line) from error


def build_question(
    record: Mapping[str, object], file: str, line: int
) -> tuple[GoldenQuestion, bool]:
    """The question that an object spells, and whether it is held out.

    Raises:
        InvalidFile: see :func:`build_golden_set`.
    """
    fields = _convert(record, _Question, file, line)
    if fields.expected_document_ids is msgspec.UNSET and not fields.unjudged:
        raise InvalidFile(file, _NO_TARGETS, line=line)
    try:
        question = GoldenQuestion(
            id=_bytes(fields.id, "id"),
            question=_bytes(fields.question, "question"),
            form=fields.form,
            expected_document_ids=_targets(fields.expected_document_ids),
            hard_class=_optional(fields.hard_class, "hard_class"),
            answer_gist=_optional(fields.answer_gist, "answer_gist"),
            critical=fields.critical,
            reviewed=fields.reviewed,
            label_provenance=_provenance(fields.label_provenance),
            unjudged=fields.unjudged,
            grades=[(_bytes(one.id, "grades"), one.grade) for one in fields.grades],
        )
    except (InvalidGoldenSet, InvalidLabel, InvalidText, UnknownEncoding) as error:
        raise InvalidFile(file, _rule(error), line=line) from error
    return question, fields.holdout


def header_record(golden_set: GoldenSet) -> Record:
    """The header of a set as an object."""
    return {
        "format": FORMAT,
        "identifier": golden_set.identifier,
        "name": golden_set.name,
        "description": golden_set.description,
    }


def question_records(golden_set: GoldenSet) -> Iterator[Record]:
    """Every question of a set as an object, those that are held out last and marked."""
    for question in golden_set.questions:
        yield question_record(question)
    for question in golden_set.holdout:
        yield {**question_record(question), "holdout": True}


def question_record(question: GoldenQuestion) -> Record:
    """One question as an object; fields that have their default are left out."""
    record: Record = {
        "id": encode_text(question.id),
        "question": encode_text(question.question),
        "form": question.form.value,
    }
    if question.unjudged:
        record["unjudged"] = True
    else:
        record["expected_document_ids"] = [encode_text(t) for t in question.expected_document_ids]
    if question.hard_class is not None:
        record["hard_class"] = encode_text(question.hard_class)
    if question.answer_gist is not None:
        record["answer_gist"] = encode_text(question.answer_gist)
    if question.critical:
        record["critical"] = True
    if question.reviewed:
        record["reviewed"] = True
    if question.label_provenance is not None:
        stated = {name: getattr(question.label_provenance, name) for name in _PROVENANCE}
        record["label_provenance"] = {k: v for k, v in stated.items() if v is not None}
    if question.grades:
        record["grades"] = [{"id": encode_text(d), "grade": g} for d, g in question.grades]
    return record


def _build_header(record: Mapping[str, object], file: str, line: int) -> _Header:
    # The format is asked first: a header of another version may well have other keys.
    stated = record.get("format")
    if stated != FORMAT:
        raise InvalidFile(file, _NO_FORMAT if stated is None else _OTHER_FORMAT, line=line)
    return _convert(record, _Header, file, line)


def _convert(record: Mapping[str, object], kind: type[_T], file: str, line: int) -> _T:
    try:
        return msgspec.convert(record, kind)
    except msgspec.ValidationError as error:
        raise InvalidFile(file, _explain(str(error)), line=line) from None


def _explain(message: str) -> str:
    """A rule in the words of this format; msgspec's message holds types and keys, no values."""
    at = _PATH.search(message)
    path = at["path"] if at else ""
    found = _TYPE_ERROR.match(message)
    if found is None:
        return message[0].lower() + message[1:]
    wanted = _WANTED.get(found["want"], found["want"])
    hint = ": write it in quotes" if found["got"] in _NUMBERS and "text" in wanted else ""
    got = "number" if found["got"] in _NUMBERS else found["got"]
    return f"{path or 'the value'} must be {wanted}, not {got}{hint}"


def _bytes(value: _Text, field: str) -> bytes:
    try:
        return decode_text(value, field=field)
    except UnknownEncoding as error:
        raise InvalidText(field, _tagged(error.rule)) from error


def _optional(value: _Text | None, field: str) -> bytes | None:
    return None if value is None else _bytes(value, field)


def _targets(values: Sequence[_Text] | msgspec.UnsetType) -> tuple[bytes, ...]:
    if isinstance(values, msgspec.UnsetType):
        return ()
    return tuple(_bytes(value, "expected_document_ids") for value in values)


def _provenance(fields: _LabelProvenance | None) -> LabelProvenance | None:
    if fields is None:
        return None
    return LabelProvenance(**{name: getattr(fields, name) for name in _PROVENANCE})


def _rule(error: EvenhandError) -> str:
    # Their messages name field and rule; the golden set's own prefix adds nothing to a line.
    return error.rule if isinstance(error, InvalidGoldenSet) else str(error)


_NO_TARGETS: Final = (
    "expected_document_ids is missing; an empty list says that the corpus does not answer, "
    "unjudged: true that nobody has looked"
)
_NO_FORMAT: Final = f"the first thing must be a header with format: {FORMAT}"
_OTHER_FORMAT: Final = f"the format of the header is not {FORMAT}"


def _same_id(first: int, second: int) -> str:
    return f"one id occurs on line {first} and on line {second}"


def _tagged(rule: str) -> str:
    return f"the tagged value {rule}"
