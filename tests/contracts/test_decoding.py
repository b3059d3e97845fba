"""Typed decoding says the same as the explaining check, and lets nothing hide."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from evenhand.contracts.decoding import decode_event, encode_event
from evenhand.contracts.events import Event, validate_event
from evenhand.core.errors import InvalidEvent
from tests.cases_runner import load
from tests.contracts.test_events import SEED

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/event_contract.json").read_bytes())


def refused(content: bytes) -> tuple[str, str] | None:
    try:
        decode_event(content)
    except InvalidEvent as error:
        return error.code, error.field
    return None


@pytest.mark.proves("E-28", "E-17", "G-68")
@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_the_vectors_hold_for_the_typed_decoder(case: dict[str, Any]) -> None:
    content = msgspec.json.encode(case["event"])
    assert (refused(content) is None) is case["accept"]
    if case["accept"]:
        assert decode_event(content) == validate_event(case["event"])


@pytest.mark.parametrize("fraction", ["", ".1", ".120", ".999999999", ".123456789"])
def test_both_ways_read_one_instant_alike(fraction: str) -> None:
    document = SEED | {"timestamp_utc": f"2026-07-29T10:12:43{fraction}Z"}
    assert decode_event(msgspec.json.encode(document)) == validate_event(document)


@pytest.mark.proves("E-29", "E-40")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"account_id": "jane@example.com"}, ("invalid_event", "account_id")),
        ({"retrieval_version": "https://a/b"}, ("invalid_event", "retrieval_version")),
        ({"evaluator_version": "You are a grader."}, ("invalid_event", "evaluator_version")),
        ({"query": "where is it?"}, ("event_field_unknown", "query")),
        ({"Where is it?": 1}, ("event_field_unknown", "(unknown field)")),
        ({"grounded": "true"}, ("invalid_event", "grounded")),
    ],
)
def test_a_refusal_names_code_and_field(change: dict[str, Any], expected: tuple[str, str]) -> None:
    assert refused(msgspec.json.encode(SEED | change)) == expected


@pytest.mark.proves("E-08")
def test_a_missing_field_has_a_code_of_its_own() -> None:
    document = {name: value for name, value in SEED.items() if name != "release"}
    assert refused(msgspec.json.encode(document)) == ("event_field_missing", "release")


@pytest.mark.proves("E-09", "G-68")
def test_b_112_booleans_as_text_are_refused() -> None:
    case = load("B-112")
    found = [
        "stored" if refused(msgspec.json.encode(one)) is None else "refused"
        for one in case["given"]["events"]
    ]
    assert found == case["expected"]["results"]


def test_the_greatest_whole_numbers_are_exact_or_refused() -> None:
    for number, is_kept in ((2**53, True), (2**53 + 1, False), (2**60, True), (2**60 + 1, False)):
        content = msgspec.json.encode(SEED | {"duration_ms": number})
        assert (refused(content) is None) is is_kept


@pytest.mark.parametrize(
    "text",
    [
        '{"event_id": "evt_2",%s',
        '{"event_id":"evt_2",%s',
        '{"event\\u005fid" : "evt_2",%s',
        '{"accepted" : false,%s',
    ],
)
def test_a_key_that_occurs_twice_is_refused(text: str) -> None:
    whole = msgspec.json.encode(SEED).decode()
    assert refused((text % whole[1:]).encode()) == ("invalid_event", "event")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_refused(content: bytes) -> None:
    assert refused(content) == ("invalid_event", "event")


def test_blanks_and_escapes_are_no_reason_to_refuse() -> None:
    text = msgspec.json.encode(SEED).decode()
    spaced = text.replace('":', '" :\n ').replace("acct_8f31", "acct\\u005f8f31")
    assert decode_event(spaced.encode()) == validate_event(SEED)


def test_an_event_survives_encoding() -> None:
    event = validate_event(SEED | {"outcome": "ineligible", "benchmark": "v1:" + "a7" * 32})
    assert decode_event(encode_event(event)) == event
    assert b"prompt_version" not in encode_event(event)
    assert isinstance(event, Event)
