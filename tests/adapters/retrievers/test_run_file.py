import gzip
import hashlib
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.retrievers.run_file import RunFileRetriever, read_run, run_identifier
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import RetrievalFailed
from evenhand.core.scoring.evaluation import Basis


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_ranking_is_by_score_and_the_rank_column_is_ignored(tmp_path: Path) -> None:
    run = write(
        tmp_path / "a.trec",
        "q1 Q0 low 1 0.5 tag",
        "q1 Q0 high 9 2.5 tag",
        "q1 Q0 middle 4 1 tag",
        "q2 Q0 other 1 -3 tag",
    )
    retriever = RunFileRetriever(run)

    assert list(retriever.retrieve_for(b"q1", "", 12)) == [b"high", b"middle", b"low"]
    assert list(retriever.retrieve_for(b"q2", "", 12)) == [b"other"]


def test_equal_scores_are_by_document_id_descending_in_bytes(tmp_path: Path) -> None:
    run = write(
        tmp_path / "a.trec",
        "q Q0 d1 1 1.0 t",
        "q Q0 d10 2 1.0 t",
        "q Q0 d2 3 1.0 t",
        "q Q0 Z 4 1.0 t",
        "q Q0 \N{LATIN SMALL LETTER E WITH ACUTE} 5 1.0 t",
    )

    assert read_run(run)[b"q"] == ("é".encode(), b"d2", b"d10", b"d1", b"Z")


def test_scores_are_compared_in_64_bits(tmp_path: Path) -> None:
    run = write(tmp_path / "a.trec", "q Q0 d0 1 16777217 t", "q Q0 d9 2 16777216 t")

    assert read_run(run)[b"q"] == (b"d0", b"d9")


def test_limit_cuts_the_ranking(tmp_path: Path) -> None:
    run = write(tmp_path / "a.trec", "q Q0 a 1 3 t", "q Q0 b 2 2 t", "q Q0 c 3 1 t")

    assert list(RunFileRetriever(run).retrieve_for(b"q", "", 2)) == [b"a", b"b"]


def test_query_that_the_file_lacks_found_nothing(tmp_path: Path) -> None:
    run = write(tmp_path / "a.trec", "q Q0 a 1 3 t")

    assert list(RunFileRetriever(run).retrieve_for(b"other", "", 12)) == []


def test_question_text_alone_names_no_ranking(tmp_path: Path) -> None:
    retriever = RunFileRetriever(write(tmp_path / "a.trec", "q Q0 a 1 3 t"))

    with pytest.raises(RetrievalFailed) as caught:
        retriever.retrieve("q", 12)
    assert caught.value.code == "query_id_needed"


def test_gzip_is_read_and_the_digest_is_of_the_file_as_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "a.trec.gz"
    path.write_bytes(gzip.compress(b"q Q0 a 1 3 t\n"))
    retriever = RunFileRetriever(path)

    assert list(retriever.retrieve_for(b"q", "", 12)) == [b"a"]
    assert retriever.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_tabs_marks_carriage_returns_and_blank_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(b"\xef\xbb\xbfq\tQ0\ta\t1\t3\tt\r\n\n  q Q0  b 2 2 t \n")

    assert read_run(path) == {b"q": (b"a", b"b")}


@pytest.mark.parametrize("character", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_character_that_some_take_for_a_line_end_is_part_of_an_id(
    tmp_path: Path, character: str
) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(f"q Q0 a{character}b 1 3 t\n".encode())

    assert read_run(path) == {b"q": (f"a{character}b".encode(),)}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("q Q0 a 1 3", "must have 6 columns (query Q0 document rank score tag), but has 5"),
        ("q Q0 a b 1 3 t", "must have 6 columns (query Q0 document rank score tag), but has 7"),
        ("q Q0 a 1 nan t", "the score is not a finite number"),
        ("q Q0 a 1 inf t", "the score is not a finite number"),
        ("q Q0 a 1 -inf t", "the score is not a finite number"),
        ("q Q0 a 1 1e999 t", "the score is not a finite number"),
        ("q Q0 a 1 1_000 t", "the score is not a finite number"),
        ("q Q0 a 1 0x10 t", "the score is not a finite number"),
        ("q Q0 a 1 . t", "the score is not a finite number"),
        ("q Q0 a\0b 1 3 t", "must not hold NUL"),
        ("q Q0 ok 1 2 t", "has a document that an earlier line gives for the same query"),
    ],
)
def test_bad_line_is_refused_with_file_line_and_rule(tmp_path: Path, line: str, rule: str) -> None:
    run = write(tmp_path / "bad.trec", "q Q0 ok 1 3 t", line)

    with pytest.raises(InvalidFile) as caught:
        RunFileRetriever(run)
    assert (caught.value.file, caught.value.line, caught.value.rule) == ("bad.trec", 2, rule)


def test_same_document_for_two_queries_is_no_duplicate(tmp_path: Path) -> None:
    run = write(tmp_path / "a.trec", "q1 Q0 a 1 3 t", "q2 Q0 a 1 3 t")

    assert read_run(run) == {b"q1": (b"a",), b"q2": (b"a",)}


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("bm25.trec", "bm25"),
        ("bm25.trec.gz", "bm25"),
        ("BM25 Tuned.run", "bm25_tuned"),
        ("k1=0.9.txt", "k1_0.9"),
        ("plain", "plain"),
        (".trec", ".trec"),
    ],
)
def test_identifier_is_the_file_stem_normalised(name: str, identifier: str) -> None:
    assert run_identifier(Path("runs") / name) == identifier


def test_basis_is_imported(tmp_path: Path) -> None:
    assert RunFileRetriever(write(tmp_path / "a.trec", "q Q0 a 1 3 t")).basis is Basis.IMPORTED


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=4),
        st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_order_of_the_lines_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, float], shuffler: object
) -> None:
    lines = [f"q Q0 {document} 0 {score!r} t" for document, score in scores.items()]
    shuffler.shuffle(lines)  # type: ignore[attr-defined]  # hypothesis' own Random
    run = write(tmp_path_factory.mktemp("run") / "a.trec", *lines)

    expected = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
    assert list(read_run(run).get(b"q", ())) == [document.encode() for document in expected]
    assert all(math.isfinite(score) for score in scores.values())
