import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.canonical import json_ascii_v1, json_ascii_v1_digest, sha256_hex
from evenhand.core.identity.settings_digest import (
    MAX_DEPTH,
    MAX_LENGTH,
    hold_settings,
    read_settings,
    retrieval_config_sha256,
)


@pytest.mark.proves("C-91", "C-93")
def test_json_settings_have_the_digest_of_their_canonical_text() -> None:
    settings = {"top_k": 10, "weights": [0.7, 0.3], "rerank": {"on": True, "model": None}}
    assert retrieval_config_sha256(settings) == json_ascii_v1_digest(settings)
    assert retrieval_config_sha256({"top_k": 10.0}) != retrieval_config_sha256({"top_k": 10})


@pytest.mark.proves("G-74")
@pytest.mark.parametrize(
    "settings",
    [
        {10: "a", 9: "b"},
        {"a": {1: "b"}},
        {"a": [{True: 1}]},
        {"a": {1, 2}},
        {"a": (1, 2)},
        {"a": object()},
        {"a": b"x"},
        {"a": [float("nan")]},
        {"a": float("inf")},
        [],
        "text",
        None,
    ],
)
def test_anything_but_json_with_text_keys_is_refused(settings: object) -> None:
    with pytest.raises(InvalidSetting):
        retrieval_config_sha256(settings)


def test_settings_that_hold_themselves_are_refused() -> None:
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    with pytest.raises(InvalidSetting, match="nested too deeply"):
        retrieval_config_sha256(cycle)


def test_a_refusal_repeats_neither_key_nor_value() -> None:
    with pytest.raises(InvalidSetting) as caught:
        retrieval_config_sha256({"hunter2": {"hunter2": {"hunter2"}}})
    assert "hunter2" not in str(caught.value)


@pytest.mark.proves("C-91", "G-74")
def test_what_is_stored_is_what_is_digested() -> None:
    settings = {"b": 1, "a": [0.1, -0.0, 1e-05, "ä", None], "c": {"z": True, "y": 2**70}}
    held = hold_settings(settings)
    assert held.text == json_ascii_v1(settings)
    assert held.sha256 == sha256_hex(held.text.encode())
    assert held.value == settings
    assert read_settings(held.text) == held


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{"b":1,"a":1}', '{"a":1.00}', "[]", "{", '{"a":NaN}', "", "{}\n"]
)
def test_a_stored_text_that_is_not_canonical_is_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match="canonical text"):
        read_settings(text)


def test_settings_are_bounded_in_depth_and_length() -> None:
    deep: dict[str, object] = {}
    for _ in range(MAX_DEPTH - 1):
        deep = {"a": deep}
    assert hold_settings(deep).value == deep
    with pytest.raises(InvalidSetting, match="nested too deeply"):
        hold_settings({"a": deep})

    longest = {"a": "x" * (MAX_LENGTH - len('{"a":""}'))}
    assert hold_settings(longest).value == longest
    with pytest.raises(InvalidSetting, match="at most 65536 characters"):
        hold_settings({"a": "x" * MAX_LENGTH})
    with pytest.raises(InvalidSetting, match="too many digits"):
        hold_settings({"a": 10**5000})


@pytest.mark.parametrize("settings", [{"a": ["\udc80"]}, {"\ud800": 1}])
def test_half_of_a_surrogate_pair_is_refused(settings: object) -> None:
    with pytest.raises(InvalidSetting, match="surrogate"):
        hold_settings(settings)
