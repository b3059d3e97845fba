"""One peer scores one run: ``scoring_peers.py PEER QRELS RUN``, values as JSON on stdout.

Each reads the files with its own readers, and gives the value of each query and the means, as a
user of it would write it. Only what that peer needs is imported: its process is measured whole.
"""

import json
import sys

#: Ours and pytrec_eval's names of the measures that everybody computes.
MEASURES = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "RR": "recip_rank",
    "R@100": "recall_100",
    "P@10": "P_10",
    "Success@1": "success_1",
    "Success@3": "success_3",
}
RANX = ["ndcg@10", "map", "mrr", "recall@100", "precision@10", "hit_rate@1", "hit_rate@3"]


def pytrec_eval(qrels: str, run: str) -> dict[str, dict[str, float]]:
    """The binding of trec_eval 9."""
    import pytrec_eval as peer

    with open(qrels) as stream:  # noqa: PTH123  # as its own examples do
        judged = peer.parse_qrel(stream)
    with open(run) as stream:  # noqa: PTH123
        rankings = peer.parse_run(stream)
    asked = {"ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10", "success.1,3"}
    found = peer.RelevanceEvaluator(judged, asked).evaluate(rankings)
    return {
        ours: {query: values[theirs] for query, values in found.items()}
        for ours, theirs in MEASURES.items()
    }


def ir_measures(qrels: str, run: str) -> dict[str, dict[str, float]]:
    """The common interface to several tools."""
    import ir_measures as peer

    measures = [peer.parse_measure(name) for name in MEASURES]
    found: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    rows = peer.iter_calc(measures, peer.read_trec_qrels(qrels), peer.read_trec_run(run))
    for row in rows:
        found[str(row.measure)][row.query_id] = row.value
    return found


def ranx(qrels: str, run: str) -> dict[str, dict[str, float]]:
    """Compiled when first used, so its cache has to be warm."""
    from ranx import Qrels, Run, evaluate

    judged, rankings = Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec")
    evaluate(judged, rankings, RANX)
    return {
        ours: dict(rankings.scores[theirs]) for ours, theirs in zip(MEASURES, RANX, strict=True)
    }


if __name__ == "__main__":
    peer, *paths = sys.argv[1:]
    values = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}[peer](*paths)
    means = {name: sum(found.values()) / len(found) for name, found in values.items()}
    json.dump({"means": means, "per_query": values}, sys.stdout)
