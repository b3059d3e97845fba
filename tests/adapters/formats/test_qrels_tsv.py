"""Tab-separated judgements: no row is lost to a header, no header becomes a row."""

import gzip
from pathlib import Path

import pytest

from evenhand.adapters.formats.qrels_tsv import read_qrels_tsv, read_query_ids
from evenhand.core.errors import InvalidFile

HEADER = b"query-id\tcorpus-id\tscore\n"
Rows = list[tuple[bytes, bytes, int, int]]


def read(tmp_path: Path, content: bytes) -> Rows:
    path = tmp_path / "test.tsv"
    path.write_bytes(content)
    found = read_qrels_tsv(path, "qrels/test.tsv")
    return [(one.query_id, one.document_id, one.grade, one.line) for one in found]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEADER + b"q1\td1\t1\nq2\td2\t0\n", [(b"q1", b"d1", 1, 2), (b"q2", b"d2", 0, 3)]),
        (b"q1\td1\t1\nq2\td2\t0\n", [(b"q1", b"d1", 1, 1), (b"q2", b"d2", 0, 2)]),
        (b"corpus-id\tquery-id\tscore\nd1\tq1\t1\n", [(b"q1", b"d1", 1, 2)]),
        (b"score\tcorpus-id\tquery-id\n1\td1\tq1\n", [(b"q1", b"d1", 1, 2)]),
        (b"\xef\xbb\xbf" + HEADER + b"q1\td1\t1\r\n\r\nq1\td2\t-1", [(b"q1", b"d1", 1, 2), (b"q1", b"d2", -1, 4)]),
        (HEADER + b"a b\td<::>1\t+2\n", [(b"a b", b"d<::>1", 2, 2)]),
        (HEADER + b"q\xff\td\xfe\t1\n", [(b"q\xff", b"d\xfe", 1, 2)]),
        (gzip.compress(HEADER + b"q1\td1\t1\n", mtime=0), [(b"q1", b"d1", 1, 2)]),
        (HEADER, []),
        (b"", []),
    ],
)  # fmt: skip
def test_rows_are_read_with_or_without_a_header(
    tmp_path: Path, content: bytes, expected: Rows
) -> None:
    assert read(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("content", "line", "rule"),
    [
        (b"q1\t0\td1\t1\n", 1, "must have 3 columns .* not 4"),
        (HEADER + b"q1 0 d1 1\n", 2, "must have 3 columns .* not 1"),
        (HEADER + b"q1\td1\n", 2, "must have 3 columns .* not 2"),
        (b"query-id\tdoc-id\tscore\nq1\td1\t1\n", 1, "score must be a whole number"),
        (HEADER + HEADER, 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t0.5\n", 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t1.0\n", 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t1e0\n", 2, "score must be a whole number"),
        (HEADER + b"q1\td1\thigh\n", 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t\n", 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t1_0\n", 2, "score must be a whole number"),
        (HEADER + "q1\td1\t\u0661\n".encode(), 2, "score must be a whole number"),
        (HEADER + b"q1\td1\t99999999999\n", 2, "score must be a whole number"),
        (HEADER + b"\td1\t1\n", 2, "query-id must not be empty"),
        (HEADER + b"q1\t\t1\n", 2, "corpus-id must not be empty"),
        (HEADER + b"q1\td\0\t1\n", 2, "corpus-id must not hold NUL"),
        (HEADER + b"q1\td1\t1\nq2\td1\t1\nq1\td1\t1\n", 4, "line 2 and on line 4, equally"),
        (b"q1\td1\t1\nq1\td1\t2\n", 2, "line 1 and on line 2, with two grades"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused_by_file_line_and_rule(
    tmp_path: Path, content: bytes, line: int, rule: str
) -> None:
    with pytest.raises(InvalidFile, match=f"^qrels/test.tsv, line {line}: .*{rule}"):
        read(tmp_path, content)


def test_query_ids_are_read_with_or_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "no_answer.tsv"
    path.write_bytes(b"query-id\nq 1\nq2\n")
    assert read_query_ids(path, "n.tsv") == {b"q 1": 2, b"q2": 3}
    path.write_bytes(b"q1\r\nquery-id")
    assert read_query_ids(path, "n.tsv") == {b"q1": 1, b"query-id": 2}


@pytest.mark.parametrize(
    ("content", "line", "rule"),
    [
        (b"query-id\nq1\t1\n", 2, "must have one column"),
        (b"query-id\nq1\nq2\nq1\n", 4, "occurs on line 2 and on line 4"),
        (b"query-id\nq\0\n", 2, "must not hold NUL"),
    ],
)
def test_a_list_of_query_ids_that_breaks_a_rule_is_refused(
    tmp_path: Path, content: bytes, line: int, rule: str
) -> None:
    path = tmp_path / "no_answer.tsv"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=f"^n.tsv, line {line}: .*{rule}"):
        read_query_ids(path, "n.tsv")
