"""Golden sets in Evenhand's own format: what both files read, refuse and write."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.golden_jsonl import dump_golden_jsonl, read_golden_jsonl
from evenhand.adapters.formats.golden_records import FORMAT
from evenhand.adapters.formats.golden_yaml import dump_golden_yaml, read_golden_yaml
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet, LabelProvenance
from tests.builders import a_question, a_set

CANARY = "golden-file-canary"
HEADER: dict[str, Any] = {"format": FORMAT, "identifier": "tiny", "name": "Tiny"}
QUESTION: dict[str, Any] = {
    "id": "q1",
    "question": "where?",
    "form": "match",
    "expected_document_ids": ["d1"],
}
TAG = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "ZG9j/w=="}

#: A reader of one of the two formats, given header and questions as objects.
Read = Callable[..., GoldenSet]


def write_jsonl(path: Path, header: object, *questions: object) -> None:
    path.write_bytes(msgspec.json.Encoder().encode_lines([header, *questions]))


def write_yaml(path: Path, header: dict[str, Any], *questions: object) -> None:
    """JSON values are YAML too, as long as they keep to one line."""
    lines = [f"{key}: {msgspec.json.encode(value).decode()}" for key, value in header.items()]
    lines += ["questions:", *(f"- {msgspec.json.encode(one).decode()}" for one in questions)]
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(params=["jsonl", "yaml"])
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Read:
    def read_one(header: dict[str, Any], *questions: object) -> GoldenSet:
        path = tmp_path / f"set.{request.param}"
        if request.param == "jsonl":
            write_jsonl(path, header, *questions)
            return read_golden_jsonl(path)
        write_yaml(path, header, *questions)
        return read_golden_yaml(path)

    return read_one


@pytest.mark.proves("BP-01", "C-19")
def test_every_field_of_a_question_is_read(read: Read) -> None:
    full = QUESTION | {
        "hard_class": "near-duplicate",
        "answer_gist": "",
        "critical": True,
        "reviewed": True,
        "label_provenance": {"corpus_revision": "a" * 64, "model_revision": "m-1"},
    }
    found = read(HEADER | {"description": "About it"}, full)
    assert found == GoldenSet(
        identifier="tiny",
        name="Tiny",
        description="About it",
        questions=(
            GoldenQuestion(
                id="q1",
                question="where?",
                form=Form.MATCH,
                expected_document_ids=["d1"],
                hard_class="near-duplicate",
                answer_gist="",
                critical=True,
                reviewed=True,
                label_provenance=LabelProvenance(corpus_revision="a" * 64, model_revision="m-1"),
            ),
        ),
    )


def test_grades_are_read_and_written_again(read: Read, tmp_path: Path) -> None:
    grades = [{"id": "d1", "grade": 2}, {"id": TAG, "grade": -1}]
    found = read(HEADER, QUESTION | {"grades": grades})
    assert dict(found.questions[0].grades) == {b"d1": 2, b"doc\xff": -1}
    for dump, again in (
        (dump_golden_jsonl, read_golden_jsonl),
        (dump_golden_yaml, read_golden_yaml),
    ):
        path = tmp_path / "again"
        path.write_bytes(dump(found))
        assert again(path) == found


@pytest.mark.parametrize(
    ("grades", "rule"),
    [
        ([{"id": "d1", "grade": 0}], "exactly the expected_document_ids"),
        ([{"id": "d9", "grade": 1}], "exactly the expected_document_ids"),
        ([{"id": "d1", "grade": "high"}], "grade must be"),
        ([{"id": "d1"}], "grade"),
        ([{"id": "d1", "grade": 1, "by": "me"}], "by"),
    ],
)
def test_grades_that_break_a_rule_are_refused(
    read: Read, grades: list[dict[str, Any]], rule: str
) -> None:
    with pytest.raises(InvalidFile, match=rule):
        read(HEADER, QUESTION | {"grades": grades})


@pytest.mark.proves("BP-04")
def test_an_empty_list_says_no_answer_and_unjudged_says_that_nobody_has_looked(
    read: Read,
) -> None:
    asked = {key: value for key, value in QUESTION.items() if key != "expected_document_ids"}
    no_answer = QUESTION | {"expected_document_ids": []}
    unjudged = asked | {"id": "q2", "unjudged": True}
    found = read(HEADER, no_answer, unjudged)
    assert [q.answerability.value for q in found.questions] == ["no_answer", "unjudged"]
    with pytest.raises(InvalidFile, match="expected_document_ids is missing"):
        read(HEADER, asked)


@pytest.mark.proves("G-18", "P-40")
def test_bytes_that_are_not_utf8_are_spelt_as_the_tag(read: Read) -> None:
    def tag(content: bytes) -> dict[str, str]:
        return TAG | {"value": base64.b64encode(content).decode()}

    legacy = QUESTION | {
        "id": tag(b"q\xff"),
        "question": tag(b"gr\xf6\xdfe"),
        "hard_class": tag(b"\xe9"),
        "expected_document_ids": [tag(b"doc\xff"), tag(b"doc\xfe"), "doc"],
        "answer_gist": tag(b"\xfc"),
    }
    (found,) = read(HEADER, legacy).questions
    assert (found.id, found.question, found.hard_class) == (b"q\xff", b"gr\xf6\xdfe", b"\xe9")
    assert found.expected_document_ids == (b"doc\xff", b"doc\xfe", b"doc")
    assert found.answer_gist == b"\xfc"


@pytest.mark.proves("P-41")
def test_sets_that_differ_in_one_byte_have_different_fingerprints(read: Read) -> None:
    one = read(HEADER, QUESTION | {"expected_document_ids": [TAG]})
    other = read(HEADER, QUESTION | {"expected_document_ids": [TAG | {"value": "ZG9j/g=="}]})
    replaced = read(HEADER, QUESTION | {"expected_document_ids": ["doc\ufffd"]})
    assert (
        len({one.labels_fingerprint, other.labels_fingerprint, replaced.labels_fingerprint}) == 3
    )


@pytest.mark.proves("G-18")
@pytest.mark.parametrize(
    "tag",
    [
        TAG | {"version": "retrieval-bytes-v2"},
        TAG | {"encoding": "hex"},
        TAG | {"value": "ZG9j/w"},
        TAG | {"more": "x"},
        TAG | {"more": 1},
        TAG | {"value": 1},
        {"encoding": "base64", "value": "ZG9j/w=="},
    ],
)
@pytest.mark.parametrize("field", ["id", "question", "hard_class", "expected_document_ids"])
def test_another_tag_is_refused_where_it_stands(
    read: Read, field: str, tag: dict[str, object]
) -> None:
    value = [tag] if field == "expected_document_ids" else tag
    with pytest.raises(InvalidFile, match=rf"line \d+: {field}: the tagged value"):
        read(HEADER, QUESTION | {field: value})


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"id": 7}, "id must be text, not number: write it in quotes"),
        ({"id": 7.5}, "id must be text, not number"),
        ({"id": True}, "id must be text, not bool"),
        ({"id": None}, "id must be text, not null"),
        ({"id": ["q"]}, "id must be text, not array"),
        ({"expected_document_ids": [7]}, r"expected_document_ids\[0\] must be text, not number"),
        ({"expected_document_ids": [None]}, r"expected_document_ids\[0\] must be text, not null"),
        ({"expected_document_ids": "d1"}, "expected_document_ids must be a list, not str"),
        ({"expected_document_ids": None}, "expected_document_ids must be a list, not null"),
        ({"critical": "true"}, "critical must be true or false, not str"),
        ({"critical": 1}, "critical must be true or false"),
        ({"hard_class": 3}, "hard_class must be text or null, not number"),
        ({"label_provenance": "x"}, "label_provenance must be an object or null, not str"),
        ({"label_provenance": {}}, "missing required field `corpus_revision`"),
        ({"label_provenance": {"corpusRevision": "x"}}, "unknown field `corpusRevision`"),
    ],
)
def test_a_value_of_another_type_is_refused_and_never_guessed_at(
    tmp_path: Path, change: dict[str, object], rule: str
) -> None:
    path = tmp_path / "set.jsonl"
    write_jsonl(path, HEADER, QUESTION | {"id": "q0"}, QUESTION | change)
    with pytest.raises(InvalidFile, match=f"^set.jsonl, line 3: .*{rule}"):
        read_golden_jsonl(path)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"id": ""}, "id must not be empty"),
        ({"question": ""}, "question must not be empty"),
        ({"form": "Match"}, "form must be 'match' or 'gap'"),
        ({"expected_document_ids": [""]}, "expected_document_ids must not be empty"),
        ({"expected_document_ids": ["d", "d"]}, "names a document twice"),
        ({"hard_class": ""}, "hard_class must not be empty"),
        ({"unjudged": True}, "an unjudged question cannot have expected_document_ids"),
        ({"question": f"{CANARY}\0"}, "question"),
        ({"expected_document_ids": ["d\0"]}, "expected_document_ids"),
        ({"label_provenance": {"corpus_revision": f"{CANARY} x"}}, "corpus_revision"),
        ({"label_provenance": {"corpus_revision": "not-applicable"}}, "corpus_revision"),
        ({"answer": "x"}, "unknown field `answer`"),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused_by_file_line_and_rule(
    tmp_path: Path, change: dict[str, object], rule: str
) -> None:
    path = tmp_path / "set.jsonl"
    write_jsonl(path, HEADER, QUESTION | {"id": "q0"}, QUESTION | change)
    with pytest.raises(InvalidFile, match=f"^set.jsonl, line 3: .*{rule}") as refused:
        read_golden_jsonl(path)
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    ("header", "rule"),
    [
        ({}, "the first thing must be a header with format: evenhand.golden/1"),
        (QUESTION, "the first thing must be a header"),
        (HEADER | {"format": "evenhand.golden/2", "new": 1}, "the format of the header is not"),
        (HEADER | {"version": 1}, "unknown field `version`"),
        ({"format": FORMAT, "name": "n"}, "missing required field `identifier`"),
        (HEADER | {"identifier": "Tiny Set"}, "identifier must be lowercase"),
        (HEADER | {"name": ""}, "name must not be empty"),
    ],
)
def test_a_header_that_breaks_a_rule_is_refused(
    read: Read, header: dict[str, Any], rule: str
) -> None:
    with pytest.raises(InvalidFile, match=f"line 1: .*{rule}"):
        read(header, QUESTION)


def test_a_header_name_that_is_a_number_is_refused_in_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write_jsonl(path, HEADER | {"name": 7}, QUESTION)
    with pytest.raises(InvalidFile, match="line 1: name must be text, not number"):
        read_golden_jsonl(path)


@pytest.mark.proves("BP-05")
def test_one_id_twice_names_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write_jsonl(path, HEADER, QUESTION, QUESTION | {"id": "q2"}, QUESTION)
    with pytest.raises(InvalidFile, match="line 4: one id occurs on line 2 and on line 4"):
        read_golden_jsonl(path)
    path = tmp_path / "set.yaml"
    write_yaml(path, HEADER, QUESTION, QUESTION | {"id": "q2"}, QUESTION)
    with pytest.raises(InvalidFile, match="line 7: one id occurs on line 5 and on line 7"):
        read_golden_yaml(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    for name, reader in (("a.jsonl", read_golden_jsonl), ("a.yaml", read_golden_yaml)):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InvalidFile, match="is empty; the header comes first"):
            reader(path)


def test_a_header_without_questions_is_refused(read: Read) -> None:
    with pytest.raises(InvalidFile, match=r"at least one question|must be a list"):
        read(HEADER)


def test_jsonl_takes_marks_crlf_blank_lines_and_no_final_newline(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    header, question = msgspec.json.encode(HEADER), msgspec.json.encode(QUESTION)
    path.write_bytes(b"\xef\xbb\xbf" + header + b"\r\n\r\n" + question)
    assert read_golden_jsonl(path) == a_set(
        a_question("q1", "d1", text="where?"), identifier="tiny", name="Tiny"
    )
    path.write_bytes(header + b"\n\n" + question + b"\n{}")
    with pytest.raises(InvalidFile, match=r"set.jsonl, line 4"):
        read_golden_jsonl(path)


NUL_FREE = st.binary(min_size=1, max_size=12).filter(lambda content: b"\0" not in content)
ODD_TEXT = st.sampled_from(
    ["0123", "1e5", "null", "~", "yes", "2024-01-01", "a: b # c", "- x", "'\"\\", "\u2028\x85\t"]
).map(str.encode)
CONTENT = (
    NUL_FREE | ODD_TEXT | st.text(min_size=1).filter(lambda text: "\0" not in text).map(str.encode)
)
NAMES = st.text(min_size=1).filter(lambda text: "\0" not in text)
LABELS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,20}", fullmatch=True).filter(
    lambda label: label != "not-applicable"
)
PROVENANCE = st.builds(LabelProvenance, corpus_revision=LABELS, model_revision=st.none() | LABELS)


@st.composite
def questions(draw: st.DrawFn) -> GoldenQuestion:
    unjudged = draw(st.booleans())
    targets = [] if unjudged else draw(st.lists(CONTENT, unique=True, max_size=3))
    return GoldenQuestion(
        id=draw(CONTENT),
        question=draw(CONTENT),
        form=draw(st.sampled_from(Form)),
        expected_document_ids=targets,
        hard_class=draw(st.none() | CONTENT),
        answer_gist=draw(st.none() | CONTENT | st.just(b"")),
        critical=draw(st.booleans()),
        reviewed=draw(st.booleans()),
        label_provenance=draw(st.none() | PROVENANCE),
        unjudged=unjudged,
    )


SETS = st.builds(
    GoldenSet,
    identifier=st.just("any.set_1"),
    name=NAMES,
    description=st.just("") | NAMES,
    questions=st.lists(
        questions(), min_size=1, max_size=4, unique_by=lambda question: question.id
    ).map(tuple),
)


@pytest.mark.proves("P-40", "G-18")
@given(golden_set=SETS)
def test_what_is_written_reads_back_as_the_same_value(
    tmp_path_factory: pytest.TempPathFactory, golden_set: GoldenSet
) -> None:
    folder = tmp_path_factory.mktemp("sets")
    jsonl, yaml = folder / "set.jsonl", folder / "set.yaml"
    jsonl.write_bytes(dump_golden_jsonl(golden_set))
    yaml.write_bytes(dump_golden_yaml(golden_set))
    assert read_golden_jsonl(jsonl) == golden_set
    assert read_golden_yaml(yaml) == golden_set
    assert read_golden_yaml(yaml).labels_fingerprint == golden_set.labels_fingerprint


def test_held_out_questions_are_no_part_of_what_is_asked(read: Read) -> None:
    held = QUESTION | {"id": "q0", "holdout": True}
    found = read(HEADER, held, QUESTION, QUESTION | {"id": "q2", "holdout": False})
    assert [one.id for one in found.questions] == [b"q1", b"q2"]
    assert [one.id for one in found.holdout] == [b"q0"]


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_whether_a_question_is_held_out_is_a_truth_value(read: Read, value: object) -> None:
    with pytest.raises(InvalidFile, match="holdout must be true or false"):
        read(HEADER, QUESTION, QUESTION | {"id": "q2", "holdout": value})


def test_one_id_cannot_be_in_both_parts(read: Read) -> None:
    with pytest.raises(InvalidFile, match="one id occurs on line"):
        read(HEADER, QUESTION, QUESTION | {"holdout": True})


@pytest.mark.parametrize(
    ("name", "dump", "read_back"),
    [
        ("set.jsonl", dump_golden_jsonl, read_golden_jsonl),
        ("set.yaml", dump_golden_yaml, read_golden_yaml),
    ],
)
def test_a_written_set_holds_the_same_questions_out(
    tmp_path: Path,
    name: str,
    dump: Callable[[GoldenSet], bytes],
    read_back: Callable[[Path], GoldenSet],
) -> None:
    golden_set = a_set(holdout=[a_question("h2", "d1"), a_question("h1")])
    path = tmp_path / name
    path.write_bytes(dump(golden_set))
    assert read_back(path) == golden_set
