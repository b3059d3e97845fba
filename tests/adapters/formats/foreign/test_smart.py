"""SMART collections: questions, documents, and the shapes of their judgements."""

from pathlib import Path

import pytest

from evenhand.adapters.formats.foreign.build import BuildOptions
from evenhand.adapters.formats.foreign.judgements import judgement_formats, read_judgements
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.foreign import samples
from tests.adapters.formats.foreign.reading import questions, read


def test_records_are_questions_with_the_ids_that_are_printed(tmp_path: Path) -> None:
    assert questions(tmp_path, "cran.qry") == [
        ("001", "what similarity laws hold .", None),
        ("004", ".5 of them", None),
    ]
    assert questions(tmp_path, "TIME.QUE") == [
        ("1", "KENNEDY PRESSURE ON DIEM .", None),
        ("2", "EFFORTS", None),
    ]


def test_a_file_of_documents_is_a_corpus_beside_the_questions(tmp_path: Path) -> None:
    documents = samples.write(tmp_path, "ADI.ALL")
    qrels = samples.write(tmp_path, "q.txt", b"001 0 1 1\n004 0 2 1\n")
    found = read(tmp_path, "cran.qry", qrels=qrels, documents=documents)
    assert [(one.id, one.title, one.text) for one in found.documents or ()] == [
        (b"1", "the ibm center", "the ibm data systems"),
        (b"2", "no text here", ""),
    ]


def test_a_judged_document_that_the_corpus_lacks_is_refused(tmp_path: Path) -> None:
    documents = samples.write(tmp_path, "ADI.ALL")
    qrels = samples.write(tmp_path, "q.txt", b"001 0 1 1\n001 0 3 1\n")
    with pytest.raises(InvalidFile, match=r"line 2: 1 document id.*not in ADI\.ALL: '3' \(line 2"):
        read(tmp_path, "cran.qry", qrels=qrels, documents=documents)


def test_ids_by_position_count_the_questions(tmp_path: Path) -> None:
    counted = BuildOptions(ids_by_position=True)
    found = questions(tmp_path, "cran.qry", build=counted)
    assert [name for name, _, _ in found] == ["1", "2"]


SHAPES = {
    "qrels.txt": ("trec", [("q1", "d1", 1), ("q1", "d2", 0)]),
    "test.tsv": ("beir", [("q1", "d1", 1)]),
    "ADI.REL": ("smart-pairs", [("1", "17", 1), ("2", "12", 1)]),
    "TIME.REL": ("smart-lists", [("1", "268", 1), ("1", "288", 1), ("1", "304", 1), ("2", "326", 1)]),
    "LISARJ.NUM": (
        "smart-counts",
        [("1", "3392", 1), ("1", "3396", 1), ("2", "1", 1), ("2", "2", 1), ("2", "3", 1), ("3", "9", 1)],
    ),
    "LISA.REL": ("smart-refs", [("1", "3392", 1), ("1", "3396", 1), ("2", "7", 1)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_the_shape_of_judgements_is_told_by_their_content(name: str, tmp_path: Path) -> None:
    shape, rows = SHAPES[name]
    found = read_judgements(samples.write(tmp_path, name), name)
    assert found.format == shape
    plain = [(one.query_id.decode(), one.document_id.decode(), one.grade) for one in found.rows]
    assert plain == rows


def test_cranfields_codes_are_turned_and_the_unexplained_one_is_left_out(tmp_path: Path) -> None:
    path = samples.write(tmp_path, "cran.qrels")
    found = read_judgements(path, path.name, "cranfield")
    assert [(one.document_id, one.grade) for one in found.rows] == [
        (b"184", 3), (b"29", 1), (b"12", 4),
    ]  # fmt: skip
    assert found.remarks == ("judgements with code -1, which nobody explains, left out: 1",)
    with pytest.raises(InvalidFile, match="three columns, which are not guessed"):
        read_judgements(path, path.name)


def test_a_shape_that_is_not_clear_is_not_chosen() -> None:
    assert judgement_formats("1 1 5\n2 2 7 8\n") == ("smart-counts", "smart-lists")
    assert judgement_formats("here are\nsome words\n") == ()


def test_two_shapes_are_refused_with_their_names(tmp_path: Path) -> None:
    path = samples.write(tmp_path, "x", b"1 1 5\n2 2 7 8\n")
    with pytest.raises(InvalidFile, match="may be any of smart-counts, smart-lists; say which"):
        read_judgements(path, "x")


REFUSED = {
    "trec": [
        (b"q1 d1 1\n", "line 1: must have 4 columns, not 3"),
        (b"q1 0 d1 1\nq1 0 d2 1.5\n", "line 2: the grade must be a whole number"),
        (b"q1 0 d1 1\nq1 0 d1 0\n", "judged on line 1 and on line 2"),
        (b"q1 0 d\x001 1\n", "line 1: an id must not hold NUL"),
    ],
    "cranfield": [(b"1 2 6\n", "line 1: the code must be -1 or from 1 to 5")],
    "smart-pairs": [(b"1 2 0\n", "line 1: must have 4 columns")],
    "smart-lists": [
        (b"1 2\n3\n", "line 2: has a query without a document"),
        (b"1 2\n\n1 3\n", "line 3: one query occurs on line 1 and on line 3"),
        (b"1 2 x\n", "line 1: must hold whole numbers only"),
        (b"1 2 2\n", "judged on line 1 and on line 1"),
    ],
    "smart-counts": [
        (b"1 3 5 6\n", "line 1: the query that begins here lacks 1 of its documents"),
        (b"1 1 5 6\n", "line 1: has more documents than its count says"),
        (b"1\n", "line 1: must begin with a query and a count"),
    ],
    "smart-refs": [
        (
            b"Query 1\n2 Relevant Refs:\n5 6\n",
            "line 3: the block that begins on line 1 is cut off",
        ),
        (b"Query 1\n2 Relevant Refs:\n5 -1\n", "line 1: the block says 2 documents and has 1"),
        (b"Query 1\n5 -1\n", "line 1: a block begins with Query n and m Relevant Refs"),
        (b"Query 1\n1 Relevant Refs:\n5\n1 Relevant Refs:\n6 -1\n", "line 4: the block that begi"),
        (
            b"Query 1\n1 Relevant Refs:\n5 -1\nQuery 1\n1 Relevant Refs:\n6 -1\n",
            "line 4: one query occurs on line 1 and on line 4",
        ),
    ],
}


@pytest.mark.parametrize(
    ("shape", "content", "rule"),
    [(shape, content, rule) for shape, rows in REFUSED.items() for content, rule in rows],
)
def test_broken_judgements_are_refused_by_line_and_rule(
    shape: str, content: bytes, rule: str, tmp_path: Path
) -> None:
    path = samples.write(tmp_path, "bad", content)
    with pytest.raises(InvalidFile, match=rule):
        read_judgements(path, "bad", shape)


def test_text_before_the_first_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="line 1: has text before the first record"):
        read(tmp_path, "x", b"oops\n.I 1\n.W\na\n", format="smart")
    with pytest.raises(InvalidFile, match="line 1: the record has no text"):
        read(tmp_path, "x", b".I 1\n.T\na\n", format="smart")
