"""The fresh evaluation and the record that the store keeps of it."""

from dataclasses import fields
from fractions import Fraction

import pytest

from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import Basis, EvaluationRecord, build_record
from evenhand.core.scoring.protocols import GRADER, SCORING_VERSION
from tests.builders import RELEASE, START, a_provenance, a_question, a_set, an_evaluation, row_id


def test_the_failed_share_counts_every_attempted_question() -> None:
    asked = a_set(a_question("q1", "d1"), a_question("q2", "d2"), a_question("u", unjudged=True))
    fault = RuntimeError("down")
    result = an_evaluation(asked, {"q1": ["d1"], "q2": fault, "u": fault})
    assert result.failed_share == Fraction(2, 3)
    assert an_evaluation(asked).failed_share == 0


@pytest.mark.proves("BP-12")
def test_a_record_is_keyed_by_set_retriever_and_grader() -> None:
    asked = a_set(a_question("q1", "d1"), identifier="handbook.de", name="Handbook")
    result = an_evaluation(asked, provenance=a_provenance(), identifier="bm25")
    record = build_record(
        result, id=row_id(1), created_at=START, privacy=PrivacyLevel.METADATA, release=RELEASE
    )
    assert (record.set_identifier, record.retriever, record.grader) == (
        "handbook.de",
        "bm25",
        GRADER,
    )
    assert record.protocol == SCORING_VERSION
    assert record.counts == result.counts
    assert record.identity == result.identity
    assert record.basis is Basis.LOCAL
    assert record.privacy is PrivacyLevel.METADATA


@pytest.mark.proves("P-56")
def test_a_record_has_no_field_for_ids_texts_or_details() -> None:
    assert {field.name for field in fields(EvaluationRecord)} == {
        "id",
        "created_at",
        "set_identifier",
        "set_name",
        "retriever",
        "grader",
        "protocol",
        "basis",
        "depth",
        "conditions",
        "counts",
        "privacy",
        "identity",
        "started_at",
        "finished_at",
        "release",
        "qrels_digest",
    }
