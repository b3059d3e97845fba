"""YAML: text stays text, and a file means no more than it shows."""

from pathlib import Path

import pytest

from evenhand.adapters.formats import golden_yaml, yaml_nodes
from evenhand.adapters.formats.golden_yaml import read_golden_yaml
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet

HEADER = "format: evenhand.golden/1\nidentifier: tiny\nname: Tiny\nquestions:\n"
CANARY = "yaml-canary"


def read(tmp_path: Path, text: str) -> GoldenSet:
    path = tmp_path / "set.yaml"
    path.write_text(text, encoding="utf-8")
    return read_golden_yaml(path)


def read_question(tmp_path: Path, *lines: str) -> GoldenQuestion:
    body = "\n".join(f"  {line}" for line in ("question: x", "form: gap", *lines))
    return read(tmp_path, f"{HEADER}- {body.strip()}\n").questions[0]


ODD = ["0123", "7", "1e5", "0x10", "-0", "1_000", "yes", "No", "true", "null", "~", "NaN", ".inf"]
ODD += ["2024-01-01", "12:30:45", "=", "<<", "1.0"]


@pytest.mark.parametrize("text", ODD)
def test_an_id_is_the_characters_that_were_written(tmp_path: Path, text: str) -> None:
    found = read_question(
        tmp_path,
        f"id: {text}",
        f'expected_document_ids: [{text}, "{text}x"]',
        f"hard_class: '{text}'",
    )
    assert found.id == text.encode()
    assert found.expected_document_ids == (text.encode(), f"{text}x".encode())
    assert found.hard_class == text.encode()


def test_only_an_unquoted_word_is_a_truth_value_or_null(tmp_path: Path) -> None:
    found = read_question(
        tmp_path, "id: q", "expected_document_ids: []", "critical: true", "reviewed: False",
        "hard_class: null", "answer_gist: ~", "label_provenance:",
    )  # fmt: skip
    assert (found.critical, found.reviewed) == (True, False)
    assert (found.hard_class, found.answer_gist, found.label_provenance) == (None, None, None)
    for word in ("yes", "on", "1", '"true"'):
        with pytest.raises(InvalidFile, match="critical must be true or false, not str"):
            read_question(tmp_path, "id: q", "expected_document_ids: []", f"critical: {word}")


def test_blocks_and_folds_are_read_as_yaml_has_them(tmp_path: Path) -> None:
    found = read_question(
        tmp_path, "id: q", "expected_document_ids:", "- d1", "- d2",
        "label_provenance: {corpus_revision: c-1}", "answer_gist: |", "  one", "  two",
    )  # fmt: skip
    assert found.expected_document_ids == (b"d1", b"d2")
    assert found.answer_gist == b"one\ntwo\n"
    assert found.label_provenance is not None
    assert found.label_provenance.corpus_revision == "c-1"


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("- id: q\n  id: r\n", 6, "one key occurs on line 5 and on line 6"),
        ("- id: &a q\n", 5, "anchors and aliases are not read"),
        ("- &a {id: q}\n- *a\n", 5, "anchors and aliases are not read"),
        ("- *a\n", 5, "anchors and aliases are not read"),
        ("- id: !!int 7\n", 5, "tags such as !!int are not read"),
        ("- !!python/object/apply:os.system [ls]\n", 5, "tags such as !!int are not read"),
        ("- id: !local q\n", 5, "tags such as !!int are not read"),
        ("- ? [a, b]\n  : c\n", 5, "a key must be text"),
        ("- q\n", 5, "a question must be a mapping"),
        ("- id: q\n   question: x\n", 6, "is not YAML"),
        ("- id: 'q\n", 6, "is not YAML"),
        ("- id: @q\n", 5, "is not YAML"),
        ("- id: q\n  form: gap\n  question: ü\u20ac\U0001f600\x07\n", 7, "wants escaped"),
        ("- {id: q, x: {a: {b: {c: {d: {e: {f: 1}}}}}}}\n", 5, "is nested too deeply"),
        ("- " + "[" * 5000 + "]" * 5000 + "\n", 5, "too deeply|maximum nesting depth"),
        ("- {id: q, question: x, form: gap}\n---\na: b\n", 7, "holds more than one document"),
        ("- id: q\n  more: x\n", 5, "unknown field `more`|missing required"),
    ],
)
def test_what_is_not_plain_yaml_is_refused_by_line_and_rule(
    tmp_path: Path, text: str, line: int, rule: str
) -> None:
    with pytest.raises(InvalidFile, match=f"^set.yaml, line {line}: .*({rule})"):
        read(tmp_path, HEADER + text)


def test_the_same_is_refused_without_libyaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import yaml

    monkeypatch.setattr(yaml_nodes, "_Loader", yaml.SafeLoader)
    assert read_question(tmp_path, "id: 0123", "expected_document_ids: [1e5]").id == b"0123"
    for text, line, rule in (
        ("- id: q\n  id: r\n", 6, "one key occurs"),
        ("- id: &a q\n", 5, "anchors"),
        ("- id: 'q\n", 6, "is not YAML"),
        ("- id: q\n  form: gap\n  question: ü\u20ac\U0001f600\x07\n", 7, "wants escaped"),
        ("- " + "[" * 5000 + "]" * 5000 + "\n", 5, "nested too deeply"),
    ):
        with pytest.raises(InvalidFile, match=f"^set.yaml, line {line}: .*{rule}"):
            read(tmp_path, HEADER + text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("- a\n", "line 1: must be a mapping"),
        ("just text\n", "line 1: must be a mapping"),
        (HEADER.replace("questions:", "questions: none"), "line 4: questions must be a list"),
        (HEADER.replace("questions:\n", ""), "line 1: a golden set needs at least one question"),
        (HEADER + "[]\n", "at least one question|is not YAML"),
        ("format: evenhand.golden/1\nidentifier: tiny\nname: [Tiny]\n", "name must be text"),
        ("# only a comment\n", "line 1: is empty"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(InvalidFile, match=rule):
        read(tmp_path, text)


def test_bytes_that_are_not_utf8_are_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(HEADER.encode() + b"- id: \xff\n")
    with pytest.raises(InvalidFile, match="line 5: is not UTF-8"):
        read_golden_yaml(path)
    path.write_bytes(HEADER.encode("utf-16"))
    with pytest.raises(InvalidFile, match="line 1: is UTF-16"):
        read_golden_yaml(path)


def test_a_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_yaml, "MAX_YAML_BYTES", 100)
    with pytest.raises(InvalidFile, match="file of more than 100 bytes"):
        read(tmp_path, HEADER + "# " + "x" * 100)


def test_a_message_never_quotes_the_file(tmp_path: Path) -> None:
    for text in (
        f"- id: '{CANARY}\n",
        f"- {CANARY}: x\n  {CANARY}: y\n",
        f"- question: {CANARY}\x07\n",
        f"- id: {CANARY}: {CANARY}\n",
    ):
        with pytest.raises(InvalidFile) as refused:
            read(tmp_path, HEADER + text)
        assert CANARY not in str(refused.value)
