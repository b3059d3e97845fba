import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.identity.canonical import compact_json, sha256_hex
from evenhand.core.identity.provenance import benchmark_fingerprint
from evenhand.core.identity.qrels import qrels_digest, qrels_members, scoring_identity

ROWS = st.dictionaries(st.tuples(st.binary(), st.binary()), st.integers()).map(
    lambda grades: [(query, document, grade) for (query, document), grade in grades.items()]
)


def v1(members: object) -> str:
    text = json.dumps(members, separators=(",", ":"))
    return "v1:" + hashlib.sha256(text.encode()).hexdigest()


@given(ROWS, st.data())
def test_the_digest_equals_one_computed_by_hand_whatever_the_order(
    rows: list[tuple[bytes, bytes, int]], data: st.DataObject
) -> None:
    by_hand = [
        [base64.b64encode(query).decode(), base64.b64encode(document).decode(), grade]
        for query, document, grade in sorted(rows)
    ]
    assert qrels_digest(data.draw(st.permutations(rows))) == v1(["qrels-v1", by_hand])


@pytest.mark.parametrize("grade", [-1, 0, 2])
def test_every_grade_counts_also_those_that_gain_nothing(grade: int) -> None:
    digests = {
        qrels_digest([(b"q", b"d", 1)]),
        qrels_digest([(b"q", b"d", 1), (b"q", b"e", grade)]),
        qrels_digest([(b"q", b"d", 1), (b"q", b"e", grade + 1)]),
    }
    assert len(digests) == 3


@pytest.mark.parametrize("grade", [True, 1.0, "1", None])
def test_a_grade_that_is_no_integer_is_refused_by_position(grade: object) -> None:
    with pytest.raises(InvalidQrels) as caught:
        qrels_digest([(b"q", b"d", 1), (b"q", b"e", grade)])  # type: ignore[list-item]
    assert caught.value.position == 2


def test_a_pair_judged_twice_is_refused_by_the_position_of_the_second() -> None:
    with pytest.raises(InvalidQrels) as caught:
        qrels_digest([(b"q", b"d", 2), (b"p", b"d", 1), (b"q", b"d", 1)])
    assert caught.value.position == 3


def test_a_measure_is_bound_to_its_protocol_judgements_name_and_depth() -> None:
    digest = qrels_digest([(b"q", b"d", 1)])
    base = scoring_identity("trec-eval-v1", digest, "nDCG@10", 100)
    assert base == v1(["trec-eval-v1", digest, "nDCG@10", 100])
    others = {
        scoring_identity("trec-eval-v2", digest, "nDCG@10", 100),
        scoring_identity("trec-eval-v1", qrels_digest([]), "nDCG@10", 100),
        scoring_identity("trec-eval-v1", digest, "nDCG@100", 100),
        scoring_identity("trec-eval-v1", digest, "nDCG@10", 1000),
    }
    assert len(others | {base}) == 5


@given(ROWS)
def test_the_digest_is_that_of_the_canonical_text(rows: list[tuple[bytes, bytes, int]]) -> None:
    text = compact_json(qrels_members(rows))
    assert qrels_digest(iter(rows)) == "v1:" + sha256_hex(text.encode("ascii"))


#: One query, two documents, of which one gains nothing.
WORKED = [(b"q1", b"d2", 0), (b"q1", b"d1", 2)]
WORKED_QRELS = "v1:6cdebc808e3fb04f05f22b040aec00a116429e6e9d961c6d2ca6e66c00fbedd6"
WORKED_SCORING = "v1:e2afaf982c666e339eeddedb4a36f991a04875c1906f0b79c5f28560989ab4a3"
WORKED_BENCHMARK = "v1:8ac4b2f54fde910eb638433aeb0ddd5e56c1181a3f755a1b640e68c286e4e56b"


def test_a_worked_example_of_the_whole_chain() -> None:
    digest = qrels_digest(WORKED)
    assert digest == v1(["qrels-v1", [["cTE=", "ZDE=", 2], ["cTE=", "ZDI=", 0]]])
    assert digest == WORKED_QRELS

    scoring = scoring_identity("trec-eval-v1", digest, "nDCG@10", 1000)
    assert scoring == v1(["trec-eval-v1", WORKED_QRELS, "nDCG@10", 1000])
    assert scoring == WORKED_SCORING

    # Without texts of questions the qrels digest stands for the labels, too.
    benchmark = benchmark_fingerprint("corpus-v1", digest, scoring)
    assert benchmark == v1(["benchmark-v1", "corpus-v1", WORKED_QRELS, WORKED_SCORING])
    assert benchmark == WORKED_BENCHMARK


def test_two_measures_of_one_evaluation_have_two_benchmarks_and_each_keeps_its_own() -> None:
    digest = qrels_digest(WORKED)
    benchmarks = {
        name: benchmark_fingerprint(
            "c", digest, scoring_identity("trec-eval-v1", digest, name, 100)
        )
        for name in ("nDCG@10", "AP", "AP(rel=2)")
    }
    assert len({*benchmarks.values()}) == 3
    alone = scoring_identity("trec-eval-v1", digest, "AP", 100)
    assert benchmark_fingerprint("c", digest, alone) == benchmarks["AP"]


def test_one_more_judgement_of_no_gain_makes_values_incomparable() -> None:
    def benchmark(rows: list[tuple[bytes, bytes, int]]) -> str:
        digest = qrels_digest(rows)
        scoring = scoring_identity("trec-eval-v1", digest, "nDCG@10", 100)
        return benchmark_fingerprint("c", "v1:labels-of-the-same-questions", scoring)

    assert benchmark(WORKED) != benchmark([*WORKED, (b"q1", b"d3", 0)])
