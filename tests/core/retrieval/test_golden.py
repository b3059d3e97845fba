"""Golden questions and sets: what is refused, what is held, what the labels digest sees."""

import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.retrieval.golden import (
    CUSTOMARY_HARD_CLASSES,
    Answerability,
    Form,
    GoldenQuestion,
    GoldenSet,
    LabelProvenance,
)
from tests.builders import a_question, a_set

CANARY = "golden-canary-7f3a"
BAD_BYTES = b"doc\xff"
HIGH, LOW, RAW_BYTE = "\ud800", "\udfff", "\udcff"


def question(**changes: object) -> GoldenQuestion:
    fields: dict[str, object] = {
        "id": "q1",
        "question": "Where is it?",
        "form": "match",
        "expected_document_ids": ["d1"],
        **changes,
    }
    return GoldenQuestion(**fields)  # type: ignore[arg-type]


@pytest.mark.proves("BP-05")
@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"id": ""}, "id must not be empty"),
        ({"id": b""}, "id must not be empty"),
        ({"question": ""}, "question must not be empty"),
        ({"expected_document_ids": ["d1", ""]}, "expected_document_ids must not be empty"),
        ({"expected_document_ids": ["d1", "d2", "d1"]}, "names a document twice"),
        ({"expected_document_ids": ["d1", b"d1"]}, "names a document twice"),
        ({"hard_class": ""}, "hard_class must not be empty"),
        ({"hard_class": b""}, "hard_class must not be empty"),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused(changes: dict[str, object], rule: str) -> None:
    with pytest.raises(InvalidGoldenSet, match=rule) as refused:
        question(**changes)
    assert refused.value.code == "invalid_golden_set"


@pytest.mark.proves("BP-05")
@pytest.mark.parametrize(
    "identifier", ["", "Handbook", "hand-book", "a..b", ".a", "a.", "a\n", "ä", "a b", "a/b"]
)
def test_an_identifier_of_another_shape_is_refused(identifier: str) -> None:
    with pytest.raises(InvalidGoldenSet, match="identifier must be lowercase"):
        a_set(a_question("q1"), identifier=identifier)


@pytest.mark.proves("BP-05")
def test_a_set_needs_a_name_and_questions() -> None:
    with pytest.raises(InvalidGoldenSet, match="name must not be empty"):
        a_set(a_question("q1"), name="")
    with pytest.raises(InvalidGoldenSet, match="at least one question"):
        GoldenSet(identifier="a", name="A", questions=())


@pytest.mark.proves("BP-05")
@pytest.mark.parametrize("again", ["q1", b"q1"], ids=["text", "bytes"])
def test_one_question_id_twice_is_refused_by_its_place(again: str | bytes) -> None:
    with pytest.raises(InvalidGoldenSet, match="question 3: this id occurs twice"):
        a_set(a_question("q1"), a_question("q2"), a_question(again, text="another question"))


@pytest.mark.parametrize("identifier", ["a", "a.b", "handbook_2.de.v1", "_", "0.0"])
def test_lowercase_segments_joined_by_dots_are_an_identifier(identifier: str) -> None:
    assert a_set(a_question("q1"), identifier=identifier).identifier == identifier


@pytest.mark.proves("BP-05")
def test_the_gist_may_be_empty_and_is_not_scored() -> None:
    assert question(answer_gist="").answer_gist == b""
    with_gist = a_set(question(answer_gist="d1 says where"))
    assert with_gist.labels_fingerprint == a_set(question()).labels_fingerprint


@pytest.mark.parametrize("field", ["id", "question", "hard_class", "answer_gist"])
@pytest.mark.parametrize(
    "text",
    [f"{CANARY}\0", f"\0{CANARY}".encode(), CANARY + HIGH, CANARY + LOW],
    ids=["nul", "nul-bytes", "high-surrogate", "low-surrogate"],
)
def test_text_that_cannot_be_held_is_refused_and_never_repeated(
    field: str, text: str | bytes
) -> None:
    with pytest.raises(InvalidGoldenSet) as refused:
        question(**{field: text})
    assert CANARY not in "".join(traceback.format_exception(refused.value))
    with pytest.raises(InvalidGoldenSet) as refused:
        question(expected_document_ids=["d1", text])
    assert CANARY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("field", ["id", "question", "hard_class"])
@pytest.mark.parametrize("value", [7, 1.5, True, ["q1"]])
def test_only_text_is_text(field: str, value: object) -> None:
    with pytest.raises(InvalidGoldenSet, match=field):
        question(**{field: value})


@pytest.mark.parametrize("text", ["d1", b"d1", ""], ids=["text", "bytes", "empty"])
def test_one_text_is_no_list_of_targets(text: str | bytes) -> None:
    with pytest.raises(InvalidGoldenSet, match="must be a list, not one text"):
        question(expected_document_ids=text)


@pytest.mark.parametrize("field", ["name", "description"])
@pytest.mark.parametrize("text", [f"{CANARY}\0", CANARY + RAW_BYTE, CANARY + HIGH])
def test_name_and_description_must_be_utf8_without_nul(field: str, text: str) -> None:
    texts: dict[str, Any] = {"name": "A", field: text}
    with pytest.raises(InvalidGoldenSet, match=field) as refused:
        GoldenSet(identifier="a", questions=(a_question("q1"),), **texts)
    assert CANARY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.proves("BP-02")
def test_a_form_is_match_or_gap_in_lowercase() -> None:
    assert [form.value for form in Form] == ["match", "gap"]
    assert question(form="gap").form is Form.GAP
    for other in ("Match", "GAP", CANARY, ""):
        with pytest.raises(InvalidGoldenSet, match="'match' or 'gap'") as refused:
            question(form=other)
        assert CANARY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.proves("BP-03")
@pytest.mark.parametrize("hard_class", [*CUSTOMARY_HARD_CLASSES, "anything else", "ünïcode"])
def test_a_hard_class_is_free_text(hard_class: str) -> None:
    assert question(hard_class=hard_class).hard_class == hard_class.encode()


@pytest.mark.proves("BP-03")
def test_a_question_may_have_no_hard_class() -> None:
    assert question().hard_class is None


@pytest.mark.proves("BP-01", "G-06")
def test_ids_and_texts_are_held_as_bytes() -> None:
    held = question(
        id="ü",
        question="wo?",
        hard_class="normal",
        answer_gist="hier",
        expected_document_ids=["ß", BAD_BYTES],
    )
    assert held.id == b"\xc3\xbc"
    assert held.question == b"wo?"
    assert held.hard_class == b"normal"
    assert held.answer_gist == b"hier"
    assert held.expected_document_ids == (b"\xc3\x9f", BAD_BYTES)


@pytest.mark.proves("BP-01", "G-06")
def test_bytes_that_are_not_utf8_are_legal_and_spelt_by_surrogates_too() -> None:
    as_bytes = question(id=BAD_BYTES, question=BAD_BYTES)
    as_text = question(id="doc\udcff", question="doc\udcff")
    assert as_text == as_bytes
    assert as_text.text == "doc\udcff"


@pytest.mark.proves("BP-01")
def test_ids_that_look_alike_and_differ_in_bytes_are_two() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    both = a_set(a_question(composed, "d1"), a_question(decomposed, "d1"))
    assert len(both.questions) == 2


@pytest.mark.proves("G-06")
def test_positions_follow_the_bytes_of_the_ids() -> None:
    # As text with surrogates 0xFF sorts before U+10000, as bytes after it.
    odd = a_set(a_question(b"\xff"), a_question("\U00010000"), a_question("b"), a_question("B"))
    assert [q.id for q in odd.by_position] == [b"B", b"b", b"\xf0\x90\x80\x80", b"\xff"]
    assert [q.id for q in odd.questions] == [b"\xff", b"\xf0\x90\x80\x80", b"b", b"B"]


@pytest.mark.proves("BP-04")
def test_an_empty_target_list_says_that_nothing_answers() -> None:
    assert question(expected_document_ids=[]).answerability is Answerability.NO_ANSWER
    assert question(expected_document_ids=["d1", "d2"]).answerability is Answerability.ANSWERABLE


def test_unjudged_is_another_thing_than_no_answer() -> None:
    unjudged = question(expected_document_ids=[], unjudged=True)
    assert unjudged.answerability is Answerability.UNJUDGED
    with pytest.raises(InvalidGoldenSet, match="unjudged"):
        question(unjudged=True)


def test_an_unjudged_question_is_in_no_labels_digest() -> None:
    judged = question()
    with_unjudged = a_set(judged, a_question("q2", unjudged=True))
    assert with_unjudged.judged == (judged,)
    assert with_unjudged.labels_fingerprint == a_set(judged).labels_fingerprint


def test_a_set_cannot_be_changed_by_the_list_it_was_made_of() -> None:
    questions = [a_question("q1")]
    made = GoldenSet(identifier="a", name="A", questions=questions)  # type: ignore[arg-type]
    questions.append(a_question("q2"))
    assert len(made.questions) == 1
    assert hash(made) == hash(a_set(a_question("q1"), identifier="a", name="A"))


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("corpus_revision", "not-applicable", "sentinel_not_allowed"),
        ("pipeline_identity", "not-applicable", "sentinel_not_allowed"),
        ("corpus_revision", "", "invalid_label"),
        ("model_revision", "a b", "invalid_label"),
        ("chunking_identity", "https://x", "invalid_label"),
        ("execution_revision", "x" * 191, "invalid_label"),
    ],
)
def test_label_provenance_follows_the_label_rule(field: str, value: str, code: str) -> None:
    with pytest.raises(InvalidLabel) as refused:
        LabelProvenance(**{"corpus_revision": "corpus-1", field: value})
    assert refused.value.code == code


def test_label_provenance_may_leave_out_all_but_the_corpus() -> None:
    stated = LabelProvenance(corpus_revision="corpus-1", model_revision="not-applicable")
    assert question(label_provenance=stated).label_provenance == stated


# Properties of the labels digest ------------------------------------------------------------

held_bytes = st.binary(min_size=1, max_size=8).filter(lambda content: b"\0" not in content)
golden_questions = st.builds(
    GoldenQuestion,
    id=held_bytes,
    question=held_bytes,
    form=st.sampled_from(Form),
    expected_document_ids=st.lists(held_bytes, max_size=4, unique=True),
    hard_class=st.none() | held_bytes,
    answer_gist=st.none() | held_bytes,
)
question_lists = st.lists(golden_questions, min_size=1, max_size=6, unique_by=lambda q: q.id)


@pytest.mark.proves("P-35", "P-36")
@given(question_lists, st.data())
def test_order_of_questions_and_targets_does_not_change_the_labels_digest(
    questions: list[GoldenQuestion], data: st.DataObject
) -> None:
    turned = [
        GoldenQuestion(
            id=q.id,
            question=q.question,
            form=q.form,
            expected_document_ids=data.draw(st.permutations(q.expected_document_ids)),
            hard_class=q.hard_class,
        )
        for q in data.draw(st.permutations(questions))
    ]
    assert a_set(*turned).labels_fingerprint == a_set(*questions).labels_fingerprint


@pytest.mark.proves("P-37", "P-38")
@given(question_lists, st.text("abc.", max_size=5), held_bytes)
def test_presentation_text_and_gist_do_not_change_the_labels_digest(
    questions: list[GoldenQuestion], words: str, gist: bytes
) -> None:
    shown_otherwise = GoldenSet(
        identifier="another",
        name=f"Another {words}",
        description=words,
        questions=tuple(
            GoldenQuestion(
                id=q.id,
                question=q.question,
                form=q.form,
                expected_document_ids=q.expected_document_ids,
                hard_class=q.hard_class,
                answer_gist=gist,
                critical=True,
                reviewed=True,
                label_provenance=LabelProvenance(corpus_revision="corpus-9"),
            )
            for q in questions
        ),
    )
    assert shown_otherwise.labels_fingerprint == a_set(*questions).labels_fingerprint


@pytest.mark.proves("P-35", "P-41")
@given(golden_questions, golden_questions)
def test_different_bytes_give_different_labels_digests(
    one: GoldenQuestion, other: GoldenQuestion
) -> None:
    def labels(q: GoldenQuestion) -> tuple[object, ...]:
        return (q.id, q.question, q.form, q.hard_class, frozenset(q.expected_document_ids))

    same = a_set(one).labels_fingerprint == a_set(other).labels_fingerprint
    assert same == (labels(one) == labels(other))


@pytest.mark.proves("P-41")
@pytest.mark.parametrize("field", ["id", "question", "hard_class", "expected_document_ids"])
def test_bytes_that_substitution_would_merge_stay_distinct(field: str) -> None:
    def with_bytes(content: bytes) -> str:
        value: object = [content] if field == "expected_document_ids" else content
        return a_set(question(**{field: value})).labels_fingerprint

    assert b"\xff".decode("utf-8", "replace") == b"\xfe".decode("utf-8", "replace")
    assert with_bytes(b"\xff") != with_bytes(b"\xfe")
    assert with_bytes(b"\xff") != with_bytes("\ufffd".encode())
