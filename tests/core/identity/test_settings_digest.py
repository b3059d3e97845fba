import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.identity.settings_digest import retrieval_config_sha256


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
