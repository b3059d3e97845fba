"""TREC topics: classic, XML, tab-separated."""

from pathlib import Path

import pytest

from evenhand.adapters.formats.foreign.found import ReadOptions
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.foreign import samples
from tests.adapters.formats.foreign.reading import questions, read

DESC = ReadOptions(topic_field="desc")


def test_classic_topics_need_no_end_tags_and_lose_nists_labels(tmp_path: Path) -> None:
    assert questions(tmp_path, "robust.txt") == [
        ("301", "Organized Crime", None),
        ("302", "Polio", None),
    ]


def test_another_field_of_a_topic_can_be_the_question(tmp_path: Path) -> None:
    first = samples.CLASSIC[: samples.CLASSIC.index(b"</top>") + 6]
    assert questions(tmp_path, "a.txt", first, read=DESC) == [
        ("301", "Identify organizations that take part.", None)
    ]
    narrative = ReadOptions(topic_field="narr")
    found = questions(tmp_path, "a.txt", first, read=narrative)
    assert found[0][1] == "Relevant if <5 people> are named."


def test_a_topic_without_the_field_is_refused_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"line 15: the topic has no text in desc; .*: title$"):
        read(tmp_path, "robust.txt", read=DESC)


def test_xml_topics_keep_their_ids_and_have_entities_read(tmp_path: Path) -> None:
    assert questions(tmp_path, "covid.xml") == [
        ("1", "corona & origin", None),
        ("02", "weather changes", None),
    ]
    first = samples.XML.replace(
        b'<topic number="02"><query> weather\nchanges </query></topic>', b""
    )
    question = ReadOptions(topic_field="question")
    assert questions(tmp_path, "b.xml", first, read=question)[0][1] == "what is the origin"


def test_tab_separated_topics_keep_text_and_ids_as_they_are(tmp_path: Path) -> None:
    wanted = [("1", "zero dimensional", None), ("3", "1,000 genömes", None)]
    assert questions(tmp_path, "topics.tsv") == wanted
    assert questions(tmp_path, "topics.tsv.gz") == wanted


def test_qrels_beside_topics_make_targets_and_keep_grades(tmp_path: Path) -> None:
    qrels = samples.write(tmp_path, "q.txt", b"1 0 d1 2\r\n1 0 d2 0\n\n3 0 d3 -1")
    found = read(tmp_path, "topics.tsv", qrels=qrels)
    one, three = found.golden_set.questions
    assert one.expected_document_ids == (b"d1",)
    assert one.judgements == ((b"d1", 2), (b"d2", 0))
    assert three.unjudged
    assert three.judgements == ((b"d3", -1),)
    assert [(row.document_id, row.grade) for row in found.judgements] == [
        (b"d1", 2), (b"d2", 0), (b"d3", -1),
    ]  # fmt: skip


def test_qrels_of_a_query_that_is_not_there_are_refused(tmp_path: Path) -> None:
    qrels = samples.write(tmp_path, "q.txt", b"1 0 d1 1\n404 0 d1 1\n")
    with pytest.raises(InvalidFile, match=r"q\.txt, line 2: 1 query id.*'404' \(line 2\)"):
        read(tmp_path, "topics.tsv", qrels=qrels)


REFUSED = {
    "unclosed": (b"<top>\n<num> 1\n<title> a\n", "line 1: the last topic is not closed"),
    "nested": (b"<top>\n<num> 1\n<title> a\n<top>\n", "line 4: a topic begins or ends within"),
    "no id": (b"<top>\n<title> a\n</top>\n", "line 1: a topic has no id"),
    "not utf-8": (b"<top>\n<num> 1\n<title> gr\xf6\xdfe\n</top>\n", "line 3: is not UTF-8"),
    "no xml": (b"<topics><topic number='1'><query>a</topic></topics>", "line 1: is not XML: mism"),
    "doctype": (
        b"<!DOCTYPE t [<!ENTITY a 'aa'>]>\n<topics><topic id='1'><query>&a;</query></topic></topics>",
        "has a document type",
    ),
    "xml without id": (
        b"<topics>\n<topic><query>a</query></topic></topics>",
        "line 2: a topic has",
    ),
    "id twice": (b"1\ta\n2\tb\n1\tc\n", "line 3: has the id of line 1"),
    "no text": (b"1\ta\n2\t\n", "line 2: question must not be empty"),
    "NUL": (b"1\ta\n2\tb\0c\n", "line 2: question contains a NUL"),
    "utf-16": ("1\ta\n".encode("utf-16"), "line 1: is UTF-16; it must be UTF-8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_refused_by_line_and_rule(name: str, tmp_path: Path) -> None:
    content, rule = REFUSED[name]
    with pytest.raises(InvalidFile, match=rule):
        read(tmp_path, "bad.txt", content)


def test_a_mark_blank_lines_and_crlf_change_nothing(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf1\ta\r\n\r\n2\tb\xe2\x80\xa8c"
    assert questions(tmp_path, "t.tsv", content) == [("1", "a", None), ("2", "b\u2028c", None)]


def test_tab_separated_topics_have_no_fields(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidFile,
        match="--topic-field says nothing to the format trec-tsv, only to trec, trec-xml",
    ):
        read(tmp_path, "topics.tsv", read=DESC)
    with pytest.raises(InvalidFile, match="line 2: must have 2 columns parted by a tab"):
        read(tmp_path, "t.tsv", b"1\ta\n2\tb\tc\n", format="trec-tsv")
