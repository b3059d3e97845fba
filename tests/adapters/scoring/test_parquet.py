import gzip
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.errors import InvalidFile
from evenhand.core.scoring.projection import QueryHits, per_query

pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs the extra `frames`")

RUN: dict[str, list[Any]] = {
    "query_id": ["q", "q", "q"],
    "doc_id": ["a b", "c", "d"],
    "score": [1.0, 2.0, 1.0],
}
QRELS: dict[str, list[Any]] = {"query_id": ["q", "p"], "doc_id": ["a b", "x"], "relevance": [2, 0]}


def written(path: Path, columns: dict[str, list[Any]]) -> Path:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_judgements_and_runs_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS)
    run = written(tmp_path / "run.parquet", RUN | {"note": ["x", "y", "z"]})
    hits, facts = score_inputs(qrels, run)
    assert dict(per_query(hits)) == {
        b"p": QueryHits(hits=(), retrieved=0, judged=(0,)),
        b"q": QueryHits(hits=((3, 2),), retrieved=3, judged=(2,)),
    }
    assert (facts.run_format, facts.qrels_format) == ("parquet", "parquet")
    assert (facts.ranked.rows, facts.tied_hits) == (3, 1)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"query_id": [1, 2, 3]}, "row 1: an id is not text"),
        ({"doc_id": ["a", None, "c"]}, "row 2: an id is not text"),
        ({"doc_id": ["a", "", "c"]}, "row 2: an id is not text"),
        (
            {"doc_id": ["c", "a", "a"]},
            "row 3: gives document 'a' for a query that has it in row 2",
        ),
        ({"score": [2**53, 2**53 + 1, 1]}, "row 2: the score is a whole number that 64-bit"),
        ({"qid": ["q", "q", "q"]}, "has the columns query_id and qid, of which only one can be"),
        ({"score": [1.0, float("nan"), 2.0]}, "row 2: the score is not a finite number"),
        ({"score": [1.0, None, 2.0]}, "row 2: the score is not a finite number"),
        ({"score": ["1", "2", "3"]}, "row 1: the score is not a finite number"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(
    changed: dict[str, list[Any]], rule: str, tmp_path: Path
) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS)
    run = written(tmp_path / "run.parquet", RUN | changed)
    with pytest.raises(InvalidFile, match=rule):
        score_inputs(qrels, run)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"relevance": [0.5, 1.0]}, "row 1: the grade must be a whole number"),
        ({"relevance": [True, False]}, "row 1: the grade must be a whole number"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "a"]}, "row 2: judges .* a second time"),
    ],
)
def test_a_judgement_that_breaks_a_rule_is_named(
    changed: dict[str, list[Any]], rule: str, tmp_path: Path
) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS | changed)
    run = written(tmp_path / "run.parquet", RUN)
    with pytest.raises(InvalidFile, match=rule):
        score_inputs(qrels, run)


def test_a_missing_column_is_named_with_what_is_accepted(tmp_path: Path) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS)
    run = written(tmp_path / "run.parquet", {"query_id": ["q"], "score": [1.0]})
    with pytest.raises(InvalidFile, match=r"has no column doc_id \(accepted: doc_id, corpus-id"):
        score_inputs(qrels, run)


def test_damaged_parquet_is_refused(tmp_path: Path) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS)
    run = written(tmp_path / "run.parquet", RUN)
    run.write_bytes(run.read_bytes()[:-20])
    with pytest.raises(InvalidFile, match="is damaged Parquet data"):
        score_inputs(qrels, run)


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"score": [1, 2]}, "has the columns relevance and score, of which only one can be"),
        ({"docno": ["x", "y"]}, "has the columns doc_id and docno, of which only one can be"),
    ],
)
def test_judgements_with_two_columns_for_one_thing_are_refused(
    more: dict[str, list[Any]], rule: str, tmp_path: Path
) -> None:
    qrels = written(tmp_path / "qrels.parquet", QRELS | more)
    with pytest.raises(InvalidFile, match=rule):
        score_inputs(qrels, written(tmp_path / "run.parquet", RUN))


def test_a_judgement_that_is_there_twice_is_named(tmp_path: Path) -> None:
    qrels = written(
        tmp_path / "qrels.parquet",
        {"query_id": ["q", "q"], "doc_id": ["a", "a"], "relevance": [1, 1]},
    )
    with pytest.raises(InvalidFile, match="row 2: judges document 'a' of a query a second time"):
        score_inputs(qrels, written(tmp_path / "run.parquet", RUN))


@pytest.mark.parametrize("which", ["judgements", "run"])
def test_parquet_inside_gzip_is_refused_by_name(which: str, tmp_path: Path) -> None:
    paths = {
        "judgements": written(tmp_path / "qrels.parquet", QRELS),
        "run": written(tmp_path / "run.parquet", RUN),
    }
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(paths[which].read_bytes()))
    paths[which] = packed
    with pytest.raises(InvalidFile, match=r"packed\.gz: is Parquet inside gzip; unpack it first"):
        score_inputs(paths["judgements"], paths["run"])


def test_whole_scores_that_64_bits_hold_are_taken(tmp_path: Path) -> None:
    run = written(tmp_path / "run.parquet", RUN | {"score": [2**53, 2**60, -(2**53)]})
    hits, _ = score_inputs(written(tmp_path / "qrels.parquet", QRELS), run)
    assert dict(per_query(hits))[b"q"].hits == ((2, 2),)
