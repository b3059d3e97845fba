import hashlib
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import GRADED_PROTOCOL, GRADED_VERSION, Oracle, mean
from evenhand.core.scoring.projection import QueryHits
from tests.core.scoring.projections import MEASURES, query_hits

NOTHING_RELEVANT = QueryHits(hits=((1, 0),), retrieved=2, judged=(0, -1))


def test_the_protocol_is_frozen_with_its_description() -> None:
    # Whoever changes the text changes the protocol, and gives it another version.
    digest = hashlib.sha256(GRADED_PROTOCOL.encode("ascii")).hexdigest()
    assert (GRADED_VERSION, digest[:16]) == ("trec-eval-v1", "c0d2ca98de3b81ee")


def test_measures_load_no_numpy() -> None:
    code = "import sys, evenhand.core.scoring.measure_names; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("P@10", "-c -m P.10"),
        ("R@100", "-c -m recall.100"),
        ("Success@3", "-c -m success.3"),
        ("RR", "-c -m recip_rank"),
        ("RR@10", "-c -M10 -m recip_rank"),
        ("AP", "-c -m map"),
        ("AP(rel=2)@100", "-c -l2 -m map_cut.100"),
        ("nDCG", "-c -m ndcg"),
        ("nDCG@10", "-c -m ndcg_cut.10"),
        ("Rprec", "-c -m Rprec"),
        ("Bpref(rel=3)", "-c -l3 -m bpref"),
        ("IPrec@0.1", "-c -m iprec_at_recall.0.1"),
        ("SetP", "-c -m set_P"),
        ("SetR", "-c -m set_recall"),
        ("NumQ", "-c -m num_q"),
        ("NumRet", "-c -m num_ret"),
        ("NumRet(rel=2)", "-c -l2 -m num_rel_ret"),
        ("NumRel", "-c -m num_rel"),
    ],
)
def test_a_measure_of_trec_eval_names_the_call_that_prints_it(name: str, call: str) -> None:
    assert parse_measure(name).oracle == Oracle("trec_eval", call)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("nDCG(dcg='exp-log2')@10", "Burges et al. 2005"),
        ("RBP", "Moffat and Zobel 2008"),
        ("ERR@20", "Chapelle et al. 2009"),
        ("Judged@10", "ir_measures"),
    ],
)
def test_any_other_measure_names_its_formula(name: str, source: str) -> None:
    oracle = parse_measure(name).oracle
    assert oracle.name == "formula"
    assert source in oracle.call


@given(MEASURES)
def test_every_measure_has_an_oracle(name: str) -> None:
    oracle = parse_measure(name).oracle
    assert oracle.call
    assert "{" not in oracle.call


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR", "P@5", "R@5", "Success@1", "ERR", "SetP"])
def test_a_query_with_nothing_relevant_is_zero_as_in_trec_eval_and_has_no_native_value(
    name: str,
) -> None:
    measure = parse_measure(name)
    assert measure.value(NOTHING_RELEVANT) == 0.0
    assert measure.native_value(NOTHING_RELEVANT) is None


@pytest.mark.parametrize(
    ("name", "value"), [("Judged@2", 0.5), ("NumQ", 1.0), ("NumRet", 2.0), ("NumRel", 0.0)]
)
def test_what_needs_nothing_relevant_has_a_native_value_all_the_same(
    name: str, value: float
) -> None:
    assert parse_measure(name).native_value(NOTHING_RELEVANT) == value


def test_a_level_that_no_document_has_leaves_no_native_value() -> None:
    hits = QueryHits(hits=((1, 1),), retrieved=1, judged=(1,))
    assert parse_measure("AP").native_value(hits) == 1.0
    assert parse_measure("AP(rel=2)").native_value(hits) is None


@given(query_hits(), MEASURES)
def test_a_value_is_in_its_range_and_never_nan(hits: QueryHits, name: str) -> None:
    measure = parse_measure(name)
    value = measure.value(hits)
    assert math.isfinite(value)
    assert value >= 0.0
    assert value == int(value) if measure.is_count else value <= 1.0 + 1e-12


@given(st.lists(st.floats(min_value=0, max_value=1), min_size=1))
def test_a_mean_adds_from_the_first_to_the_last(values: list[float]) -> None:
    so_far = 0.0
    for value in values:
        so_far = so_far + value
    assert mean(values) == so_far / len(values)


def test_there_is_no_mean_of_nothing_and_a_total_of_it_is_zero() -> None:
    assert mean([]) is None
    assert parse_measure("AP").summary([]) is None
    assert parse_measure("NumQ").summary([]) == 0.0


def test_counts_are_summed_and_all_else_is_averaged() -> None:
    assert parse_measure("NumRet").summary([3.0, 4.0]) == 7.0
    assert parse_measure("P@5").summary([0.2, 0.4]) == pytest.approx(0.3)
