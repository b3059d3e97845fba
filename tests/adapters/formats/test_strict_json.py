"""JSON that says one thing only; everything else is refused with its line."""

import pytest

from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile

CANARY = "strict-json-canary"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b'{"a": 1', "is not JSON"),
        (b'{"a": "x', "is not JSON: Unterminated string"),
        (b'{"a": 1} {"b": 2}', "is not JSON: Extra data"),
        (b"{'a': 1}", "is not JSON"),
        (b'{"a": "x\ty"}', "is not JSON: Invalid control character"),
        (b'{"a": "x\0y"}', "is not JSON: Invalid control character"),
        (b"[1]", "must be a JSON object"),
        (b'"a"', "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'{"a": 1, "a": 1}', "has a key that occurs twice"),
        (b'{"b": {"a": 1, "\\u0061": 2}}', "has a key that occurs twice"),
        (b'{"a": NaN}', "NaN or an infinity"),
        (b'{"a": -Infinity}', "NaN or an infinity"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "is not UTF-8"),
        (b'{"a": "\\ud800"}', "half of a surrogate pair"),
        (b'{"a": ["\\uDCFF"]}', "half of a surrogate pair"),
        (b'{"a": {"\\udc80": 1}}', "half of a surrogate pair"),
        (b'{"a": ' + b"[" * 100_000, "is nested too deeply"),
        (b'{"a": ' + b"1" * 10_000 + b"}", "too many digits"),
    ],
)
def test_json_that_is_not_strict_is_refused_by_file_line_and_rule(
    content: bytes, rule: str
) -> None:
    with pytest.raises(InvalidFile) as refused:
        decode_object(content, "some.jsonl", 7)
    assert str(refused.value).startswith("some.jsonl, line 7: ")
    assert rule in refused.value.rule
    assert refused.value.line == 7


@pytest.mark.parametrize(
    "content",
    [f'{{"a": "{CANARY}', f'{{"{CANARY}": 1, "{CANARY}": 2}}', f'{{"a": "{CANARY}\\ud800"}}'],
)
def test_a_message_never_repeats_a_value_or_key(content: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        decode_object(content.encode(), "some.jsonl", 1)
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b' {"a": "\\ud83d\\ude00"} \r', {"a": "\U0001f600"}),
        ('{"a": "x\u2028y\u0085"}'.encode(), {"a": "x\u2028y\u0085"}),
        (b'{"a": "p\\u000bq\\fr\\u001cs\\u0000"}', {"a": "p\x0bq\x0cr\x1cs\0"}),
        (b'{"a": "\\\\ud800"}', {"a": "\\ud800"}),
        (b'{"007": "007", "7": "1e5"}', {"007": "007", "7": "1e5"}),
    ],
)
def test_every_other_text_stays_as_it_is(content: bytes, expected: object) -> None:
    assert decode_object(content, "some.jsonl", 1) == expected
