"""Details and rankings under a policy: what may be stored of an evaluation."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from evenhand.core.errors import InvalidText
from evenhand.core.privacy import (
    REDACTED_CHARACTERS,
    TRUNCATION_MARK,
    LevelPolicy,
    PrivacyLevel,
    PrivacyPolicy,
)
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import Given, a_question, a_set, an_evaluation

Filter = Callable[[str | bytes | None], str | bytes | None]
FULL = LevelPolicy(level=PrivacyLevel.FULL)
REDACTED = LevelPolicy(level=PrivacyLevel.REDACTED)
BAD = b"doc\xff"
TAG = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "ZG9j/w=="}


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomPolicy:
    """A policy of a consumer's own; remembers what it was shown."""

    level: PrivacyLevel
    answer: Filter
    seen: list[str | bytes | None]

    def filter_content(self, value: str | bytes | None) -> str | bytes | None:
        self.seen.append(value)
        return self.answer(value)


def custom(answer: Filter, level: PrivacyLevel = PrivacyLevel.FULL) -> CustomPolicy:
    return CustomPolicy(level=level, answer=answer, seen=[])


def for_bytes(answer: str | bytes | None) -> Filter:
    """Replaces every value that is not UTF-8; leaves the rest."""
    return lambda value: answer if isinstance(value, bytes) else value


def evaluation_with(
    question_id: str | bytes = "q1",
    documents: Sequence[str | bytes] = ("d1", "x"),
    hard_class: str | bytes | None = "normal",
) -> Evaluation:
    asked = a_set(a_question(question_id, "d1", text="ask", hard_class=hard_class))
    return an_evaluation(asked, {"ask": documents})


def records(evaluation: Evaluation, policy: PrivacyPolicy = FULL) -> list[dict[str, Any]]:
    payload = build_details(evaluation, policy)
    assert payload is not None
    decoded: list[dict[str, Any]] = json.loads(payload)
    return decoded


# Shape -------------------------------------------------------------------------------------


@pytest.mark.proves("P-48", "P-49", "BP-26")
def test_details_are_a_json_list_with_one_record_a_question() -> None:
    asked = a_set(
        a_question("b", "d1", form="gap"),
        a_question("ä", "d2", hard_class="normal"),
        a_question("none"),
    )
    result = an_evaluation(asked, {"b": ["x", "d1"], "ä": RuntimeError("down")})
    assert records(result) == [
        {
            "questionId": "b",
            "form": "gap",
            "hardClass": None,
            "top1Hit": False,
            "top3Hit": True,
            "retrievedDocumentIds": ["x", "d1"],
            "latencyMs": 5,
        },
        {
            "questionId": "ä",
            "form": "match",
            "hardClass": "normal",
            "top1Hit": False,
            "top3Hit": False,
            "retrievedDocumentIds": [],
            "latencyMs": None,
        },
        {
            "questionId": "none",
            "form": "match",
            "hardClass": None,
            "top1Hit": True,
            "top3Hit": True,
            "retrievedDocumentIds": [],
            "latencyMs": 5,
        },
    ]


@pytest.mark.proves("BP-26")
def test_the_documents_of_a_record_are_the_distinct_top_three() -> None:
    result = evaluation_with(documents=["x", "", "x", "y", "d1", "z"])
    assert records(result)[0]["retrievedDocumentIds"] == ["x", "y", "d1"]


@pytest.mark.proves("BP-26")
def test_the_documents_of_a_record_come_from_the_window_that_was_scored() -> None:
    asked = a_set(a_question("q1", "d1"))
    result = an_evaluation(asked, {"q1": [*["x"] * 12, "d1"]}, depth=20)
    (record,) = records(result)
    assert record["retrievedDocumentIds"] == ["x"]
    assert record["top3Hit"] is False


# The tag at full ---------------------------------------------------------------------------


@pytest.mark.proves("P-51", "P-52")
def test_at_full_bytes_that_are_not_utf8_become_the_tag_in_its_three_places() -> None:
    (record,) = records(evaluation_with(BAD, ["d1", BAD], BAD))
    assert record["questionId"] == TAG
    assert record["hardClass"] == TAG
    assert record["retrievedDocumentIds"] == ["d1", TAG]
    plain = {key: value for key, value in record.items() if value != TAG}
    assert "base64" not in json.dumps({**plain, "retrievedDocumentIds": None})


@pytest.mark.proves("P-49", "P-51")
def test_valid_utf8_stays_plain_text_even_where_it_spells_a_tag() -> None:
    spelt = json.dumps(TAG)
    (record,) = records(evaluation_with(spelt, ["dök", "\ufffd", "d1"], "ß"))
    assert record["questionId"] == spelt
    assert record["hardClass"] == "ß"
    assert record["retrievedDocumentIds"] == ["dök", "\ufffd", "d1"]


@pytest.mark.proves("P-54", "P-55")
def test_the_tag_keeps_ids_distinct_that_substitution_would_merge() -> None:
    (record,) = records(evaluation_with(documents=[b"\xe9", b"\xff", b"\xe9\xff"]))
    values = [tag["value"] for tag in record["retrievedDocumentIds"]]
    assert values == ["6Q==", "/w==", "6f8="]
    assert all(
        set(tag) == {"encoding", "version", "value"} for tag in record["retrievedDocumentIds"]
    )


@pytest.mark.proves("P-57", "P-62", "G-14")
def test_a_policy_sees_the_original_bytes_before_they_are_tagged() -> None:
    policy = custom(lambda value: value)
    build_details(evaluation_with(BAD, ["d1", b"x\xfe"], b"class\xfd"), policy)
    *fields, payload = policy.seen
    assert fields == [BAD, b"class\xfd", b"x\xfe"]
    assert isinstance(payload, str)


@pytest.mark.proves("BP-27")
def test_ordinary_fields_are_filtered_only_with_the_whole_payload() -> None:
    policy = custom(lambda value: value)
    payload = build_details(evaluation_with(hard_class=None), policy)
    assert policy.seen == [payload]


@pytest.mark.proves("P-58", "BP-27", "G-14")
@pytest.mark.parametrize(
    ("answer", "stored"),
    [
        ("replaced", "replaced"),
        (b"replaced", "replaced"),
        ("ersätzt".encode(), "ersätzt"),
        (None, None),
        ("", ""),
        (b"\xfe", {**TAG, "value": "/g=="}),
        ("\udcfe", {**TAG, "value": "/g=="}),
    ],
    ids=["text", "ascii", "utf8", "null", "empty", "other-bytes", "surrogate"],
)
def test_the_answer_of_a_policy_is_examined_again(
    answer: str | bytes | None, stored: object
) -> None:
    (record,) = records(evaluation_with(BAD, ["x", BAD, "d1"], BAD), custom(for_bytes(answer)))
    assert record["questionId"] == stored
    assert record["hardClass"] == stored
    # A dropped id keeps its place, so that ranks do not move.
    assert record["retrievedDocumentIds"] == ["x", stored, "d1"]


# The outer filter --------------------------------------------------------------------------


@pytest.mark.proves("P-59")
def test_the_complete_payload_goes_through_the_policy_too() -> None:
    policy = custom(
        lambda value: (
            value.replace("d1", "gone").replace("ZG9j/w==", "cut")
            if isinstance(value, str)
            else value
        )
    )
    (record,) = records(evaluation_with(documents=["d1", BAD]), policy)
    assert record["retrievedDocumentIds"] == ["gone", {**TAG, "value": "cut"}]


@pytest.mark.proves("BP-27")
@pytest.mark.parametrize("level", [PrivacyLevel.FULL, PrivacyLevel.REDACTED])
def test_a_payload_that_a_policy_drops_is_stored_as_empty_text(level: PrivacyLevel) -> None:
    assert build_details(evaluation_with(), custom(lambda _: None, level)) == ""


@pytest.mark.proves("G-14")
@pytest.mark.parametrize("level", [PrivacyLevel.FULL, PrivacyLevel.REDACTED])
def test_a_policy_that_raises_lets_nothing_through(level: PrivacyLevel) -> None:
    class Refusal(Exception):
        pass

    def refuse(_: str | bytes | None) -> str:
        raise Refusal

    with pytest.raises(Refusal):
        build_details(evaluation_with(), custom(refuse, level))
    if level is PrivacyLevel.FULL:
        with pytest.raises(Refusal):
            build_rankings(evaluation_with(), custom(refuse, level))


@pytest.mark.parametrize("answer", [7, ["text"], True, "\ud800", "nul\0"])
def test_a_policy_that_answers_with_no_text_stops_the_storing(answer: object) -> None:
    policy = custom(lambda _: answer)  # type: ignore[arg-type,return-value]
    with pytest.raises(InvalidText, match="answer of filter_content"):
        build_details(evaluation_with(), policy)


def test_a_payload_answered_in_bytes_is_stored_as_text() -> None:
    policy = custom(lambda _: b"[\xff]")
    assert build_details(evaluation_with(), policy) == "[\ufffd]"


@pytest.mark.proves("P-50")
def test_no_payload_of_another_kind_is_rewritten() -> None:
    prompts = '{"prompt":"Say \\u00e9","grade":1.50,"note":null}'
    assert FULL.filter_content(prompts) == prompts
    assert REDACTED.filter_content(prompts) == prompts


# Redacted ----------------------------------------------------------------------------------


@pytest.mark.proves("P-60", "G-15")
def test_redacted_never_tags_and_substitutes() -> None:
    payload = build_details(evaluation_with(BAD, [BAD, "d1"], BAD), REDACTED)
    assert payload is not None
    assert "base64" not in payload
    (record,) = json.loads(payload)
    assert record["questionId"] == "doc\ufffd"
    assert record["hardClass"] == "doc\ufffd"
    assert record["retrievedDocumentIds"] == ["doc\ufffd", "d1"]


@pytest.mark.proves("G-15")
@pytest.mark.parametrize(
    "secret",
    [
        "jürgen@example.test",
        "https://user:pw@host.test/a",
        "https://user:p/w@host.test/a",
        "Bearer\nabcDEF123",
        'Bearer "\tabc Bearer abcDEF123',
        'password="\\abc"',
        '{"token":"rosebud"}',
    ],
)
def test_an_escape_of_json_hides_no_secret(secret: str) -> None:
    payload = build_details(evaluation_with(documents=[secret, "d1"]), REDACTED)
    assert payload is not None
    assert "***" in payload
    for part in ("jürgen", "user", "p/w", "pw@", "abcDEF123", "\\abc", "rosebud"):
        assert part not in payload
    # Masking leaves quotes and escapes alone, so that the rest stays readable.
    assert json.loads(payload)[0]["retrievedDocumentIds"][1] == "d1"


@pytest.mark.proves("G-15")
def test_redacted_text_keeps_real_characters_for_the_patterns() -> None:
    payload = build_details(evaluation_with(documents=["bücher/ß", "d1"]), REDACTED)
    assert payload is not None
    assert "bücher/ß" in payload


@pytest.mark.proves("BP-29", "G-15")
def test_a_redacted_payload_is_bounded_and_need_not_parse() -> None:
    asked = a_set(*(a_question(f"question-{n}", "d1") for n in range(100)))
    payload = build_details(an_evaluation(asked), REDACTED)
    assert payload is not None
    assert len(payload) == REDACTED_CHARACTERS + len(TRUNCATION_MARK)
    assert payload.endswith(TRUNCATION_MARK)
    with pytest.raises(json.JSONDecodeError):
        json.loads(payload)


@pytest.mark.proves("BP-28", "G-15")
def test_a_custom_policy_at_redacted_cannot_loosen_it() -> None:
    secret = "person@example.test"  # noqa: S105 -- a canary
    policy = custom(lambda value: value, PrivacyLevel.REDACTED)
    payload = build_details(evaluation_with(documents=[secret, "d1"]), policy)
    assert payload is not None
    assert secret not in payload
    adding = custom(lambda _: secret * 500, PrivacyLevel.REDACTED)
    bounded = build_details(evaluation_with(), adding)
    assert bounded is not None
    assert secret not in bounded
    assert len(bounded) <= REDACTED_CHARACTERS + len(TRUNCATION_MARK)


@pytest.mark.proves("P-58")
def test_a_custom_policy_at_redacted_may_replace_the_payload() -> None:
    policy = custom(lambda _: "[]", PrivacyLevel.REDACTED)
    assert build_details(evaluation_with(), policy) == "[]"


@pytest.mark.proves("BP-28")
def test_a_level_in_plain_text_is_that_level() -> None:
    def plain(level: str) -> CustomPolicy:
        return CustomPolicy(level=level, answer=lambda value: value, seen=[])  # type: ignore[arg-type]

    secret = evaluation_with(documents=["person@example.test" * 300])
    for level in PrivacyLevel:
        expected = build_details(secret, custom(lambda value: value, level))
        assert build_details(secret, plain(level.value)) == expected
        assert (build_rankings(secret, plain(level.value)) is None) is (not level.keeps_run)
    with pytest.raises(ValueError, match="secretive"):
        build_details(secret, plain("secretive"))
    with pytest.raises(ValueError, match="secretive"):
        build_rankings(secret, plain("secretive"))


# None and metadata -------------------------------------------------------------------------


@pytest.mark.proves("P-61", "BP-28")
@pytest.mark.parametrize("level", [PrivacyLevel.NONE, PrivacyLevel.METADATA])
def test_none_and_metadata_drop_the_payload_unseen(level: PrivacyLevel) -> None:
    policy = custom(lambda value: value, level)
    assert build_details(evaluation_with(), policy) is None
    assert build_rankings(evaluation_with(), policy) is None
    assert policy.seen == []


# Rankings ----------------------------------------------------------------------------------


@pytest.mark.proves("BP-28")
@pytest.mark.parametrize(
    "level", [PrivacyLevel.NONE, PrivacyLevel.METADATA, PrivacyLevel.REDACTED]
)
def test_rankings_are_kept_only_at_full(level: PrivacyLevel) -> None:
    assert build_rankings(evaluation_with(), LevelPolicy(level=level)) is None


def test_rankings_hold_raw_ids_by_position_and_skip_failed_questions() -> None:
    asked = a_set(a_question("c", "d1"), a_question("b", "d1"), a_question("a", "d1"))
    answers: dict[str, Given] = {"a": ["x", "x", "", BAD], "b": RuntimeError("down"), "c": ()}
    rankings = build_rankings(an_evaluation(asked, answers), FULL)
    assert rankings is not None
    assert [(one.position, one.query_id, one.documents) for one in rankings] == [
        (0, b"a", (b"x", b"x", b"", BAD)),
        (2, b"c", ()),
    ]


@pytest.mark.proves("P-62", "G-14")
def test_a_policy_decides_about_each_id_of_a_ranking() -> None:
    answers: dict[object, str | bytes | None] = {"x": None, BAD: "clean", "d1": b"\xfe"}
    policy = custom(lambda value: answers.get(value, value))
    result = evaluation_with(documents=["x", BAD, "d1", "x"])
    rankings = build_rankings(result, policy)
    assert rankings is not None
    assert rankings[0].documents == (b"", b"clean", b"\xfe", b"")
    assert policy.seen == ["q1", "x", BAD, "d1"]


def test_a_question_whose_id_is_dropped_has_no_ranking() -> None:
    policy = custom(lambda value: None if value == "q1" else value)
    assert build_rankings(evaluation_with(), policy) == ()
