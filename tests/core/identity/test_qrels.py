import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidQrels
from evenhand.core.identity.qrels import qrels_digest, scoring_identity

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
