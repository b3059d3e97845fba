"""Real runs, where the shared collections are at hand: both ways, against values of trec_eval."""

import json

import pytest

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.scoring.measure_names import parse_measures
from evenhand.core.scoring.projection import JudgedHits, per_query
from evenhand.core.scoring.value_columns import all_values
from tests.shared_data import shared_data

MEASURES = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "RR": "recip_rank",
    "R@100": "recall_100",
    "P@10": "P_10",
    "Rprec": "Rprec",
    "Bpref": "bpref",
}


@pytest.mark.parametrize("name", ["cranfield", "scifact", "med", "mtrag-un", "xquad-de-gaps"])
def test_both_ways_give_the_values_of_a_collection(name: str) -> None:
    folder = shared_data(name)
    paths = folder / "qrels" / "test.tsv", folder / "runs" / "bm25.trec.gz"
    plain, _ = score_inputs(*paths, small_bytes=2**30)
    wide, facts = score_inputs(*paths, small_bytes=0, block_bytes=2**14)
    assert isinstance(wide, JudgedHits)
    assert dict(per_query(plain)) == dict(per_query(wide))
    expected = json.loads((folder / "expected" / "bm25.pytrec_eval.json").read_bytes())
    for measure, values in all_values(parse_measures(MEASURES), wide).items():
        found = dict(zip((one.decode() for one in wide.queries), values.tolist(), strict=True))
        for query, of_query in expected["per_query"].items():
            # The file has six decimals.
            assert found[query] == pytest.approx(of_query[MEASURES[str(measure)]], abs=6e-7)
    both = facts.ranked.run_queries - facts.ranked.unjudged_queries
    assert both == len(expected["per_query"])


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("qrels.test", "results.test"),
        ("qrels.test.with-comments", "results.test"),
        ("qrels.comment.test", "results.comment.test"),
        ("qrels.rel_level", "results.trunc"),
    ],
)
def test_both_ways_agree_on_the_files_of_trec_eval(qrels: str, run: str) -> None:
    paths = shared_data("trec_eval", qrels), shared_data("trec_eval", run)
    plain, of_plain = score_inputs(*paths, small_bytes=2**30)
    wide, of_wide = score_inputs(*paths, small_bytes=0, block_bytes=2**14)
    assert dict(per_query(plain)) == dict(per_query(wide))
    assert of_plain.qrels_digest() == of_wide.qrels_digest()
    assert of_plain.ranked.tied_rows == of_wide.ranked.tied_rows
