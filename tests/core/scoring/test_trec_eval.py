"""Equality with trec_eval 10: to the bit for rows made here, and as text for its own test files.

The files of trec_eval and the collections are not part of this repository; where they are not at
hand those tests are skipped, and the rows made here prove the same rules.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.errors.retrieval import InvalidMeasure
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.projection import JudgedHits, QueryHits, columns_of, per_query
from evenhand.core.scoring.query_values import Family
from evenhand.core.scoring.value_columns import column_values
from tests.core.scoring import trec_reference
from tests.shared_data import shared_data

MADE: dict[str, Any] = json.loads(
    Path(__file__).with_name("trec_eval_values.json").read_text(encoding="utf-8")
)
#: Families of trec_eval that are not in the protocol; everything else it prints must be equal.
ELSEWHERE = (
    *("runid", "relstring", "gm_map", "gm_bpref", "infAP", "Rprec_mult", "utility", "11pt_avg"),
    *("binG", "G", "ndcg_rel", "Rndcg", "relative_P", "set_relative_P", "set_map", "set_F"),
    *("num_nonrel_judged_ret", "rbp", "rbp_resid", "unj"),
)
WITHOUT_LEVEL = (Family.NDCG, Family.NUMQ)


def measure_at(printed: str, level: int) -> Measure | None:
    """The measure of a name that trec_eval prints, at a level of relevance; None for others."""
    family = printed.rstrip("0123456789.").rstrip("_")
    try:
        measure = parse_measure(printed)
    except InvalidMeasure:
        assert family in ELSEWHERE, printed
        return None
    assert family not in ELSEWHERE
    if level == 1 or measure.family in WITHOUT_LEVEL or printed == "num_ret":
        return measure
    return parse_measure(str(measure.replaced(rel=level)))


def values_both_ways(
    measure: Measure, queries: Mapping[bytes, QueryHits], columns: JudgedHits
) -> list[float]:
    """Values in byte order of the queries, which the plain way and the columns must agree on."""
    plain = [measure.value(hits) for _, hits in per_query(queries)]
    assert plain == column_values(measure, columns).tolist()
    return plain


# Rows made here.

MADE_HITS = trec_reference.project(
    trec_reference.read_qrels("\n".join(MADE["qrels"]).encode()),
    trec_reference.read_run("\n".join(MADE["run"]).encode()),
)
MADE_COLUMNS = columns_of(MADE_HITS)


@pytest.mark.parametrize("level", ["1", "2"])
def test_every_value_is_the_double_of_trec_eval(level: str) -> None:
    for printed, expected in MADE["levels"][level].items():
        measure = measure_at(printed, int(level))
        assert measure is not None
        found = values_both_ways(measure, MADE_HITS, MADE_COLUMNS)
        named = {query.decode(): v for query, v in zip(sorted(MADE_HITS), found, strict=True)}
        assert (printed, named) == (printed, _queries(expected))


@pytest.mark.parametrize("level", ["1", "2"])
def test_every_summary_is_the_double_of_trec_eval(level: str) -> None:
    for printed, expected in MADE["levels"][level].items():
        measure = measure_at(printed, int(level))
        assert measure is not None
        if measure.family is Family.NUMREL and level != "1":
            # With -c trec_eval sums num_rel from grade 1 on, whatever the level.
            continue
        summary = measure.summary(values_both_ways(measure, MADE_HITS, MADE_COLUMNS))
        assert (printed, summary) == (printed, expected["all"])


def _queries(expected: Mapping[str, float]) -> dict[str, float]:
    return {query: value for query, value in expected.items() if query != "all"}


# The test files of trec_eval itself.

SAMPLES = [
    ("qrels.test", "results.test", "out.test", 1, None),
    ("qrels.test.with-comments", "results.test", "out.test", 1, None),
    ("qrels.comment.test", "results.comment.test", "out.comment.test", 1, None),
    ("qrels.test", "results.test", "out.test.a", 1, None),
    ("qrels.test", "results.test", "out.test.aq", 1, None),
    ("qrels.test", "results.trunc", "out.test.aqc", 1, None),
    ("qrels.test", "results.trunc", "out.test.aqcM", 1, 100),
    ("qrels.rel_level", "results.test", "out.test.aql", 2, None),
]


@pytest.mark.parametrize(("qrels", "run", "out", "level", "depth"), SAMPLES)
def test_the_text_of_trec_eval_s_own_files_is_equal(
    qrels: str, run: str, out: str, level: int, depth: int | None
) -> None:
    hits = trec_reference.project(
        trec_reference.read_qrels(shared_data("trec_eval", qrels).read_bytes()),
        trec_reference.read_run(shared_data("trec_eval", run).read_bytes()),
    )
    if depth is not None:
        hits = {query: trec_reference.cut(one, depth) for query, one in hits.items()}
    text = shared_data("trec_eval", out).read_text(encoding="utf-8")
    assert compare_text(hits, text, level) == []
    assert list(printed_rows(text, level))


# The collections.

COLLECTIONS = ["cranfield", "scifact", "med", "mtrag-un", "xquad-de-gaps"]


Collection = tuple[Path, dict[bytes, QueryHits]]


def load(name: str) -> Collection:
    """The folder of a collection, and the projection of its run."""
    folder = shared_data(name)
    run = gzip.decompress((folder / "runs" / "bm25.trec.gz").read_bytes())
    qrels = (folder / "qrels" / "test.tsv").read_bytes()
    return folder, trec_reference.project(
        trec_reference.read_beir_qrels(qrels), trec_reference.read_run(run)
    )


@pytest.fixture(params=COLLECTIONS)
def collection(request: pytest.FixtureRequest) -> Collection:
    return load(request.param)


def text_of(folder: Path) -> str:
    """What trec_eval 10 prints for the run of a collection."""
    content = (folder / "expected" / "bm25.trec_eval-10.txt.gz").read_bytes()
    return gzip.decompress(content).decode()


def test_the_text_of_trec_eval_for_a_collection_is_equal(collection: Collection) -> None:
    folder, hits = collection
    assert compare_text(hits, text_of(folder), level=1) == []


def test_the_values_of_pytrec_eval_for_a_collection_are_equal(collection: Collection) -> None:
    folder, hits = collection
    expected = json.loads((folder / "expected" / "bm25.pytrec_eval.json").read_bytes())
    names = {name for values in expected["per_query"].values() for name in values} - {"set_F"}
    assert len(names) == 18
    for name in sorted(names):
        measure = measure_at(name, 1)
        assert measure is not None
        found = {query.decode(): measure.value(hits[query]) for query in sorted(hits)}
        # Six decimals are stored; the mean that is like ours is over all judged queries.
        for query, values in expected["per_query"].items():
            assert (name, query, round(found[query], 6)) == (name, query, values[name])
        if not measure.is_count:
            assert measure.summary(found.values()) == pytest.approx(
                expected["all_complete"][name], abs=5.1e-7
            )


@pytest.mark.parametrize("name", sorted({*COLLECTIONS} - {"cranfield"}))
def test_rank_biased_precision_of_binary_judgements_is_that_of_trec_eval(name: str) -> None:
    # Cranfield is graded, and trec_eval scales graded gains.
    folder, hits = load(name)
    measure = parse_measure("RBP(p=0.9)")
    rows = [line.split() for line in text_of(folder).splitlines() if line.startswith("rbp ")]
    printed = {query: value for _, query, value in rows if query != "all"}
    assert printed == {query.decode(): f"{measure.value(one):6.4f}" for query, one in hits.items()}


def printed_rows(text: str, level: int) -> Iterator[tuple[Measure, str, str]]:
    """Measure, query and value of each line of a measure that is in the protocol."""
    for line in text.splitlines():
        name, query, value = (field.strip() for field in line.split("\t"))
        measure = measure_at(name, level)
        if measure is not None:
            yield measure, query, value


def compare_text(hits: Mapping[bytes, QueryHits], text: str, level: int) -> list[str]:
    """The lines of trec_eval's output that values computed here would not print."""
    columns = columns_of(hits)
    known: dict[Measure, dict[str, float | None]] = {}
    wrong = []
    for measure, query, value in printed_rows(text, level):
        if measure not in known:
            values = values_both_ways(measure, hits, columns)
            named = {one.decode(): value for one, value in zip(sorted(hits), values, strict=True)}
            known[measure] = {**named, "all": measure.summary(values)}
        found = known[measure][query]
        if f"{found:.0f}" != value if measure.is_count else f"{found:6.4f}" != value:
            wrong.append(f"{measure} {query}: {value}, found {found}")
    return wrong
