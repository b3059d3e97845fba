from typing import Any

import msgspec
import pytest

from evenhand.reports.as_json import encode_evaluation
from evenhand.reports.evaluation_document import EvaluationDocument
from evenhand.reports.subject import fresh_subject, stored_subject
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports import hostile
from tests.reports.rendering import against


def document(*args: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(encode_evaluation(*args))
    return decoded


def test_the_document_names_its_format_and_reads_back_as_what_it_is() -> None:
    encoded = encode_evaluation(*against(an_evaluation(provenance=a_provenance())))

    read = msgspec.json.decode(encoded, type=EvaluationDocument)

    assert read.format == "evenhand.evaluation/1"
    assert msgspec.json.encode(read) == encoded


def test_counts_are_integers_and_rates_carry_hits_and_total() -> None:
    golden_set = a_set(a_question("q1", "d1"), a_question("q2", "d2"), a_question("q3"))
    written = document(fresh_subject(an_evaluation(golden_set, {"q1": ["d1"], "q3": ["d9"]})))

    assert written["counts"]["answerable_top1_hits"] == 1
    assert written["rates"]["success_at_1"] == {"hits": 1, "total": 2, "value": 0.5}
    assert written["rates"]["abstention"] == {"hits": 0, "total": 1, "value": 0.0}
    assert all(type(number) is int for number in written["counts"].values())


@pytest.mark.proves("BP-10")
def test_a_rate_over_no_questions_is_zero_beside_a_total_of_zero() -> None:
    written = document(fresh_subject(an_evaluation(a_set(a_question("q1", "d1")))))

    assert written["rates"]["abstention"] == {"hits": 0, "total": 0, "value": 0.0}


def test_a_declaration_keeps_its_interchange_names_and_what_is_unknown_is_null() -> None:
    declared = document(fresh_subject(an_evaluation(provenance=a_provenance())))
    undeclared = document(fresh_subject(an_evaluation()))

    assert declared["provenance"] == {
        "corpusRevision": "corpus-1",
        "modelRevision": "model-1",
        "chunkingIdentity": "chunks-1",
        "pipelineIdentity": "pipeline-1",
        "executionRevision": None,
    }
    assert declared["fingerprints"]["benchmark"].startswith("v1:")
    assert undeclared["provenance"] is None
    assert undeclared["fingerprints"] is None


def test_a_mismatch_gives_its_reason_by_code_and_dimension_with_both_values() -> None:
    written = document(
        *against(
            an_evaluation(provenance=a_provenance(corpus="now")),
            an_evaluation(provenance=a_provenance(corpus="then")),
        )
    )

    assert written["verdict"] == {
        "state": "mismatch",
        "reasons": [
            {"code": "corpus_changed", "dimension": "corpus", "current": "now", "previous": "then"}
        ],
    }


def test_a_comparable_result_has_differences_regression_and_flips() -> None:
    declared = a_provenance()
    before = an_evaluation(provenance=declared, given={})

    written = document(*against(an_evaluation(provenance=declared), before))

    assert written["differences"][0] == {
        "measure": "Success@1",
        "previous": {"hits": 0, "total": 3, "value": 0.0},
        "current": {"hits": 3, "total": 3, "value": 1.0},
        "delta": 1.0,
        "low": 1.0,
        "high": 1.0,
        "incomplete": False,
    }
    assert written["regression"] == {"top1_regressed": False, "top3_regressed": False}
    assert written["flips"] == [{"position": n, "won": True} for n in range(3)]


def test_nothing_compared_and_nothing_stored_is_null() -> None:
    written = document(fresh_subject(an_evaluation()))

    for name in ("id", "created_at", "privacy", "release", "verdict", "previous", "flips"):
        assert written[name] is None


def test_without_outcomes_only_what_hangs_on_them_is_null() -> None:
    written = document(stored_subject(a_record(an_evaluation())))

    assert written["counts"]["questions"] == 4
    for name in ("splits", "latency", "failed_questions"):
        assert written[name] is None
    assert written["flags"]["short_lists"] is None


def test_no_text_of_a_question_and_no_id_is_in_the_document() -> None:
    golden_set = a_set(
        a_question("canary-id", "canary-target", text="canary text"),
        a_question("q2", "d2"),
    )
    evaluation = an_evaluation(golden_set, {"canary text": OSError("canary"), "q2": ["d2"]})

    encoded = encode_evaluation(*against(evaluation))

    assert b"canary" not in encoded
    assert b'"failed_questions":[{"position":0,"error_class":"OSError"}]' in encoded


def test_hostile_names_are_valid_json() -> None:
    written = document(fresh_subject(hostile.an_evaluation_of_it(fails=True)))

    assert written["golden_set"]["name"] == hostile.EVERYTHING
