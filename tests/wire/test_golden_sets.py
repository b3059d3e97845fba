"""A set that is sent is the set of the file: the same members, the same bytes, the same rules."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evenhand.adapters.formats.golden_records import header_record, question_records
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.wire import golden_sets as wire
from evenhand.wire.golden_sets import golden_set_to_core, text_to_wire
from tests.builders import a_question, a_set

held = st.binary(min_size=1, max_size=6).filter(lambda content: b"\0" not in content)
optional = st.none() | held
provenances = st.none() | st.builds(
    LabelProvenance, corpus_revision=st.just("c" * 64), model_revision=st.none() | st.just("m")
)


@st.composite
def questions(draw: st.DrawFn, *, id: bytes) -> GoldenQuestion:  # noqa: A002 -- the field's name
    targets = draw(st.lists(held, max_size=3, unique=True))
    is_graded = draw(st.booleans()) and targets
    return GoldenQuestion(
        id=id,
        question=draw(held),
        form=draw(st.sampled_from(["match", "gap"])),
        expected_document_ids=targets,
        hard_class=draw(optional),
        answer_gist=draw(optional),
        critical=draw(st.booleans()),
        reviewed=draw(st.booleans()),
        label_provenance=draw(provenances),
        unjudged=not targets and draw(st.booleans()),
        grades=[(one, draw(st.integers(1, 3))) for one in targets] if is_graded else [],
    )


@st.composite
def golden_sets(draw: st.DrawFn) -> GoldenSet:
    ids = draw(st.lists(held, min_size=1, max_size=4, unique=True))
    made = [draw(questions(id=one)) for one in ids]
    asked = draw(st.integers(1, len(made)))
    return a_set(*made[:asked], holdout=made[asked:])


def sent(golden_set: GoldenSet) -> wire.GoldenSet:
    """The set as a request would hold it: the header, and the lines of the file as a list."""
    body = {**header_record(golden_set), "questions": list(question_records(golden_set))}
    return wire.GoldenSet.model_validate(json.loads(json.dumps(body)))


@given(golden_sets())
def test_what_a_file_holds_line_by_line_is_the_same_set_when_it_is_sent(
    golden_set: GoldenSet,
) -> None:
    assert golden_set_to_core(sent(golden_set)) == golden_set
    assert sent(golden_set).asked == len(golden_set.questions)


@given(held)
def test_bytes_are_text_where_they_are_utf8_and_else_the_tag(content: bytes) -> None:
    shown = text_to_wire(content)
    if isinstance(shown, str):
        assert shown.encode() == content
    else:
        with pytest.raises(UnicodeDecodeError):
            content.decode()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"id": ""}, "must not be empty"),
        ({"question": "canary\0"}, "NUL"),
        ({"expected_document_ids": ["d", "d"]}, "twice"),
        ({"expected_document_ids": None}, "is missing"),
        ({"unjudged": True}, "unjudged"),
        ({"grades": [{"id": "canary", "grade": 1}]}, "grades"),
        ({"label_provenance": {"corpus_revision": "canary canary"}}, "corpus_revision"),
        (
            {"id": {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "canary!"}},
            "Base64",
        ),
        ({"id": "q1"}, "occurs twice"),
    ],
)
def test_a_rule_that_is_broken_is_told_with_its_place_and_without_the_text(
    change: dict[str, Any], rule: str
) -> None:
    golden_set = a_set(a_question("q1", "d"), a_question("q2", "d"))
    body = {**header_record(golden_set), "questions": list(question_records(golden_set))}
    body["questions"][1] |= change  # type: ignore[index]
    with pytest.raises(InvalidGoldenSet, match=rule) as refused:
        golden_set_to_core(wire.GoldenSet.model_validate(body))
    assert refused.value.question == 2
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [{"format": "evenhand.golden/2"}, {"more": 1}, {"questions": {}}, {"name": 1}],
    ids=str,
)
def test_a_body_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    body = {**header_record(a_set()), "questions": list(question_records(a_set()))} | change
    with pytest.raises(ValidationError):
        wire.GoldenSet.model_validate(body)
