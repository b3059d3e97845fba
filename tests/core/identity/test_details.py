import pytest

from evenhand.core.identity.details import QuestionDetail, records_at_full, records_substituted

TAG = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "ZG9j/w=="}
DETAIL = QuestionDetail(
    question_id=b"doc\xff",
    form="gap",
    hard_class=b"doc\xff",
    top1_hit=False,
    top3_hit=True,
    retrieved_document_ids=(b"a", b"doc\xff", b"c"),
    latency_ms=12,
)
PLAIN = QuestionDetail(
    question_id="größe".encode(),
    form="match",
    hard_class=None,
    top1_hit=True,
    top3_hit=True,
    retrieved_document_ids=(),
    latency_ms=None,
)


def unchanged(value: str | bytes | None) -> str | bytes | None:
    return value


@pytest.mark.proves("P-48", "P-49", "BP-26")
def test_a_snapshot_is_a_list_of_records_with_the_names_of_the_source() -> None:
    assert records_at_full([PLAIN], unchanged) == [
        {
            "questionId": "größe",
            "form": "match",
            "hardClass": None,
            "top1Hit": True,
            "top3Hit": True,
            "retrievedDocumentIds": [],
            "latencyMs": None,
        }
    ]


@pytest.mark.proves("P-52", "BP-27")
def test_at_full_the_tag_stands_for_an_id_a_hard_class_and_one_document() -> None:
    (record,) = records_at_full([DETAIL], unchanged)
    assert record["questionId"] == TAG
    assert record["hardClass"] == TAG
    assert record["retrievedDocumentIds"] == ["a", TAG, "c"]
    assert [key for key, value in record.items() if value == TAG] == ["questionId", "hardClass"]


@pytest.mark.proves("G-14")
def test_a_document_that_the_policy_drops_keeps_its_place() -> None:
    (record,) = records_at_full([DETAIL], lambda _value: None)
    assert record["retrievedDocumentIds"] == ["a", None, "c"]
    assert record["questionId"] is None


@pytest.mark.proves("P-60", "BP-27")
def test_below_full_bytes_are_substituted_and_never_tagged() -> None:
    (record,) = records_substituted([DETAIL])
    assert record["questionId"] == "doc\ufffd"
    assert record["hardClass"] == "doc\ufffd"
    assert record["retrievedDocumentIds"] == ["a", "doc\ufffd", "c"]
