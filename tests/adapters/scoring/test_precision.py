"""Scores held in 32 bits rank as where C keeps them in a float, whichever reader reads the run."""

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.scoring.projection import QueryHits, per_query
from tests.adapters.scoring.runs import Row, qrels_text, reference, run_text, write_inputs

JUDGED = {b"p": {b"d3": 1, b"d8": 2}, b"q": {b"d1": 1, b"d2": 0, b"d7": 3}}
#: Differ in the ninth digit, in the last of a large number, beyond what 32 bits reach, and well.
SCORES = (
    *(f"0.12345678{last}" for last in range(10)),
    *(str(16777216 + more) for more in range(3)),
    "1e39",
    "2e39",
    "-1e39",
    "7",
    "1e-50",
    "0",
)


def rounded(rows: list[Row]) -> list[Row]:
    return [(q, d, repr(array("f", [float(score)])[0])) for q, d, score in rows]


def hits(
    folder: Path, rows: list[Row], *, columns: bool, scattered: bool
) -> dict[bytes, QueryHits]:
    laid = sorted(rows, key=lambda row: row[1]) if scattered else rows
    paths = write_inputs(folder, qrels_text(JUDGED), run_text(laid))
    found, facts = score_inputs(
        *paths, precision=32, small_bytes=0 if columns else 2**20, block_bytes=200
    )
    assert (facts.precision, facts.ranked.collapsed_scores) == (32, 0)
    return dict(per_query(found))


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("columns", [False, True])
@given(
    given_scores=st.lists(st.sampled_from(SCORES), min_size=20, max_size=20),
)
def test_rows_rank_by_their_rounded_scores(
    tmp_path_factory: pytest.TempPathFactory,
    given_scores: list[str],
    *,
    columns: bool,
    scattered: bool,
) -> None:
    rows: list[Row] = [
        (query, b"d%d" % number, given_scores[number + 10 * place])
        for place, query in enumerate((b"p", b"q"))
        for number in range(10)
    ]
    found = hits(tmp_path_factory.mktemp("run"), rows, columns=columns, scattered=scattered)
    assert found == reference(JUDGED, rounded(rows))


def test_parquet_is_rounded_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs the extra `frames`")
    from pyarrow import parquet

    rows: list[Row] = [(b"q", b"d%d" % n, f"0.12345678{9 - n}") for n in range(10)]
    table = {
        "query_id": [query for query, _, _ in rows],
        "doc_id": [one for _, one, _ in rows],
        "score": [float(score) for *_, score in rows],
    }
    parquet.write_table(pyarrow.table(table), tmp_path / "run.parquet")
    qrels, _ = write_inputs(tmp_path, qrels_text({b"q": JUDGED[b"q"]}), b"")
    found, _ = score_inputs(qrels, tmp_path / "run.parquet", precision=32)
    assert dict(per_query(found)) == reference({b"q": JUDGED[b"q"]}, rounded(rows))
    assert dict(per_query(found)) != reference({b"q": JUDGED[b"q"]}, rows)
