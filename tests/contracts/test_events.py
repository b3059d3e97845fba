from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from evenhand.contracts.events import Event, EventOutcome, validate_event
from evenhand.core.errors import InvalidEvent

SEED: dict[str, Any] = {
    "timestamp_utc": "2026-07-29T10:12:43Z",
    "event_id": "evt_rag_eval_01",
    "account_id": "acct_8f31",
    "release": "2026.07.3",
    "evaluation_id": "eval_72ab",
    "retrieval_version": "hybrid_v4",
    "evaluator_version": "grounding_rubric_v2",
    "retrieval_score": 0.86,
    "grounded": True,
    "accepted": True,
    "duration_ms": 1280,
}
REQUIRED = [name for name in SEED if name != "accepted"]
IDENTIFIERS = REQUIRED[1:7]


def refused_field(document: object) -> str | None:
    try:
        validate_event(document)
    except InvalidEvent as error:
        return error.field
    return None


@pytest.mark.proves("E-28", "E-17")
def test_the_source_s_example_is_an_event() -> None:
    assert validate_event(SEED) == Event(
        timestamp_utc=datetime(2026, 7, 29, 10, 12, 43, tzinfo=UTC),
        event_id="evt_rag_eval_01",
        account_id="acct_8f31",
        release="2026.07.3",
        evaluation_id="eval_72ab",
        retrieval_version="hybrid_v4",
        evaluator_version="grounding_rubric_v2",
        retrieval_score=0.86,
        grounded=True,
        accepted=True,
        duration_ms=1280,
    )


@pytest.mark.proves("E-08")
@pytest.mark.parametrize("name", REQUIRED)
def test_each_of_the_ten_required_fields_is_required(name: str) -> None:
    assert len(REQUIRED) == 10
    assert refused_field({key: value for key, value in SEED.items() if key != name}) == name


@pytest.mark.proves("E-26", "G-68")
def test_acceptance_may_be_absent_which_is_unknown_but_not_null() -> None:
    absent = {key: value for key, value in SEED.items() if key != "accepted"}
    assert validate_event(absent).accepted is None
    assert refused_field(SEED | {"accepted": None}) == "accepted"


@pytest.mark.proves("G-68")
@pytest.mark.parametrize(
    "context",
    [
        {"outcome": "evaluated"},
        {"outcome": "ineligible"},
        {"prompt_version": "prompt-v7"},
        {"benchmark": "v1:" + "a7" * 32},
        {"review_stratum": "a7" * 32},
    ],
    ids=lambda context: next(iter(context.items()))[1],
)
def test_the_four_context_fields_are_optional(context: dict[str, str]) -> None:
    ((name, value),) = context.items()
    assert getattr(validate_event(SEED), name) is None
    assert getattr(validate_event(SEED | context), name) == value


@pytest.mark.proves("G-68")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outcome", "failed"),
        ("outcome", "Evaluated"),
        ("outcome", ["evaluated"]),
        ("prompt_version", "You are a strict grader."),
        ("benchmark", "a7" * 32),
        ("benchmark", "v1:" + "A7" * 32),
        ("review_stratum", "v1:" + "a7" * 32),
        ("review_stratum", "a7" * 31),
        ("outcome", None),
        ("prompt_version", None),
        ("benchmark", None),
        ("review_stratum", None),
    ],
)
def test_a_context_field_has_its_own_rule(name: str, value: object) -> None:
    assert refused_field(SEED | {name: value}) == name


@pytest.mark.proves("E-10", "E-17", "G-68")
@pytest.mark.parametrize(
    "text",
    [
        "2026-07-29T12:12:43+02:00",
        "2026-07-29T10:12:43+00:00",
        "2026-07-29T10:12:43-00:00",
        "2026-07-29T10:12:43",
        "2026-07-29T10:12:43z",
        "2026-07-29t10:12:43Z",
        "2026-07-29 10:12:43Z",
        "2026-07-29T10:12:60Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T10:12:43Z",
        "2026-13-01T10:12:43Z",
        "2026-07-29T24:00:00Z",
        "0000-07-29T10:12:43Z",
        "2026-07-29T10:12Z",
        "2026-07-29T10:12:43.Z",
        "2026-07-29T10:12:43.1234567890Z",
        "2026-07-29T10:12:43,5Z",
        "2026-07-29T10:12:43Z\n",
        "\uff12\uff10\uff12\uff16-07-29T10:12:43Z",
        " 2026-07-29T10:12:43Z",
        "20260729T101243Z",
    ],
)
def test_a_time_that_is_not_a_z_instant_of_the_calendar_is_refused(text: str) -> None:
    assert refused_field(SEED | {"timestamp_utc": text}) == "timestamp_utc"


@pytest.mark.proves("G-68")
@pytest.mark.parametrize(
    ("fraction", "micros"),
    [
        ("", 0),
        (".1", 100_000),
        (".120", 120_000),
        (".123456789", 123_456),
        (".999999999", 999_999),
    ],
)
def test_a_fraction_of_up_to_nine_digits_is_kept_to_six(fraction: str, micros: int) -> None:
    event = validate_event(SEED | {"timestamp_utc": f"2026-07-29T10:12:43{fraction}Z"})
    assert event.timestamp_utc == datetime(2026, 7, 29, 10, 12, 43, micros, tzinfo=UTC)


@pytest.mark.proves("E-24", "G-68")
@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.5, 1e-300])
def test_a_score_lies_in_the_closed_unit_interval(value: float) -> None:
    assert validate_event(SEED | {"retrieval_score": value}).retrieval_score == value


@pytest.mark.proves("E-24", "G-68")
@pytest.mark.parametrize(
    "value",
    [
        1.01,
        -0.01,
        2,
        -1,
        True,
        False,
        "0.86",
        None,
        float("nan"),
        float("inf"),
        Decimal(1),
        10**400,
    ],
    ids=repr,
)
def test_another_score_is_refused(value: object) -> None:
    assert refused_field(SEED | {"retrieval_score": value}) == "retrieval_score"


@pytest.mark.proves("E-27", "G-68")
@pytest.mark.parametrize("value", [-1, -0.5, True, "5", None, float("inf"), 10**400], ids=repr)
def test_a_duration_is_a_finite_number_of_at_least_zero(value: object) -> None:
    assert refused_field(SEED | {"duration_ms": value}) == "duration_ms"
    assert validate_event(SEED | {"duration_ms": 0}).duration_ms == 0


@pytest.mark.proves("E-25", "G-68")
@pytest.mark.parametrize("name", ["grounded", "accepted"])
@pytest.mark.parametrize("value", [0, 1, "true", None, 1.0, []], ids=repr)
def test_a_number_or_text_is_no_boolean(name: str, value: object) -> None:
    assert refused_field(SEED | {name: value}) == name


@pytest.mark.proves("E-20", "E-23", "E-29", "G-68")
@pytest.mark.parametrize("name", IDENTIFIERS)
@pytest.mark.parametrize(
    "value",
    [
        "jane@example.com",
        "https://idx.example/v4",
        "a/b",
        "Jane Doe",
        "",
        "-a",
        "_a",
        "é",
        "a\n",
        "x" * 129,
        7,
        None,
        b"a",
    ],
    ids=repr,
)
def test_what_could_be_a_name_an_address_or_a_text_is_no_identifier(
    name: str, value: object
) -> None:
    assert refused_field(SEED | {name: value}) == name


@pytest.mark.proves("E-18", "E-19", "E-21", "E-22")
@pytest.mark.parametrize("name", IDENTIFIERS)
@pytest.mark.parametrize("value", ["a", "9", "v1:" + "a7" * 32, "a._:+-Z", "x" * 128])
def test_an_identifier_has_1_to_128_of_the_listed_characters(name: str, value: str) -> None:
    assert getattr(validate_event(SEED | {name: value}), name) == value


@pytest.mark.proves("E-40", "G-68")
def test_a_field_outside_the_contract_is_refused() -> None:
    assert refused_field(SEED | {"query": "where is the office?"}) == "query"


@pytest.mark.parametrize("name", ["jane@example.com", "", "Query", 7, None, "x" * 64])
def test_an_unknown_name_that_does_not_look_like_a_field_is_not_repeated(name: object) -> None:
    assert refused_field(SEED | {name: 1}) == "(unknown field)"


@pytest.mark.parametrize("document", [None, [], "text", 7, [SEED]], ids=repr)
def test_what_is_not_an_object_is_no_event(document: object) -> None:
    assert refused_field(document) == "event"


@pytest.mark.proves("G-71")
@pytest.mark.parametrize("name", [*SEED, "outcome", "benchmark", "review_stratum", "extra"])
def test_a_refusal_never_repeats_the_value(name: str) -> None:
    with pytest.raises(InvalidEvent) as caught:
        validate_event(SEED | {name: "hunter2 hunter2"})
    assert "hunter2" not in f"{caught.value} {vars(caught.value)}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.proves("G-65")
def test_an_ineligible_candidate_is_an_event_of_its_own_outcome() -> None:
    ineligible = {key: value for key, value in SEED.items() if key != "accepted"}
    event = validate_event(
        ineligible | {"outcome": "ineligible", "grounded": False, "retrieval_score": 0}
    )
    assert event.outcome is EventOutcome.INELIGIBLE
    assert event.accepted is None
